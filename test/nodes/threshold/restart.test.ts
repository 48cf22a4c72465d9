// Tests for threshold across a restart: it keeps its side and the age of its value, and sets an unreadable file aside.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import sinon from "sinon";
import type { ThresholdMessage } from "../../../src/messages/messages";
import { MINUTE } from "../../../src/time-units";
import { temporaryFolder } from "../../support/temporary";
import { HIGH, startThreshold, type ThresholdNode, UNSAFE } from "../../support/threshold-node";

describe("threshold across a restart", () => {
  let clock: sinon.SinonFakeTimers;
  let node: ThresholdNode;
  let userDir: string;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
    userDir = temporaryFolder();
  });
  afterEach(async () => {
    await node.stop();
    clock.restore();
  });

  const pass = (minutes: number): Promise<number> => clock.tickAsync(minutes * MINUTE);

  async function start(properties: Record<string, unknown> = {}): Promise<void> {
    node = await startThreshold(properties, { userDir });
    await loaded();
    // By then the flow is ready, and what is due has been sent.
    await pass(0.01);
  }

  /** A message that triggers no decision is done once the stored state is loaded. */
  const loaded = (): Promise<void> => node.process({ energy: { phase: "catchup" } });

  /** Starts again after some minutes. */
  async function restart(minutes: number, properties: Record<string, unknown> = {}): Promise<void> {
    await node.stop();
    await pass(minutes);
    await start(properties);
  }

  async function stateFile(): Promise<string> {
    const folder = join(userDir, "energy-sites");
    const [file = ""] = await readdir(folder);
    return join(folder, file);
  }

  async function storedValue(): Promise<number> {
    const written = [...(await readFile(await stateFile(), "utf8")).matchAll(/"value":(\d+)/g)];
    return Number(written.at(-1)?.[1]);
  }

  /** Writing takes real time. */
  async function untilStored(value: number): Promise<void> {
    while ((await storedValue()) !== value) await setImmediate();
  }

  it("says nothing while its value is fresh, and keeps its side", async () => {
    await start();
    await node.process({ payload: 70, siteId: "a" });
    await restart(10);
    assert.equal(node.statuses().at(-1), "high, waiting for 20");
    await node.process({ payload: 75, siteId: "a" }, { payload: 40, siteId: "a" });
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await node.process({ payload: 10, siteId: "a" });
    assert.deepEqual(node.counts(), [0, 1, 0]);
  });

  it("decides without its state if that cannot be read, and says so", async () => {
    await start();
    await node.process({ payload: 70 });
    await node.stop();
    const file = await stateFile();
    await rm(file);
    await mkdir(file);
    await start();
    assert.equal((await node.caught()).energy.error.code, "ENERGY_STORE");
    node.input({ payload: 70 });
    assert.equal((await node.output(HIGH)).payload, 70);
    // Nor can it be saved.
    assert.equal((await node.caught()).energy.error.code, "ENERGY_STORE");
  });

  it("remembers the age of its value", async () => {
    await start();
    await node.process({ payload: 70 });
    await restart(10);
    await pass(4.9);
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await pass(0.2);
    assert.deepEqual(node.counts(), [0, 0, 1]);
  });

  it("reports a value that has become too old once the flow has started, and brings back the true edge", async () => {
    await start();
    await node.process({ payload: 70, topic: "a", siteId: "a" });
    await restart(60);
    const { _msgid, ...sent } = await node.output<ThresholdMessage & { _msgid: string }>(UNSAFE);
    assert.deepEqual(sent, {
      payload: null,
      topic: "a",
      siteId: "a",
      energy: { kind: "threshold", reason: "stale", value: 70 },
    });
    assert.equal(node.statuses().at(-1), "stale: 60 min");
    await node.process({ payload: 71, siteId: "a" });
    assert.deepEqual(node.counts(), [1, 0, 1]);
  });

  it("does not report an unsafe value again, and brings back the true edge", async () => {
    await start({ max: 100 });
    await node.process({ payload: 70 }, { payload: 255 });
    await restart(60);
    await node.process({ payload: null });
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await node.process({ payload: 70 });
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("remembers after a crash when its last value came, to the minute", async () => {
    await start();
    await node.process({ payload: 70 });
    await pass(0.5);
    await node.process({ payload: 71 });
    await pass(0.5);
    await untilStored(71);
    await node.process({ payload: 72 });
    await pass(0.9);
    const file = await stateFile();
    const crashed = await readFile(file);
    await node.stop();
    await writeFile(file, crashed);
    await start();
    await pass(13.5);
    assert.deepEqual(node.counts(), [0, 0, 0]);
    await pass(0.2);
    assert.deepEqual(node.counts(), [0, 0, 1]);
  });

  it("repeats no edge after a crash just after its last value, which is still fresh", async () => {
    await start({ maxAge: 6 });
    await node.process({ payload: 70 });
    await pass(5);
    await node.process({ payload: 71 });
    await untilStored(71);
    const file = await stateFile();
    const crashed = await readFile(file);
    await node.stop();
    await writeFile(file, crashed);
    await pass(2);
    await start({ maxAge: 6 });
    await pass(2);
    await node.process({ payload: 72 });
    assert.deepEqual(node.counts(), [0, 0, 0]);
  });

  it("writes its file at a decision, otherwise once a minute at most, and on close", async () => {
    await start();
    await node.process({ payload: 70 });
    assert.equal(await storedValue(), 70);
    await node.process({ payload: 71 });
    await pass(0.9);
    await node.process({ payload: 72 });
    assert.equal(await storedValue(), 70);
    await pass(0.2);
    await untilStored(72);
    await node.process({ payload: 73 });
    assert.equal(await storedValue(), 72);
    await node.process({ payload: 10 });
    assert.equal(await storedValue(), 10);
    await node.process({ payload: 11 });
    await node.stop();
    assert.equal(await storedValue(), 11);
    await start();
  });

  it("starts over when its property changes", async () => {
    await start();
    await node.process({ payload: 70 });
    await node.redeploy({ property: "other" });
    await node.process({ other: 70 });
    assert.deepEqual(node.counts(), [2, 0, 0]);
  });

  it("starts over if its file is damaged, and keeps the file", async () => {
    await start();
    await node.process({ payload: 70 });
    const file = await stateFile();
    assert.match(await readFile(file, "utf8"), /"side":"high"/);
    await node.redeploy({ high: 61 });
    await loaded();
    await writeFile(file, '{"state":[7]}');
    await node.redeploy({ high: 60 });
    await node.process({ payload: 70 });
    assert.deepEqual(node.counts(), [2, 0, 0]);
    assert.equal((await readdir(join(userDir, "energy-sites"))).length, 2);
  });

  describe("with settings that are not valid", () => {
    it("is unsafe for each site that was not, also for one that comes later, and only once", async () => {
      await start({ max: 100 });
      await node.process({ payload: 70, siteId: "a" }, { payload: 255, siteId: "b" });
      await restart(1, { low: 61 });
      assert.equal((await node.caught()).energy.error.code, "ENERGY_CONFIG");
      assert.deepEqual(
        node.sentTo(UNSAFE).map(({ siteId, payload, energy }) => [siteId, payload, energy.reason]),
        [["a", null, "failed"]],
      );
      for (const siteId of ["a", "b", "c", "c"]) {
        node.input({ payload: 70, siteId });
        assert.equal((await node.caught()).energy.error.code, "ENERGY_CONFIG");
      }
      assert.deepEqual(
        node.sentTo(UNSAFE).map(({ siteId }) => siteId),
        ["a", "c"],
      );
      await restart(1);
      for (const siteId of ["a", "b", "c"]) await node.process({ payload: 70, siteId });
      assert.deepEqual(node.counts(), [3, 0, 0]);
    });

    it("is unsafe without a site if it knows none", async () => {
      await start({ min: 2, max: 1 });
      const { _msgid, ...sent } = await node.output<ThresholdMessage & { _msgid: string }>(UNSAFE);
      assert.deepEqual(sent, { payload: null, energy: { kind: "threshold", reason: "failed", value: null } });
      node.input({ payload: 70, siteId: "a" });
      await node.caught();
      assert.deepEqual(node.counts(), [0, 0, 1]);
    });
  });
});
