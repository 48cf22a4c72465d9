// Tests that responses of every plausible shape are read, and that errors say where a response is malformed.
import assert from "node:assert/strict";
import { ResponseError } from "../../src/errors";
import {
  parseAlerts,
  parseRecords,
  parseSiteDetails,
  parseSites,
  refuseUnreadable,
} from "../../src/models/responses";
import { holdersIn } from "../../src/models/envelope";
import { readableSystemsOf, type Site, systemIdsOf } from "../../src/models/site";

const rejects = (read: () => unknown, message: string): void =>
  assert.throws(read, (error) => error instanceof ResponseError && error.message === message);

describe("list envelopes", () => {
  const site = { siteId: "a", later: { kept: null } };
  for (const body of [
    [site],
    { data: [site] },
    { sites: [site], warnings: [] },
    { data: [], sites: [site] },
    { data: { sites: [site] } },
    { data: { items: [site] } },
    { results: [site] },
    { list_of_sites: [site], count: 1 },
    { data: { plants: [site] } },
    { sites: { data: [site] } },
    { response: { sites: [site] }, status: "ok" },
    { success: true, data: [site], ok: null },
    { result: { items: [site], total: 1 } },
    { _embedded: { sites: [site] }, _links: {} },
    { data: { data: { sites: [site] } } },
    { siteList: [site], errors: [], warnings: null, error: false },
    { data: [site], meta: { errors: {}, warnings: [""] } },
    { siteList: [site], links: [{ rel: "self" }] },
    { Data: [site], Links: [{ rel: "self" }] },
  ]) {
    it(`finds the list in ${JSON.stringify(body)}`, () =>
      assert.deepEqual(parseSites(body).readable, [site]));
  }

  for (const body of [{ data: [] }, [], { sites: [] }]) {
    it(`treats ${JSON.stringify(body)} as no sites`, () => assert.equal(parseSites(body).count, 0));
  }

  it("returns the original objects of the response", () =>
    assert.equal(parseSites([site]).readable[0], site));

  for (const [body, kind] of [
    [null, "null"],
    ["text", "text"],
    [7, "a number"],
    [{}, "an object"],
    [{ data: null }, "an object"],
    [{ first: [], second: [] }, "an object"],
    [{ sites: null, others: [{}] }, "an object"],
    [{ sites: null, warnings: [] }, "an object"],
    [{ sites: null, items: [] }, "an object"],
    [{ sites: null, data: [] }, "an object"],
    [{ data: { data: null, sites: [] } }, "an object"],
    [{ first: [{}], second: [{}] }, "an object"],
    [{ data: { data: { data: { data: { sites: [] } } } } }, "an object"],
  ] as const) {
    it(`finds no list in ${JSON.stringify(body)}`, () =>
      rejects(
        () => parseSites(body),
        `No list of sites found (it is ${kind}). Check the base URL. (Site list response)`,
      ));
  }

  const record = { startTime: "2026-02-01T00:00:00Z", endTime: "2026-02-01T00:05:00Z" };
  for (const [name, read] of Object.entries({
    "Site list": (beside: object) => parseSites({ data: [site], ...beside }),
    Site: (beside: object) => parseSiteDetails({ data: site, ...beside }),
    Alert: (beside: object) => parseAlerts({ alerts: [], ...beside }),
    Telemetry: (beside: object) => parseRecords({ data: [record], ...beside }, "telemetry"),
    "Meter record": (beside: object) => parseRecords({ data: [], ...beside }, "rgm"),
  })) {
    for (const [field, beside] of Object.entries({
      errors: { errors: [{ message: "shard 2 failed" }] },
      Errors: { Errors: [{}] },
      warnings: { warnings: ["partial"] },
      error: { error: { code: 7 } },
      Warning: { Warning: "late" },
      "meta.warnings": { meta: { warnings: ["", {}] } },
      "success: false": { success: false },
      "meta.Ok: false": { meta: { Ok: false } },
    })) {
      it(`finds no answer in the ${name.toLowerCase()} beside ${JSON.stringify(beside)}`, () =>
        rejects(
          () => read(beside),
          `Incomplete: the service reports ${field}. Retry later or ask your provider. (${name} response)`,
        ));
    }
  }

  it("finds no answer beside errors inside an envelope", () => {
    assert.throws(() => parseSites({ sites: [site], meta: { errors: ["x"] } }), /reports meta\.errors\./);
    assert.throws(() => parseAlerts({ data: { alerts: [], warnings: ["x"] } }), /reports data\.warnings\./);
    assert.throws(() => parseAlerts({ alerts: null, errors: ["x"] }), /reports errors\./);
  });

  it("looks at no more fields than an envelope may have", () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, index]));
    const [holder] = holdersIn(many);
    assert.equal(holder?.fields.length, 1000);
    const parts = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [
        `meta${"_".repeat(index % 30)}${".".repeat(index / 30)}`,
        {},
      ]),
    );
    assert.equal(holdersIn({ meta: parts }).length, 100);
  });

  it("leaves errors to a site that has some of its own", () => {
    const own = { ...site, errors: ["x"] };
    assert.equal(parseSiteDetails({ data: own }), own);
    assert.deepEqual(parseSites({ data: [own] }).readable, [own]);
  });

  it("leaves what a site says of its alerts and records to the site", () => {
    const own = { ...site, alerts: { items: [{}], warnings: 3 }, info: { errors: 1 } };
    for (const body of [own, { data: own }]) assert.equal(parseSiteDetails(body), own);
  });

  it("refuses errors in a bare site that shows no systems: they may be why", () => {
    const own = { ...site, systems: [{ systemId: "s" }], errors: ["x"] };
    assert.equal(parseSiteDetails(own), own);
    for (const systems of [[], null, undefined])
      assert.throws(() => parseSiteDetails({ ...own, systems }), ResponseError);
  });

  it("requires objects", () => {
    const { readable, unreadable } = refuseUnreadable(parseAlerts([{}, null, { id: 1 }]));
    assert.deepEqual(readable, [{}, { id: 1 }]);
    assert.deepEqual(
      unreadable.map(({ fault }) => new ResponseError(fault).message),
      ["list[1] is not an object (it is null). Tell your provider. (Alert response)"],
    );
    rejects(
      () => refuseUnreadable(parseAlerts({ data: { alerts: [7] } })),
      "data.alerts[0] is not an object (it is a number). Tell your provider. (Alert response)",
    );
    rejects(
      () => refuseUnreadable(parseAlerts({ secretName: [[]] })),
      "list[0] is not an object (it is an array). Tell your provider. (Alert response)",
    );
  });

  it("requires alerts of at most about 64 KiB", () => {
    const large = Object.fromEntries(Array.from({ length: 8000 }, (_, field) => [`field${field}`, field]));
    const { readable, unreadable } = parseAlerts([{ id: 1, message: "x".repeat(60_000) }, large]);
    assert.equal(readable.length, 1);
    assert.deepEqual(
      unreadable.map(({ fault }) => new ResponseError(fault).message),
      ["list[1] is larger than 64 KiB. Tell your provider. (Alert response)"],
    );
  });
});

