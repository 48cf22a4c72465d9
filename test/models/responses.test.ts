// Tests that responses of every plausible shape are read, and that errors say where a response is malformed.
import assert from "node:assert/strict";
import { ResponseError } from "../../src/errors";
import {
  parseAlerts,
  parseRgmTelemetry,
  parseSiteDetails,
  parseSites,
  parseTelemetry,
  recordAnswer,
} from "../../src/models/responses";

const rejects = (read: () => unknown, message: string): void =>
  assert.throws(read, (error) => error instanceof ResponseError && error.message === message);

describe("list envelopes", () => {
  const site = { siteId: "a", later: { kept: null } };
  for (const body of [
    [site],
    { data: [site] },
    { sites: [site], warnings: [] },
    { data: { sites: [site] } },
    { data: { items: [site] } },
    { results: [site] },
    { list_of_sites: [site], count: 1 },
    { data: { plants: [site] } },
    { sites: { data: [site] } },
    { response: { sites: [site] }, status: "ok" },
    { result: { items: [site], total: 1 } },
    { _embedded: { sites: [site] }, _links: {} },
    { data: { data: { sites: [site] } } },
    { siteList: [site], errors: [] },
  ]) {
    it(`finds the list in ${JSON.stringify(body)}`, () => assert.deepEqual(parseSites(body), [site]));
  }

  for (const body of [{ data: [] }, [], { sites: [] }]) {
    it(`treats ${JSON.stringify(body)} as no sites`, () => assert.deepEqual(parseSites(body), []));
  }

  it("returns the original objects of the response", () => assert.equal(parseSites([site])[0], site));

  for (const [body, kind] of [
    [null, "null"],
    ["text", "text"],
    [7, "a number"],
    [{}, "an object"],
    [{ data: null }, "an object"],
    [{ first: [], second: [] }, "an object"],
    [{ first: [{}], second: [{}] }, "an object"],
    [{ data: { data: { data: { data: { sites: [] } } } } }, "an object"],
  ] as const) {
    it(`finds no list in ${JSON.stringify(body)}`, () =>
      rejects(() => parseSites(body), `Site list response: no list of sites found (it is ${kind}).`));
  }

  it("requires objects", () => {
    rejects(() => parseAlerts([{}, null]), "Alert response: list[1] is not an object (it is null).");
    rejects(
      () => parseAlerts({ data: { alerts: [7] } }),
      "Alert response: data.alerts[0] is not an object (it is a number).",
    );
    rejects(
      () => parseAlerts({ secretName: [[]] }),
      "Alert response: list[0] is not an object (it is an array).",
    );
  });
});

describe("sites", () => {
  it("may have an id instead of a siteId", () => assert.deepEqual(parseSites([{ id: "a" }]), [{ id: "a" }]));

  it("need an id", () => {
    rejects(
      () => parseSites({ data: [{ siteId: "a" }, {}] }),
      "Site list response: data[1].siteId is not text (it is missing).",
    );
    rejects(
      () => parseSites([{ siteId: 7 }]),
      "Site list response: list[0].siteId is not text (it is a number).",
    );
    rejects(
      () => parseSites([{ siteId: "" }]),
      "Site list response: list[0].siteId is not text (it is empty text).",
    );
  });

  it("may have systems and devices outside the site object", () => {
    const systems = [{ systemId: "s" }];
    assert.deepEqual(parseSiteDetails({ site: { siteId: "a" }, systems }), { siteId: "a", systems });
  });

  const details = { siteId: "a", systems: [] };
  for (const body of [details, { data: details }, { site: details }, { data: { site: details } }]) {
    it(`have their details in ${JSON.stringify(body)}`, () => assert.equal(parseSiteDetails(body), details));
  }
  for (const body of [null, [], {}, { data: null }, { systems: [] }]) {
    it(`have no details in ${JSON.stringify(body)}`, () =>
      assert.throws(() => parseSiteDetails(body), ResponseError));
  }
});

describe("records", () => {
  const record = {
    startTime: "2026-02-01T00:00:00Z",
    endTime: "2026-02-01T00:05:00Z",
    storage: { stateOfCharge: null },
  };

  const one = (body: unknown): object | undefined => recordAnswer(parseTelemetry(body)).records[0]?.record;

  it("are returned unchanged", () => {
    assert.equal(one({ data: [record] }), record);
    assert.equal(recordAnswer(parseRgmTelemetry({ data: [record] })).records[0]?.record, record);
    assert.deepEqual(recordAnswer(parseTelemetry({ data: [] })), { records: [], unreadable: [] });
  });

  it("are read from the envelope that the interface shows, and no other", () => {
    for (const body of [[record], { records: [record] }, { data: { data: [record] } }, null])
      assert.throws(() => parseTelemetry(body), ResponseError);
  });

  it("may have zero length", () => {
    const instant = { ...record, endTime: record.startTime };
    assert.equal(one({ data: [instant] }), instant);
  });

  it("are set apart if they have no valid times, or end before they start, and spoil no other", () => {
    const faultOf = (item: unknown): string => {
      const { records, unreadable } = recordAnswer(parseTelemetry({ data: [record, item] }));
      assert.deepEqual(
        records.map((timed) => timed.record),
        [record],
      );
      return unreadable.map(({ fault }) => new ResponseError(fault).message).join();
    };
    assert.equal(
      faultOf({ ...record, startTime: "soon" }),
      "Telemetry response: data[1].startTime is not a time (it is text).",
    );
    assert.equal(
      faultOf({ ...record, endTime: undefined }),
      "Telemetry response: data[1].endTime is not a time (it is missing).",
    );
    assert.equal(
      faultOf({ ...record, endTime: "2026-01-31T23:55:00Z" }),
      "Telemetry response: data[1].endTime is before its startTime.",
    );
    assert.match(faultOf(null), /data\[1\] is not an object/);
  });
});
