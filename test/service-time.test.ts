// Tests for what a service says of the time: when the clock follows it, by its responses and by its records.
import assert from "node:assert/strict";
import type { TimeSource } from "../src/clock";
import { HOUR, MINUTE } from "../src/time-units";
import { ClockRig } from "./support/clock-rig";

let rig: ClockRig;

beforeEach(() => {
  rig = new ClockRig();
});

describe("the clock, with an account", () => {
  let source: TimeSource;
  beforeEach(() => (source = rig.open()));

  it("is not sure until a response confirms the local clock", () => {
    assert.deepEqual([rig.difference(), rig.clock.isSure], [0, false]);
    rig.respond(source, 20_000);
    assert.deepEqual([rig.difference(), rig.clock.isSure], [0, true]);
    assert.deepEqual([rig.clock.correction, rig.reported], [undefined, []]);
  });

  for (const by of [-240 * HOUR, -2 * HOUR, -MINUTE - 2000, MINUTE + 1, 3 * HOUR]) {
    it(`follows the second response in a row that differs by ${by} ms, and reports that once`, () => {
      rig.respond(source, by);
      assert.deepEqual([rig.difference(), rig.clock.isSure, rig.reported], [0, false, []]);
      rig.local.pass(MINUTE);
      for (let count = 0; count < 3; count += 1) rig.respond(source, by);
      assert.ok(Math.abs(rig.difference() - by) <= 1000);
      rig.local.pass(HOUR);
      assert.ok(Math.abs(rig.difference() - by) <= 1000);
      assert.deepEqual([rig.clock.isSure, rig.reported.length], [true, 1]);
      assert.equal(rig.clock.correction, rig.reported[0]);
      assert.equal(Math.sign(rig.reported[0] ?? 0), Math.sign(by));
    });
  }

  for (const [name, before] of [
    ["right", 0],
    ["corrected", 3 * HOUR],
  ] as const) {
    for (const odd of [72 * HOUR, -2 * HOUR, 0]) {
      if (odd === before) continue;
      it(`changes nothing by one odd header of ${odd / HOUR} h if it is ${name}`, () => {
        rig.agree(source, before);
        for (let count = 0; count < 3; count += 1) {
          rig.respond(source, odd);
          assert.equal(rig.difference(), before);
          rig.local.pass(5 * MINUTE);
          rig.respond(source, before);
        }
        assert.deepEqual(
          [rig.difference(), rig.clock.isSure, rig.reported.length],
          [before, true, before === 0 ? 0 : 1],
        );
      });
    }
  }

  it("does not follow two responses that are kept by a cache, because their date stands still", () => {
    rig.respond(source, 0);
    const date = rig.local.now() - 2 * HOUR;
    for (let count = 0; count < 5; count += 1) {
      rig.local.pass(30_000);
      source.observe([date], rig.local.monotonic());
    }
    assert.deepEqual([rig.difference(), rig.reported], [0, []]);
  });

  it("takes the date, or the date with its age, whichever is nearer", () => {
    for (const [date, age] of [
      [0, HOUR],
      [-HOUR, HOUR],
    ] as const) {
      const at = rig.local.now() + date;
      source.observe([at, at + age], rig.local.monotonic());
      assert.deepEqual([rig.difference(), rig.clock.isSure], [0, true]);
    }
  });

  it("trusts the local clock if two responses in a row do not say what time it is", () => {
    source.observe([], 0);
    assert.equal(rig.clock.isSure, false);
    source.observe([], 0);
    assert.deepEqual([rig.difference(), rig.clock.isSure], [0, true]);
  });

  it("learns nothing from a response without a date once it is sure", () => {
    rig.agree(source, 3 * HOUR);
    for (let count = 0; count < 3; count += 1) source.observe([], rig.local.monotonic());
    assert.deepEqual([rig.difference(), rig.clock.isSure], [3 * HOUR, true]);
  });

  it("takes a slow response for no difference: it may have been sent long ago", () => {
    rig.respond(source, -5 * MINUTE, 5 * MINUTE);
    assert.deepEqual([rig.difference(), rig.clock.isSure], [0, true]);
  });

  it("keeps a time that a slow response does not contradict", () => {
    rig.agree(source, 3 * HOUR);
    const before = rig.clock.now();
    rig.respond(source, 3 * HOUR - 4 * MINUTE, 5 * MINUTE);
    assert.equal(rig.clock.now(), before + 5 * MINUTE);
  });

  it("reports a correction once, although it is a little different with each response", () => {
    for (let second = 0; second < 100; second += 1) {
      rig.respond(source, 3 * HOUR - (second % 5) * 1000);
      rig.local.pass(MINUTE);
    }
    assert.deepEqual(
      rig.reported.map((ms) => Math.round(ms / MINUTE)),
      [180],
    );
  });

  it("does not report a difference of about a minute again and again", () => {
    for (let count = 0; count < 20; count += 1) rig.respond(source, MINUTE + (count % 2 === 0 ? 500 : -500));
    assert.ok(rig.reported.length <= 1);
  });

  it("follows the service while the local clock drifts, without a jump", () => {
    let last = rig.clock.now();
    for (let hours = 0; hours < 24; hours += 1) {
      const drift = hours * 10_000;
      rig.agree(source, drift);
      assert.ok(rig.clock.now() >= last);
      assert.ok(Math.abs(rig.difference() - drift) <= MINUTE + 1000);
      last = rig.clock.now();
      rig.local.pass(HOUR);
    }
    assert.deepEqual(
      rig.reported.map((ms) => Math.round(ms / MINUTE)),
      [1, 2, 4],
    );
  });

  it("keeps what a service said when its account is deployed again, until the next response", () => {
    rig.agree(source, 3 * HOUR);
    source.close();
    assert.equal(rig.difference(), 3 * HOUR);
    const next = rig.open();
    assert.deepEqual([rig.difference(), rig.clock.isSure], [3 * HOUR, true]);
    rig.respond(next, 3 * HOUR);
    assert.deepEqual([rig.difference(), rig.reported.length], [3 * HOUR, 1]);
    rig.agree(next, 0);
    assert.deepEqual([rig.difference(), rig.clock.correction], [0, undefined]);
  });

  it("learns nothing from a response that comes after the account is closed", () => {
    source.close();
    rig.agree(source, 3 * HOUR);
    assert.deepEqual([rig.difference(), rig.clock.isSure], [0, true]);
  });
});

