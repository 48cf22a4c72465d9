// Tests for threshold on a machine that sleeps, or whose clock is set: nothing is repeated on what may have run out.
import assert from "node:assert/strict";
import sinon from "sinon";
import { sharedClock, type TimeSource } from "../../../src/clock";
import { HOUR, MINUTE } from "../../../src/time-units";
import { temporaryFolder } from "../../support/temporary";
import { SOC, socRecord, startThreshold, type ThresholdNode, UNSAFE } from "../../support/threshold-node";

const PROPERTIES = { ...SOC, repeat: 5, maxAge: 60 };

describe("threshold on a machine that sleeps", () => {
  let clock: sinon.SinonFakeTimers;
  let node: ThresholdNode;
  let source: TimeSource | undefined;
  let userDir: string;

  beforeEach(() => {
    clock = sinon.useFakeTimers({
      toFake: ["Date", "performance", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    });
    userDir = temporaryFolder();
  });
  afterEach(async () => {
    source?.close();
    source = undefined;
    await node.stop();
    clock.restore();
    sharedClock.now();
  });

  const start = async (properties: object = {}): Promise<void> => {
    node = await startThreshold({ ...PROPERTIES, ...properties }, { userDir });
    // Triggers no decision, and is done once the stored state is loaded.
    await node.process({ energy: { phase: "catchup" } });
    await clock.tickAsync(1000);
  };
  /** A response that agrees with the local clock. */
  const confirm = (): void => source?.observe([Date.now()], sharedClock.monotonic());
  const openAccount = (): void => {
    source = sharedClock.open();
  };
  /** The monotonic clock stands still, and runs on for some minutes. */
  const sleep = async (ms: number, minutes = 0.1): Promise<void> => {
    clock.setSystemTime(Date.now() + ms);
    await clock.tickAsync(minutes * MINUTE);
  };
  const reasons = (): unknown[] =>
    node.sentTo(UNSAFE).map(({ energy }) => "reason" in energy && energy.reason);

  for (const [name, step, shown] of [
    ["after a sleep of 9 h", 9 * HOUR, "stale: 542 min"],
    [
      "after a sleep that is shorter than its value is valid",
      10 * MINUTE,
      "time not confirmed: nothing is fresh",
    ],
    ["after the clock was set back", -2 * HOUR, "time not confirmed: nothing is fresh"],
  ] as const) {
    it(`without an account, is unsafe at once ${name}, and decides on what comes after`, async () => {
      await start();
      await node.process(socRecord(70));
      await sleep(step);
      assert.deepEqual([node.counts(), reasons()], [[1, 0, 1], ["stale"]]);
      await node.process({ energy: { kind: "latest-value", reason: "failed" }, siteId: "demo-house" });
      assert.equal(node.statuses().at(-1), shown);
      await clock.tickAsync(20 * MINUTE);
      assert.deepEqual(node.counts(), [1, 0, 1]);
      await node.process(socRecord(71));
      assert.deepEqual(node.counts(), [2, 0, 1]);
    });
  }

  it("does not bring back by a deploy what was known before a sleep", async () => {
    await start();
    await node.process(socRecord(70));
    await sleep(10 * MINUTE);
    await node.redeploy();
    await node.process({ energy: { phase: "catchup" } });
    await clock.tickAsync(1000);
    await node.process({ energy: { phase: "catchup" } });
    assert.deepEqual([node.counts(), reasons()], [[1, 0, 1], ["stale"]]);
  });

  it("with an account, is unsafe once the value may have run out, and repeats nothing", async () => {
    openAccount();
    confirm();
    await start();
    await node.process(socRecord(70));
    await sleep(9 * HOUR);
    assert.deepEqual([node.counts(), reasons()], [[1, 0, 1], ["stale"]]);
    confirm();
    await node.process(socRecord(71));
    await clock.tickAsync(5 * MINUTE);
    assert.deepEqual(node.counts(), [3, 0, 1]);
  });

  it("with an account, is unsafe by a value without times from before a sleep, however soon the time is confirmed", async () => {
    openAccount();
    confirm();
    await start({ property: "payload" });
    await node.process({ payload: 70 });
    await clock.tickAsync(1000);
    clock.setSystemTime(Date.now() + 9 * HOUR);
    confirm();
    await clock.tickAsync(6000);
    assert.deepEqual([node.counts(), reasons()], [[1, 0, 1], ["stale"]]);
    await node.process({ payload: 70 });
    await clock.tickAsync(5 * MINUTE);
    assert.deepEqual(node.counts(), [3, 0, 1]);
  });

  it("with an account, repeats nothing after a short sleep until a response confirms the time", async () => {
    openAccount();
    confirm();
    await start();
    await node.process(socRecord(70));
    await sleep(10 * MINUTE, 20);
    assert.deepEqual(node.counts(), [1, 0, 0]);
    confirm();
    // The clock is looked at every five seconds.
    await clock.tickAsync(5000);
    assert.deepEqual(node.counts(), [2, 0, 0]);
  });

  it("goes on repeating a value of any age once a response has confirmed the time", async () => {
    openAccount();
    confirm();
    await start({ maxAge: 0 });
    await node.process(socRecord(70));
    await sleep(10 * MINUTE, 20);
    confirm();
    await clock.tickAsync(5 * MINUTE);
    assert.deepEqual(node.counts(), [2, 0, 0]);
  });

  it("repeats nothing after a start with the clock of yesterday until it is set, and is unsafe then", async () => {
    openAccount();
    confirm();
    await start();
    await node.process(socRecord(70));
    await node.stop();
    source?.close();
    clock.setSystemTime(Date.now() - 2 * MINUTE);
    openAccount();
    await start();
    await clock.tickAsync(30 * MINUTE);
    assert.equal(node.counts()[0], 0);
    await sleep(9 * HOUR);
    confirm();
    await clock.tickAsync(10 * MINUTE);
    assert.deepEqual([node.counts(), reasons()], [[0, 0, 1], ["stale"]]);
  });
});
