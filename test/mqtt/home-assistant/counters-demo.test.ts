// Tests the counter guard on the simulated service, whose counters are true: nothing of an uninterrupted day is held back.
import assert from "node:assert/strict";
import { type Counters, checkCounters } from "../../../src/mqtt/home-assistant/counters";
import { readTimes } from "../../../src/models/telemetry";
import { type DemoRecord, demoRecords } from "../../demo/reader";

const DAY = { startTime: "2026-06-10T00:00:00Z", endTime: "2026-06-11T00:00:00Z" };
const SYSTEMS = [
  ["demo-house", "demo-house-1"],
  ["demo-farm", "demo-farm-1"],
  ["demo-cabin", "demo-cabin-1"],
  ["demo-balcony", "demo-balcony-1"],
] as const;

describe("counter guard with the simulated service", () => {
  for (const [siteId, systemId] of SYSTEMS) {
    const readDay = (): Promise<DemoRecord[]> =>
      demoRecords(siteId, { ...DAY, systemId }, Date.parse(DAY.endTime));

    it(`holds back nothing of a day of ${systemId}`, async () => {
      const held = suppressedIn(await readDay());
      assert.equal(held.length, 288);
      assert.ok(held.every((count) => count === 0));
    });

    it(`holds back no more than two records behind a gap of hours of ${systemId}`, async () => {
      // Three hours of records, then three hours without.
      const held = suppressedIn((await readDay()).filter((_record, index) => index % 72 < 36));
      assert.equal(held.length, 144);
      held.forEach((count, index) => assert.ok(count === 0 || index % 36 < 2, `record ${index}: ${count}`));
    });
  }
});

/** How many counters of each record are held back. */
function suppressedIn(records: DemoRecord[]): number[] {
  let counters: Counters = {};
  return records.map((record) => {
    const timed = readTimes(record);
    assert.ok(timed);
    const checked = checkCounters(counters, timed);
    counters = checked.counters;
    assert.ok(Object.keys(counters).length > 0);
    return checked.suppressed.size;
  });
}