describe("sites", () => {
  it("may have an id instead of a siteId", () =>
    assert.deepEqual(parseSites([{ id: "a" }]).readable, [{ id: "a" }]));

  const read = (body: unknown): { sites: Site[]; faults: string[] } => {
    const { readable: sites, unreadable } = refuseUnreadable(parseSites(body));
    return { sites, faults: unreadable.map(({ fault }) => new ResponseError(fault).message) };
  };
  const good = { siteId: "a" };

  for (const [bad, fault] of [
    [{}, "list[1].siteId is not text (it is missing). Tell your provider."],
    [{ siteId: 7 }, "list[1].siteId is not text (it is a number). Tell your provider."],
    [{ siteId: "" }, "list[1].siteId is not text (it is empty text). Tell your provider."],
    [{ siteId: " " }, "list[1].siteId is not text (it is empty text). Tell your provider."],
    [
      { siteId: "x".repeat(256) },
      "list[1].siteId is too long for an id (255) or has invalid characters. Tell your provider.",
    ],
    [
      { siteId: "a\n\u001b[31m" },
      "list[1].siteId is too long for an id (255) or has invalid characters. Tell your provider.",
    ],
    [
      { id: "\ud800" },
      "list[1].id is too long for an id (255) or has invalid characters. Tell your provider.",
    ],
    [null, "list[1] is not an object (it is null). Tell your provider."],
  ] as const) {
    it(`spoil no other without a valid id: ${JSON.stringify(bad).slice(0, 40)}`, () => {
      assert.deepEqual(read([good, bad]), { sites: [good], faults: [`${fault} (Site list response)`] });
    });
  }

  it("may have an id of 255 characters", () => {
    const site = { siteId: "x".repeat(255) };
    assert.deepEqual(read([site]), { sites: [site], faults: [] });
  });

  it("make the whole list malformed if none has a valid id", () => {
    rejects(
      () => read([{ siteId: 7 }, {}]),
      "list[0].siteId is not text (it is a number). Tell your provider. (Site list response)",
    );
  });

  it("are described up to 100 times if they cannot be read, and the others are read all the same", () => {
    const { sites, faults } = read([...Array.from({ length: 150 }, () => ({})), good]);
    assert.deepEqual(sites, [good]);
    assert.equal(faults.length, 100);
  });

  it("spoil no system but those without a valid id", () => {
    const systems = [{ systemId: "s" }, { systemId: "x".repeat(256) }, {}, { id: 7 }];
    const { sites, faults } = read([{ siteId: "a", systems }]);
    assert.deepEqual(sites.flatMap(systemIdsOf), ["s"]);
    assert.deepEqual(faults, [
      "list[0].systems[1].systemId is too long for an id (255) or has invalid characters. Tell your provider. (Site list response)",
      "list[0].systems[2].systemId is not text (it is missing). Tell your provider. (Site list response)",
      "list[0].systems[3].id is not text (it is a number). Tell your provider. (Site list response)",
    ]);
  });

  it("are named by their place in the response", () => {
    const { faults } = read({ data: { sites: [{}, { siteId: "a", systems: [{ id: "s" }, {}] }] } });
    assert.deepEqual(
      faults.map((fault) => fault.split(" ")[0]),
      ["data.sites[0].siteId", "data.sites[1].systems[1].systemId"],
    );
  });

  it("are no sites without systems if no id of their systems can be read", () => {
    const { sites, faults } = read([{ siteId: "a", systems: [{ systemId: 7 }, {}] }]);
    assert.deepEqual(sites.map(readableSystemsOf), [[]]);
    assert.deepEqual(faults, [
      "list[0].systems[0].systemId is not text (it is a number). Tell your provider. (Site list response)",
      "list[0].systems[1].systemId is not text (it is missing). Tell your provider. (Site list response)",
    ]);
  });

  it("are no sites without systems where no list is in place of these", () => {
    const { sites, faults } = read([{ siteId: "a", systems: "s" }]);
    assert.deepEqual(sites.map(systemIdsOf), [[]]);
    assert.deepEqual(faults, [
      "list[0].systems[0] is not an object (it is text). Tell your provider. (Site list response)",
    ]);
    const single = read([{ siteId: "a", systems: { systemId: "s" } }]);
    assert.deepEqual([single.sites.map(systemIdsOf), single.faults], [[["s"]], []]);
  });

  it("may have systems none of which has an id", () =>
    assert.deepEqual(read([{ siteId: "a", systems: [{}, {}] }]).faults, []));

  it("may have systems and devices outside the site object", () => {
    const systems = [{ systemId: "s" }];
    assert.deepEqual(parseSiteDetails({ site: { siteId: "a" }, systems }), { siteId: "a", systems });
  });

  const details = { siteId: "a", systems: [] };
  for (const body of [
    details,
    { data: details },
    { site: details },
    { data: { site: details } },
    { payload: details },
    { response: { site: details } },
    { sites: [details] },
  ]) {
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

  const one = (body: unknown): object | undefined => parseRecords(body, "telemetry").readable[0]?.record;

  it("are returned unchanged", () => {
    assert.equal(one({ data: [record] }), record);
    assert.equal(parseRecords({ data: [record] }, "rgm").readable[0]?.record, record);
    assert.deepEqual(parseRecords({ data: [] }, "telemetry"), { readable: [], unreadable: [], count: 0 });
  });

  it("are read from the envelope that the interface shows, and no other", () => {
    for (const body of [[record], { records: [record] }, { data: { data: [record] } }, null])
      assert.throws(() => parseRecords(body, "telemetry"), ResponseError);
  });

  it("may have zero length", () => {
    const instant = { ...record, endTime: record.startTime };
    assert.equal(one({ data: [instant] }), instant);
  });

  it("are set apart if they have no valid times, or end before they start, and spoil no other", () => {
    const faultOf = (item: unknown): string => {
      const { readable, unreadable } = parseRecords({ data: [record, item] }, "telemetry");
      assert.deepEqual(
        readable.map((timed) => timed.record),
        [record],
      );
      return unreadable.map(({ fault }) => new ResponseError(fault).message).join();
    };
    assert.equal(
      faultOf({ ...record, startTime: "soon" }),
      "data[1].startTime is not a time (it is text). Tell your provider. (Telemetry response)",
    );
    assert.equal(
      faultOf({ ...record, endTime: undefined }),
      "data[1].endTime is not a time (it is missing). Tell your provider. (Telemetry response)",
    );
    assert.equal(
      faultOf({ ...record, endTime: "2026-01-31T23:55:00Z" }),
      "data[1].endTime is before its startTime. Tell your provider. (Telemetry response)",
    );
    assert.match(faultOf(null), /data\[1\] is not an object/);
  });
});
