// Tests that an automation acts on what a poll or latest value reads: no false edge while records come, and silence in time.
import assert from "node:assert/strict";
import { HOUR, MINUTE } from "../../../src/time-units";
import { NOW, Polling } from "../../support/polling";

const THRESHOLD = {
  id: "threshold",
  type: "energy-threshold",
  z: "tab",
  name: "",
  propertyType: "msg",
  high: 60,
  low: 20,
  hold: 0,
  maxAge: "",
  repeat: 0,
  min: "",
  max: "",
  wires: [["out-1"], ["out-2"], ["out-3"]],
};
const POLL = { type: "energy-telemetry-poll", property: "payload.storage.stateOfCharge" };
const VALUE = { type: "energy-latest-value", property: "payload" };

interface World {
  length: number;
  /** Minutes from the end of a record until it can be read. */
  lag: (end: number) => number;
  value?: (end: number) => number | null;
}

describe("an automation", () => {
  let polling: Polling;
  let silence: { from: number; to: number };

  const start = async (
    { type, property }: typeof POLL,
    repeat: number,
    { length, lag, value = () => 80 }: World,
  ): Promise<void> => {
    const properties = { siteId: "demo-house", path: "storage.stateOfCharge", onDeploy: true, repeat };
    polling = await Polling.open(type, properties, { holdsTimers: true });
    silence = { from: Number.POSITIVE_INFINITY, to: 0 };
    polling.service.hideRecords((_siteId, _systemId, { endTime }) => {
      const end = Date.parse(endTime);
      const isSilent = end > silence.from && end <= silence.to;
      return end % (length * MINUTE) !== 0 || end + lag(end) * MINUTE > Date.now() || isSilent;
    });
    polling.service.changeRecords((_siteId, _systemId, record) => {
      const end = Date.parse(record.endTime);
      const startTime = new Date(end - length * MINUTE).toISOString();
      return { ...record, startTime, storage: { stateOfCharge: value(end) } };
    });
    const wires = [[THRESHOLD.id], [THRESHOLD.id]];
    await polling.start({ wires }, [{ ...THRESHOLD, property }]);
  };
  const pass = async (minutes: number): Promise<void> => {
    for (let passed = 0; passed < minutes; passed += 1) await polling.advance(60);
  };
  /** Messages on high, low and unsafe. */
  const counts = (): number[] => [1, 2, 3].map((port) => polling.sent(port).length);

  afterEach(() => polling.close());

  for (const [name, node] of [
    ["telemetry poll", POLL],
    ["latest value", VALUE],
  ] as const) {
    for (const [what, repeat, world] of [
      [
        "records readable 6 to 9 minutes after their end",
        5,
        { length: 5, lag: (end) => 6 + ((end / MINUTE) % 4) },
      ],
      [
        "null every other time",
        5,
        { length: 5, lag: () => 1, value: (end) => ((end / MINUTE / 5) % 2 === 0 ? 80 : null) },
      ],
    ] as const satisfies readonly (readonly [string, number, World])[])
      it(`switches once, by ${name}: ${what}`, async () => {
        await start(node, repeat, world);
        await pass(60);
        assert.deepEqual(counts(), [1, 0, 0]);
      });

    it(`is notified of silence when the last value is no longer valid, and of its end, by ${name}`, async () => {
      await start(node, 5, { length: 5, lag: () => 1 });
      await pass(30);
      silence = { from: Date.now(), to: Number.POSITIVE_INFINITY };
      await pass(8);
      assert.deepEqual(counts(), [1, 0, 0]);
      await pass(14);
      assert.deepEqual(counts(), [1, 0, 1]);
      await pass(8);
      silence.to = NOW + HOUR;
      await pass(30);
      assert.deepEqual(counts(), [2, 0, 1]);
    });
  }
});
