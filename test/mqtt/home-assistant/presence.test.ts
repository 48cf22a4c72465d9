// Tests for presence: a device is fresh for a while after its last record ends, then repeatedly due as stale.
import assert from "node:assert/strict";
import { Presence } from "../../../src/mqtt/home-assistant/presence";

const EXPIRY = 1000;

const REPORTED = [{ id: "a", isRepeated: false }];

describe("presence", () => {
  it("has nothing due without devices", () => {
    assert.equal(new Presence(EXPIRY).next(), Number.POSITIVE_INFINITY);
  });

  it("starts the timeout of an expected device only once", () => {
    const presence = new Presence(EXPIRY);
    presence.expect("a", EXPIRY);
    presence.expect("a", 2 * EXPIRY);
    assert.equal(presence.next(), EXPIRY);
    assert.equal(presence.isFresh("a", 0), false);
    assert.deepEqual(presence.popDue(EXPIRY - 1), []);
    assert.deepEqual(presence.popDue(EXPIRY), REPORTED);
  });

  it("counts to the end of what is valid longest, in whatever order records arrive", () => {
    const presence = new Presence(EXPIRY);
    presence.seen("a", 1200);
    presence.seen("a", 1100);
    assert.deepEqual([presence.isFresh("a", 1199), presence.isFresh("a", 1200)], [true, false]);
    assert.equal(presence.next(), 1200);
  });

  it("reports a stale device as due repeatedly until it is fresh", () => {
    const presence = new Presence(EXPIRY);
    presence.seen("a", 1000);
    assert.deepEqual(presence.popDue(1000), REPORTED);
    assert.equal(presence.next(), 2000);
    assert.deepEqual(presence.popDue(2500), REPORTED);
    assert.equal(presence.next(), 3500);
    presence.seen("a", 4000);
    assert.equal(presence.next(), 4000);
  });

  it("repeats a state once, even if another record arrives meanwhile", () => {
    const presence = new Presence(EXPIRY);
    presence.seen("a", 1000);
    presence.repeat("a", 10);
    presence.seen("a", 1005);
    assert.equal(presence.next(), 10);
    assert.deepEqual(presence.popDue(10), [{ id: "a", isRepeated: true }]);
    assert.equal(presence.next(), 1005);
  });

  it("removes a device", () => {
    const presence = new Presence(EXPIRY);
    presence.expect("a", 0);
    presence.forget("a");
    assert.deepEqual([presence.next(), presence.popDue(5000)], [Number.POSITIVE_INFINITY, []]);
  });

  it("has news of a device when its availability changes, and after half of the expiry", () => {
    const presence = new Presence(EXPIRY);
    presence.seen("a", 600);
    assert.equal(presence.isNews("a", 0), true);
    presence.said("a", true, 0);
    assert.deepEqual(
      [1, 499, 500, 600].map((now) => presence.isNews("a", now)),
      [false, false, true, true],
    );
    presence.seen("a", 2000);
    presence.said("a", true, 600);
    assert.equal(presence.isNews("a", 601), false);
    // A new config makes it unknown in Home Assistant.
    presence.repeat("a", 5000);
    assert.equal(presence.isNews("a", 601), true);
  });
});