describe("the clock, with the records of a service", () => {
  let source: TimeSource;
  beforeEach(() => (source = rig.open()));

  /** A record that ended some minutes before the local clock's time. */
  const record = (minutesAgo: number, minutes = 5): { start: number; end: number } => {
    const end = rig.local.now() - minutesAgo * MINUTE;
    return { start: end - minutes * MINUTE, end };
  };

  it("never goes behind the end of a record that was read as ended, whatever the service says", () => {
    rig.respond(source, 0);
    const ended = record(2);
    source.observeRecords([record(7), ended]);
    rig.agree(source, -2 * HOUR);
    assert.ok(rig.clock.now() >= ended.end);
    const before = rig.clock.now();
    rig.local.pass(MINUTE);
    assert.equal(rig.clock.now(), before + MINUTE);
    rig.local.step(-9 * HOUR);
    assert.ok(rig.clock.now() >= before);
  });

  it("takes records that began after the service's own time for the proof that this is wrong", () => {
    rig.agree(source, -2 * HOUR);
    assert.ok(Math.abs(rig.difference() + 2 * HOUR) <= 1000);
    const ended = record(1);
    source.observeRecords([record(6), ended]);
    assert.ok(rig.clock.now() >= ended.end);
    assert.deepEqual([rig.difference(), rig.clock.correction], [0, undefined]);
    rig.agree(source, -2 * HOUR);
    assert.deepEqual([rig.difference(), rig.clock.correction], [0, undefined]);
  });

  it("is not moved by a record in progress, nor by one that begins in the future", () => {
    rig.respond(source, 0);
    for (const shown of [record(-30, 60), record(-600)]) {
      source.observeRecords([record(5), shown]);
      assert.equal(rig.difference(), 0);
    }
    rig.agree(source, -2 * HOUR);
    assert.ok(rig.clock.now() <= rig.local.now());
  });

  it("is not moved by an hourly record in progress if the local clock is ahead", () => {
    rig.agree(source, -2 * HOUR);
    // Begun 20 minutes ago by the service's clock.
    source.observeRecords([record(80, 60)]);
    assert.ok(Math.abs(rig.difference() + 2 * HOUR) <= 1000);
  });

  it("learns nothing from records while it is not sure", () => {
    source.observeRecords([record(1)]);
    rig.agree(source, -2 * HOUR);
    assert.ok(Math.abs(rig.difference() + 2 * HOUR) <= 1000);
  });
});
