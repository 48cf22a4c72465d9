// Tests for record messages: what msg.energy says about each record, and copies of records that may be resent.
import assert from "node:assert/strict";
import { DueRecord } from "../../src/ledger/due-records";
import { seriesId } from "../../src/series/identity";
import { MINUTE } from "../../src/time-units";
import { readTimes } from "../../src/models/telemetry";
import { batchContent, recordContent } from "../../src/messages/record-message";
import { energyOf, recordsIn } from "../../src/messages/reader";

const ADDRESS = { siteId: "home", systemId: "a" };
const TELEMETRY = {
  series: ADDRESS,
  id: seriesId(ADDRESS, "telemetry"),
  shared: { kind: "telemetry", siteName: "Home" },
  basisOf: () => ({ grid: "ac" }) as const,
  validFor: () => 15 * MINUTE,
  clock: { now: () => Date.parse("2026-06-10T10:25:00Z"), monotonic: () => 0, isSure: true },
} as const;

function due(minute: number, phase: "live" | "late"): DueRecord {
  const time = (offset: number): string => `2026-06-10T10:${String(minute + offset).padStart(2, "0")}:00Z`;
  const timed = readTimes({ startTime: time(0), endTime: time(5), grid: { power: minute } });
  assert.ok(timed);
  return new DueRecord(timed, phase, time(5));
}

const FIRST = due(0, "late");
const SECOND = due(5, "live");

describe("a message with one record", () => {
  it("identifies the source of the record, and can be read back unchanged", () => {
    const content = recordContent(TELEMETRY, SECOND, "d");
    assert.deepEqual(content.energy, {
      kind: "telemetry",
      siteName: "Home",
      phase: "live",
      recordId: "home/a/telemetry/2026-06-10T10:05:00.000Z",
      startTime: "2026-06-10T10:05:00Z",
      endTime: "2026-06-10T10:10:00Z",
      validUntil: "2026-06-10T10:25:00.000Z",
      cursor: "2026-06-10T10:10:00Z",
      basis: { grid: "ac" },
      delivery: "d",
    });
    const [record] = [...recordsIn(content, [])];
    assert.deepEqual(
      [record?.record, record?.start, record?.end, record?.isLive, record?.basis],
      [SECOND.record, SECOND.start, SECOND.end, true, { grid: "ac" }],
    );
    assert.equal(energyOf(content)["delivery"], "d");
  });

  it("says when it is sent whether the record is still valid", () => {
    for (const change of [{ now: () => TELEMETRY.clock.now() + 1 }, { isSure: false }]) {
      const clock = { ...TELEMETRY.clock, ...change };
      const phases = [SECOND, FIRST].map((record) => {
        const { energy } = recordContent({ ...TELEMETRY, clock }, record);
        return "phase" in energy && energy.phase;
      });
      assert.deepEqual(phases, ["catchup", "late"]);
    }
  });

  it("contains a copy only if the record may be resent", () => {
    assert.equal(recordContent(TELEMETRY, FIRST).payload, FIRST.record);
    const { payload } = recordContent(TELEMETRY, FIRST, "d");
    assert.notEqual(payload, FIRST.record);
    assert.deepEqual(payload, FIRST.record);
  });

  it("has no basis if the generation is unknown", () => {
    const { energy } = recordContent({ ...TELEMETRY, basisOf: () => undefined }, FIRST);
    assert.equal("basis" in energy, false);
  });
});

describe("a message with several records", () => {
  const METER = { ...TELEMETRY, id: seriesId(ADDRESS, "rgm"), shared: { kind: "rgm" } } as const;

  it("describes each record in order, and can be read back unchanged", () => {
    const content = batchContent(METER, [FIRST, SECOND]);
    const { kind, hasRgm, cursor } = content.energy as unknown as Record<string, unknown>;
    assert.deepEqual([kind, hasRgm, cursor], ["rgm", true, SECOND.cursor]);
    const read = [...recordsIn(content, [])];
    assert.deepEqual(
      read.map(({ end, isLive, energy }) => [end, isLive, energy["recordId"]]),
      [
        [FIRST.end, false, "home/a/rgm/2026-06-10T10:00:00.000Z"],
        [SECOND.end, true, "home/a/rgm/2026-06-10T10:05:00.000Z"],
      ],
    );
  });

  it("does not say without a record that there is a meter", () => {
    assert.equal("hasRgm" in batchContent(METER, []).energy, false);
    assert.equal(recordContent(METER, FIRST).energy.hasRgm, true);
  });
});
