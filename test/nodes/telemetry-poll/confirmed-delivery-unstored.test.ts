// Tests for confirmed delivery without a store: every run has a position of its own, and its confirmations count to its end.
import assert from "node:assert/strict";
import { deliveryOf, Polling, type SentRecord } from "../../support/polling";

/** Seconds. */
const TIMEOUT = 60;

describe("confirmed delivery without a store", () => {
  let polling: Polling;

  beforeEach(async () => {
    const defaults = {
      siteId: "demo-house",
      startFrom: "hours",
      startHours: 0.5,
      delivery: "confirmed",
      confirmTimeout: TIMEOUT,
      store: "none",
    };
    polling = await Polling.open("energy-telemetry-poll", defaults, { holdsTimers: true });
  });
  afterEach(() => polling.close());

  it("accepts the confirmations of every run, and leaves no timer of any", async () => {
    await polling.start();
    await polling.poll();
    const first = polling.sent();
    await polling.poll();
    const second = polling.sent().slice(first.length);
    await polling.confirm(...first);
    await polling.poll();
    await polling.confirm(...second);
    assert.ok(!polling.node.statuses().some((status) => status.includes("unknown")));
    const count = polling.sent().length;
    await polling.node.redeploy();
    await polling.advance(3 * TIMEOUT);
    assert.equal(polling.sent().length, count);
  });

  it("accepts the confirmations of a run that goes on after another message", async () => {
    await polling.start({ startHours: 48, maxUnconfirmed: 200 });
    const input = (message: Record<string, unknown>): void => polling.node.input(message);
    const ids = (): string[] => polling.sent().map(deliveryOf);
    input({});
    await polling.service.idle();
    const run = ids()[0]?.replace(/-\d+$/, "") ?? "";
    const hold = polling.service.hold(/telemetry/);
    // The second message is at work and the third waits when all of the first day is confirmed.
    input({});
    await hold.arrived();
    input({});
    for (let count = 0; count < ids().length; count += 1) await polling.confirm(polling.sent()[count]);
    const day = ids().length;
    hold.release();
    await polling.service.idle();
    const others = ids()
      .slice(day)
      .filter((id) => id.startsWith(run));
    const [confirmed, unconfirmed] = others;
    input({ energy: { delivery: confirmed } });
    await polling.advance(TIMEOUT);
    const timesSent = (wanted: string | undefined): number => ids().filter((id) => id === wanted).length;
    assert.deepEqual([timesSent(confirmed), timesSent(unconfirmed)], [1, 2]);
  });

  it("keeps as many unconfirmed records as it may, however many messages come, and serves each message in turn", async () => {
    await polling.start({ maxUnconfirmed: 6 });
    for (const name of ["first", "second", "third"]) polling.node.input({ name });
    await polling.service.idle();
    const names = (): unknown[] => polling.sent().map((message) => Reflect.get(message, "name"));
    assert.deepEqual(
      names(),
      Array.from({ length: 6 }, () => "first"),
    );
    await polling.advance(TIMEOUT);
    assert.deepEqual(
      names(),
      Array.from({ length: 12 }, () => "first"),
    );
    for (const name of ["second", "third"]) {
      const before = polling.sent().length;
      for (const message of polling.sent().slice(before - 6)) await polling.confirm(message);
      await polling.service.idle();
      assert.deepEqual(
        names().slice(before),
        Array.from({ length: 6 }, () => name),
      );
    }
  });

  it("accepts the confirmations of a run that was reading while another series was served", async () => {
    await polling.start({ siteId: "", startFrom: "now", maxUnconfirmed: 1 });
    const house = (): SentRecord[] => polling.sent().filter(({ siteId }) => siteId === "demo-house");
    for (const name of ["first", "second", "third"]) polling.node.input({ siteId: "demo-house", name });
    await polling.service.idle();
    await polling.confirm(house()[0]);
    await polling.service.idle();
    const hold = polling.service.hold(/demo-house\/telemetry/);
    polling.node.input({ energy: house()[1]?.energy });
    await hold.arrived();
    polling.node.input({ siteId: "demo-farm" });
    await polling.service.idle();
    hold.release();
    await polling.service.idle();
    polling.node.input({ energy: house()[2]?.energy });
    await polling.service.idle();
    assert.equal(house().length, 3);
    assert.ok(!polling.node.statuses().some((status) => status.includes("unknown")));
  });
});
