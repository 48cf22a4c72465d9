// Tests for the messages of a record: one as JSON or one for each number, under the topic of its system, and never null.
import assert from "node:assert/strict";
import { type IncomingRecord, recordPublications } from "../../src/mqtt/publications";
import { PUBLISH_RULE } from "../support/publish-rule";

const TIMES = { startTime: "2026-06-10T10:00:00Z", endTime: "2026-06-10T10:05:00Z" };

const incoming = (groups: object, rest: Partial<IncomingRecord> = {}): IncomingRecord => ({
  address: { siteId: "home", systemId: "a" },
  record: { ...TIMES, ...groups },
  start: Date.parse(TIMES.startTime),
  end: Date.parse(TIMES.endTime),
  isLive: true,
  basis: {},
  validUntil: undefined,
  energy: {},
  ...rest,
});

describe("messages of a record", () => {
  const values = { ...PUBLISH_RULE, layout: "values" } as const;
  const pairs = (groups: object): string[][] =>
    recordPublications(values, incoming(groups)).map(({ topic, payload }) => [topic, payload]);

  it("contain the whole record in layout json, live or backlog", () => {
    const record = incoming({ grid: { power: 1 }, novelty: { deep: [1] } });
    const payload = JSON.stringify(record.record);
    assert.deepEqual(recordPublications(PUBLISH_RULE, record), [
      { topic: "energy/home/a/live", payload, retain: false, energy: {} },
    ]);
    assert.deepEqual(recordPublications({ ...PUBLISH_RULE, retain: true }, { ...record, isLive: false }), [
      { topic: "energy/home/a/backlog", payload, retain: true, energy: {} },
    ]);
  });

  it("contain one number each in layout values, with group and field as topic levels", () => {
    assert.deepEqual(
      pairs({ grid: { power: -0.25, energy: 0, connectivityStatus: "ON" }, "a/b": { "c+": 3 } }),
      [
        ["energy/home/a/live/grid/power", "-0.25"],
        ["energy/home/a/live/grid/energy", "0"],
        ["energy/home/a/live/a%2Fb/c%2B", "3"],
      ],
    );
  });

  it("contain the end of a record without numbers, so that there is a message to confirm", () => {
    const nothing = {
      grid: { power: null, energy: Number.NaN, list: [1], "": 5 },
      solar: null,
      "\ud800": { a: 1 },
    };
    assert.deepEqual(pairs(nothing), [["energy/home/a/live/endTime", TIMES.endTime]]);
  });

  it("use the topic level `site` if the record belongs to no system", () => {
    const [only] = recordPublications(PUBLISH_RULE, incoming({}, { address: { siteId: "home" } }));
    assert.equal(only?.topic, "energy/home/site/live");
  });
});
