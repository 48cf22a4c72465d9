// Tests what a healthy poll costs: one request, and one short line in one file for new records.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { Polling } from "../../support/polling";
import { logsIn, storedLines } from "../../support/stored-states";

/** Of what is written for a system in a run, in bytes. */
const MAX_WRITE = 300;

describe("a healthy poll", () => {
  let polling: Polling;
  beforeEach(async () => {
    const defaults = { siteId: "demo-house", startFrom: "hours", startHours: 24 };
    polling = await Polling.open("energy-telemetry-poll", defaults, { holdsTimers: true });
  });
  afterEach(() => polling.close());

  const size = (): number => logsIn(polling.userDir).reduce((sum, path) => sum + statSync(path).size, 0);
  /** The cost of what is done: requests, and the systems whose state was written, one for each write. */
  const costOf = async (
    run: () => Promise<void>,
  ): Promise<{ requests: number; written: unknown[]; bytes: number }> => {
    const before = {
      requests: polling.service.requests.length,
      lines: storedLines(polling.userDir).length,
      bytes: size(),
    };
    await run();
    const lines = storedLines(polling.userDir).slice(before.lines);
    return {
      requests: polling.service.requests.length - before.requests,
      written: lines.map(({ id }) => id),
      bytes: size() - before.bytes,
    };
  };

  for (const [name, properties] of [
    ["one message per record", {}],
    ["one message per run", { output: "batch" }],
    ["re-reading an hour for corrections", { lookBack: 60 }],
  ] as const) {
    it(`makes one request and writes one short line when there are new records: ${name}`, async () => {
      await polling.start(properties);
      await polling.poll();
      // One new record, and then three of them at once.
      for (const minutes of [5, 20]) {
        polling.at(minutes);
        const { bytes, ...cost } = await costOf(() => polling.poll());
        assert.deepEqual(cost, { requests: 1, written: ["demo-house/demo-house-1/telemetry"] });
        assert.equal(logsIn(polling.userDir).length, 1);
        assert.ok(bytes < MAX_WRITE, `${bytes} bytes`);
      }
    });

    it(`makes one request and writes nothing when nothing is new: ${name}`, async () => {
      await polling.start(properties);
      await polling.poll();
      for (const minutes of [1, 2]) {
        polling.at(minutes);
        assert.deepEqual(await costOf(() => polling.poll()), { requests: 1, written: [], bytes: 0 });
      }
    });
  }

  it("makes one request and one write for each system", async () => {
    await polling.start({ siteId: "demo-twin", systemId: "*" });
    await polling.poll();
    polling.at(5);
    const { written } = await costOf(() => polling.poll());
    assert.deepEqual(written.toSorted(), [
      "demo-twin/demo-twin-a/telemetry",
      "demo-twin/demo-twin-b/telemetry",
    ]);
    assert.equal(polling.queries().length, 4);
  });

  it("costs the same on a schedule", async () => {
    await polling.start({ repeat: 5 });
    await polling.poll();
    const { bytes, ...cost } = await costOf(async () => {
      const before = size();
      // To the full five minutes; the run starts a few seconds later.
      await polling.advance(3 * 60);
      await polling.advance(20);
      // Writing takes real time.
      while (size() === before) await setImmediate();
    });
    assert.deepEqual(cost, { requests: 1, written: ["demo-house/demo-house-1/telemetry"] });
    assert.ok(bytes < MAX_WRITE, `${bytes} bytes`);
  });
});
