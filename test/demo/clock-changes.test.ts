// Tests for DST changes in the time zones of the demo sites: no record is missing, repeated or shifted.
import assert from "node:assert/strict";
import { startStrictService, type StrictService } from "../support/demo-service";
import { Reader, type DemoRecord } from "./reader";

const NOW = Date.parse("2026-11-01T00:00:00Z");

/** The local midnights before and after each change, with their offsets. */
const CHANGES = [
  { siteId: "demo-house", from: "2025-03-30T00:00:00+01:00", to: "2025-03-31T00:00:00+02:00", hours: 23 },
  { siteId: "demo-house", from: "2025-10-26T00:00:00+02:00", to: "2025-10-27T00:00:00+01:00", hours: 25 },
  { siteId: "demo-farm", from: "2025-03-09T00:00:00-07:00", to: "2025-03-10T00:00:00-06:00", hours: 23 },
  { siteId: "demo-farm", from: "2025-11-02T00:00:00-06:00", to: "2025-11-03T00:00:00-07:00", hours: 25 },
  { siteId: "demo-cabin", from: "2025-04-06T00:00:00+11:00", to: "2025-04-07T00:00:00+10:30", hours: 24.5 },
  { siteId: "demo-cabin", from: "2025-10-05T00:00:00+10:30", to: "2025-10-06T00:00:00+11:00", hours: 23.5 },
  { siteId: "demo-balcony", from: "2025-03-30T00:00:00+00:00", to: "2025-03-31T00:00:00+01:00", hours: 23 },
];

describe("demo service: clock changes", () => {
  let service: StrictService;
  let reader: Reader;

  before(async () => {
    service = await startStrictService({ now: () => NOW });
    reader = await Reader.of(service);
  });
  after(() => service.close());

  /** Uses two requests, because a day of 25 hours is longer than one request allows. */
  async function between(siteId: string, from: string, to: string): Promise<DemoRecord[]> {
    const middle = new Date(Date.parse(from) + 12 * 3_600_000).toISOString();
    return [
      ...(await reader.telemetry(siteId, { startTime: from, endTime: middle })),
      ...(await reader.telemetry(siteId, { startTime: middle, endTime: to })),
    ];
  }

  for (const { siteId, from, to, hours } of CHANGES) {
    it(`${siteId}: has all ${hours} hours of ${from.slice(0, 10)}, each once`, async () => {
      const records = await between(siteId, from, to);
      assert.equal(records.length, hours * 12);
      assert.equal(Date.parse(records[0]?.startTime ?? ""), Date.parse(from));
      assert.equal(Date.parse(records.at(-1)?.endTime ?? ""), Date.parse(to));
      for (const [index, record] of records.entries()) {
        const before = records[index - 1];
        if (!before) continue;
        assert.equal(record.startTime, before.endTime);
        assert.equal(
          record.consumption.lifetimeEnergy - before.consumption.lifetimeEnergy,
          record.consumption.energy,
        );
      }
    });
  }
});
