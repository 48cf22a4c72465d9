// Tests for confirmed delivery: a record counts as delivered only once it is confirmed; silence counts as failure.
import assert from "node:assert/strict";
import helper from "node-red-node-test-helper";
import { HOUR, MINUTE } from "../../../src/time-units";
import {
  deliveryOf,
  endsOf,
  expectedEnds,
  NOW,
  Polling,
  type SentRecord,
  times,
} from "../../support/polling";
import { NODE } from "../../support/diagnostics";

/** Seconds. */
const TIMEOUT = 60;

describe("confirmed delivery", () => {
  let polling: Polling;

  beforeEach(async () => {
    const defaults = {
      siteId: "demo-house",
      startFrom: "hours",
      startHours: 0.5,
      delivery: "confirmed",
      confirmTimeout: TIMEOUT,
    };
    polling = await Polling.open("energy-telemetry-poll", defaults, { holdsTimers: true });
  });
  afterEach(() => polling.close());

  const next = (): Promise<SentRecord> => polling.node.output<SentRecord>();

  it("gives every message on output 1 a unique id, and messages on output 2 none", async () => {
    await polling.start();
    await polling.poll();
    const ids = polling.sent().map(deliveryOf);
    assert.equal(ids.length, 6);
    assert.equal(new Set(ids).size, 6);
    assert.ok(ids.every((id) => id !== ""));
    assert.equal(polling.sent(2)[0]?.energy.delivery, undefined);
  });

  it("is not triggered by messages of mqtt readings that confirm nothing", async () => {
    await polling.start();
    await polling.poll();
    const requests = polling.service.requests.length;
    polling.node.input({ payload: "online", energy: { kind: "mqtt" } });
    await polling.node.completed();
    assert.equal(polling.service.requests.length, requests);
    assert.doesNotMatch(polling.node.statuses().at(-1) ?? "", /unknown/);
  });

  it("says that nothing confirms when only what was made of its records comes back", async () => {
    await polling.start();
    await polling.poll();
    const requests = polling.service.requests.length;
    for (const { energy, ...message } of polling.sent()) {
      const { delivery: _delivery, ...rest } = energy;
      polling.node.input({ ...message, energy: rest });
      await polling.node.completed();
    }
    assert.equal(polling.service.requests.length, requests);
    await polling.advance(TIMEOUT);
    assert.equal(polling.node.statuses().at(-1), "6 sent, none confirmed");
    polling.at(5);
    await polling.poll();
    await polling.advance(1);
    assert.equal(polling.node.statuses().at(-1), "7 sent, none confirmed");
    await polling.confirm(...polling.sent());
    polling.at(10);
    await polling.poll();
    await polling.advance(1);
    assert.match(polling.node.statuses().at(-1) ?? "", /1 record$/);
  });

  it("issues no ids unless delivery is confirmed", async () => {
    await polling.start({ delivery: "sent" });
    await polling.poll();
    assert.equal("delivery" in (polling.sent()[0]?.energy ?? {}), false);
  });

  it("continues after the last confirmed record after a restart", async () => {
    await polling.start();
    await polling.poll();
    await polling.confirm(...polling.sent());
    polling.at(10);
    await polling.restart();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
  });

  it("sends everything again after a restart when nothing was confirmed, with the same record ids", async () => {
    await polling.start();
    await polling.poll();
    const before = polling.sent().map(({ energy }) => energy.recordId);
    await polling.restart();
    await polling.poll();
    assert.deepEqual(
      polling.sent().map(({ energy }) => energy.recordId),
      before,
    );
  });

  it("continues after the last record up to which everything is confirmed", async () => {
    await polling.start();
    await polling.poll();
    const messages = polling.sent();
    await polling.confirm(...messages.filter((_message, index) => index !== 2));
    await polling.restart();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), endsOf(messages).slice(2));
  });

  it("sends unconfirmed records after a restart, however old they are", async () => {
    const far = { startHours: 30, output: "batch" };
    await polling.start(far);
    await polling.poll();
    await polling.restart(far);
    await polling.poll();
    const [batch] = polling.node.sent<{ payload: { endTime: string }[] }>();
    const ends = batch?.payload.map(({ endTime }) => Date.parse(endTime));
    assert.deepEqual(ends, expectedEnds(NOW - 30 * HOUR, NOW));
  });

  it("does not start a run on a confirmation", async () => {
    await polling.start();
    await polling.poll();
    const requests = polling.service.requests.length;
    await polling.confirm(...polling.sent());
    assert.equal(polling.service.requests.length, requests);
    assert.equal(polling.sent().length, 6);
  });

  it("does not request records in flight again", async () => {
    await polling.start();
    await polling.poll();
    polling.at(5);
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW - 30 * MINUTE, NOW + 5 * MINUTE));
  });

  it("resends what is not confirmed in time, in order, with the same ids", async () => {
    await polling.start();
    await polling.poll();
    const messages = polling.sent().slice(0, 6);
    await polling.confirm(messages[1]);
    for (const _message of messages) await next();
    await polling.advance(TIMEOUT);
    const again = [await next(), await next(), await next(), await next(), await next()];
    const expected = messages.filter((_message, index) => index !== 1);
    assert.deepEqual(again.map(deliveryOf), expected.map(deliveryOf));
    assert.deepEqual(
      again.map(({ payload }) => payload),
      expected.map(({ payload }) => payload),
    );
    assert.match(polling.node.statuses().at(-1) ?? "", /^5 unconfirmed$/);
  });

  it("keeps sending the newest record on a schedule while nothing is confirmed, and loses none of the others", async () => {
    const rule = { startHours: 2, maxUnconfirmed: 5 };
    const newestOne = (): Promise<SentRecord> => polling.advanceUntil(polling.node.output<SentRecord>(2));
    await polling.start({ ...rule, repeat: 1 });
    const newest = [await newestOne(), await newestOne()];
    await polling.restart({ ...rule, repeat: 0, onDeploy: true });
    await newestOne();
    const [first = 0, second = 0] = endsOf(newest);
    assert.equal(first, NOW - 2 * MINUTE);
    assert.ok(second >= first);
    const ids = new Set(polling.sent().map(deliveryOf));
    assert.equal(ids.size, 5);
    assert.equal(polling.node.statuses().includes("5 unconfirmed"), true);
    // Time now stands still and no timer starts a run, so only confirmations let the poll continue.
    const confirmed = new Set<string>();
    const arrived: string[] = [];
    while (arrived.length < 24) {
      const message = await next();
      if (confirmed.has(deliveryOf(message))) continue;
      confirmed.add(deliveryOf(message));
      arrived.push(message.payload.endTime);
      polling.node.input({ payload: "as text", energy: message.energy });
    }
    assert.deepEqual(times(arrived), expectedEnds(NOW - 2 * HOUR, NOW));
  });

  it("resends the service's record even if a following node changed its copy", async () => {
    await polling.start();
    await polling.poll();
    const first = await next();
    const { endTime } = first.payload;
    first.payload.endTime = "changed";
    for (let count = 1; count < 6; count += 1) await next();
    await polling.advance(TIMEOUT);
    assert.equal((await next()).payload.endTime, endTime);
  });

  it("resends nothing once everything is confirmed", async () => {
    await polling.start();
    await polling.poll();
    await polling.confirm(...polling.sent().slice(0, 6));
    await polling.advance(3 * TIMEOUT);
    assert.equal(polling.sent().length, 6);
  });

  it("respects maxUnconfirmed, and continues as confirmations arrive", async () => {
    await polling.start({ maxUnconfirmed: 2 });
    polling.node.input({});
    const messages = [await next(), await next()];
    await polling.service.idle();
    assert.equal(polling.sent().length, 2);
    for (let count = 2; count < 6; count += 1) {
      await polling.confirm(messages[count - 2]);
      messages.push(await next());
      assert.equal(polling.sent().length, count + 1);
    }
    await polling.node.completed();
    assert.deepEqual(endsOf(messages), expectedEnds(NOW - 30 * MINUTE, NOW));
  });

  it("waits for confirmations in a triggered run, however late they are", async () => {
    await polling.start({ maxUnconfirmed: 1 });
    polling.node.input({});
    let isDone = false;
    void polling.node.completed().then(() => (isDone = true));
    const first = await next();
    for (let again = 0; again < 3; again += 1) {
      await polling.advance(TIMEOUT);
      assert.equal(deliveryOf(await next()), deliveryOf(first));
    }
    assert.deepEqual([isDone, polling.sent(2).length], [false, 1]);
  });

  it("confirms a batch as a whole", async () => {
    await polling.start({ output: "batch" });
    await polling.poll();
    const [batch] = polling.node.sent<{ payload: unknown[]; energy: { delivery: string } }>();
    assert.equal(batch?.payload.length, 6);
    polling.node.input({ energy: { delivery: batch?.energy.delivery } });
    await polling.node.completed();
    await polling.restart({ output: "batch" });
    await polling.poll();
    assert.equal(polling.sent().length, 0);
  });

  it("counts the records of batches, not the messages", async () => {
    await polling.start({ output: "batch", maxUnconfirmed: 10 });
    await polling.poll();
    polling.at(25);
    polling.node.input({});
    await polling.service.answered.reach(/telemetry/, 2);
    await polling.service.idle();
    assert.equal(polling.sent().length, 1);
    await polling.confirm(await next());
    assert.equal((await polling.node.output<{ payload: unknown[] }>()).payload.length, 5);
  });

  it("ignores an unknown delivery id, and shows it in the status", async () => {
    await polling.start();
    await polling.poll();
    const requests = polling.service.requests.length;
    polling.node.input({ energy: { delivery: "somebody else's" } });
    await polling.node.completed();
    assert.equal(polling.service.requests.length, requests);
    assert.match(polling.node.statuses().at(-1) ?? "", /^1 unknown ids?$/);
  });

  it("ignores a second confirmation", async () => {
    await polling.start();
    await polling.poll();
    const [first] = polling.sent();
    await polling.confirm(first);
    await polling.confirm(first);
    assert.doesNotMatch(polling.node.statuses().at(-1) ?? "", /unknown/);
  });

  it("ends immediately when closed with a full window, and leaves no timer", async () => {
    await polling.start({ maxUnconfirmed: 1 });
    polling.node.input({});
    await next();
    await polling.node.redeploy();
    await polling.advance(3 * TIMEOUT);
    assert.equal(polling.sent().length, 1);
  });

  it("reports nothing when closed while it goes on after confirmations", async () => {
    await polling.start({ maxUnconfirmed: 1, startHours: 0.2 });
    polling.node.input({});
    await polling.confirm(await next());
    const second = await next();
    polling.at(5);
    const hold = polling.service.hold(/telemetry/);
    await polling.confirm(second);
    await hold.arrived();
    const errors: unknown[] = [];
    helper.getNode(NODE).error = (text: unknown) => void errors.push(text);
    await polling.node.redeploy();
    await polling.service.abandoned.reach(/telemetry/, 1);
    hold.release();
    await polling.advance(1);
    assert.deepEqual(errors, []);
  });

  it("counts the time to confirm from when a record is sent", async () => {
    const hold = polling.service.hold(/\/v1\/sites$/);
    await polling.start();
    polling.node.input({});
    await hold.arrived();
    await polling.advance(2);
    hold.release();
    await polling.node.completed();
    assert.equal(new Set(polling.sent().map(deliveryOf)).size, polling.sent().length);
  });
});
