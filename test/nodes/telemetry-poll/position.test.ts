// Tests for the position of telemetry poll: it survives restarts, damaged files and a read-only disk.
import assert from "node:assert/strict";
import { readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOUR, MINUTE } from "../../../src/time-units";
import { logsIn, storedLines } from "../../support/stored-states";
import { endsOf, expectedEnds, NOW, Polling } from "../../support/polling";

describe("telemetry poll: position", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
  });
  afterEach(() => polling.close());

  it("continues from its position after a restart", async () => {
    await polling.start();
    await polling.poll();
    const before = endsOf(polling.sent());
    polling.clock.setSystemTime(NOW + 10 * MINUTE);
    await polling.restart();
    await polling.poll();
    assert.deepEqual(
      [...before, ...endsOf(polling.sent())],
      expectedEnds(NOW - 5 * MINUTE, NOW + 10 * MINUTE),
    );
  });

  it("sets a damaged ledger aside, warns, and starts over", async () => {
    await polling.start();
    await polling.poll();
    const folder = join(polling.userDir, "energy-sites");
    const [file = ""] = logsIn(polling.userDir);
    await writeFile(file, '{"version":1,"state":{"cur');
    await polling.restart();
    await polling.poll();
    assert.equal(polling.sent().length, 1);
    const files = await readdir(folder);
    assert.equal(files.filter((name) => name.includes("damaged")).length, 1);
    assert.match(polling.node.logged() ?? "", /is damaged/);
  });

  it("starts a new ledger when the site changes, and restores the old one later", async () => {
    await polling.start();
    await polling.poll();
    await polling.restart({ siteId: "demo-farm" });
    await polling.poll();
    polling.clock.setSystemTime(NOW + 10 * MINUTE);
    await polling.restart();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
  });

  it("writes a human-readable ledger that contains no secret", async () => {
    await polling.start();
    await polling.poll();
    const [path = ""] = logsIn(polling.userDir);
    const lines = storedLines(polling.userDir).filter(({ id }) => id === "demo-house/demo-house-1/telemetry");
    assert.deepEqual(
      lines.map(({ owner, state }) => [owner["version"], (state as { cursor: string }).cursor]),
      [[1, polling.sent()[0]?.payload.endTime]],
    );
    assert.doesNotMatch(await readFile(path, "utf8"), /s3cret-4d7f/);
  });

  it("continues from memory if the user directory is not writable, and reports it each time", async () => {
    await writeFile(join(polling.userDir, "energy-sites"), "a file where the folder should be");
    await polling.start();
    for (const [minutes, count] of [
      [0, 1],
      [5, 2],
    ] as const) {
      polling.clock.setSystemTime(NOW + minutes * MINUTE);
      polling.node.input({});
      const { energy } = await polling.node.caught();
      assert.equal(energy.error.code, "ENERGY_STORE");
      assert.equal(polling.sent().length, count);
    }
    polling.node.input({});
    assert.equal((await polling.node.caught()).energy.error.code, "ENERGY_STORE");
    await unlink(join(polling.userDir, "energy-sites"));
    await polling.poll();
    await polling.restart();
    await polling.poll();
    assert.equal(polling.sent().length, 0, "the failed save must be repeated later, even if nothing is new");
  });

  it("reports a store that cannot be written once for all systems, and goes on with all", async () => {
    await writeFile(join(polling.userDir, "energy-sites"), "a file where the folder should be");
    await polling.start({ siteId: "demo-twin", systemId: "*" });
    polling.node.input({});
    const { systemId, energy } = await polling.node.caught<{ systemId?: string }>();
    assert.deepEqual([systemId, energy.error.code], [undefined, "ENERGY_STORE"]);
    assert.equal(polling.node.caughtSoFar().length, 1);
    assert.equal(polling.sent().length, 2);
    await unlink(join(polling.userDir, "energy-sites"));
    await polling.poll();
    await polling.restart({ siteId: "demo-twin", systemId: "*" });
    await polling.poll();
    assert.equal(polling.sent().length, 0);
  });

  it("stores its position in a named context store, even without configuration, and rejects an unknown one", async () => {
    for (const store of ["context:memory", "context:default"]) {
      await polling.start({ store });
      await polling.poll();
      await polling.poll();
      assert.equal(polling.sent().length, 1);
      await polling.node.stop();
    }
    await polling.start({ store: "context:nowhere" });
    polling.node.input({});
    const { error, energy } = await polling.node.caught();
    assert.equal(energy.error.code, "ENERGY_CONFIG");
    assert.match(error.message, /nowhere/);
  });

  it("does not count records as delivered if it was closed while sending them", async () => {
    await polling.start();
    const hold = polling.service.hold(/telemetry/);
    polling.node.input({});
    await hold.arrived(1);
    await polling.restart();
    hold.release();
    await polling.poll();
    assert.equal(polling.sent().length, 1);
  });

  it("sends records again that were being sent when it was closed", async () => {
    await polling.start({ startFrom: "hours", startHours: 1 });
    polling.node.input({});
    await polling.node.output();
    await polling.restart();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW - HOUR, NOW));
  });

  it("sends nothing once it is closed, although the site list is slow", async () => {
    await polling.start({ startFrom: "hours", startHours: 1 });
    const hold = polling.service.hold(/\/v1\/sites$/);
    polling.node.input({});
    await hold.arrived();
    await polling.node.redeploy();
    hold.release();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW - HOUR, NOW));
  });
});
