// Tests for the one clock: what it takes to be sure, and what a jump of the local clock changes.
import assert from "node:assert/strict";
import { type TimeSource, withRightTime } from "../src/clock";
import { HOUR, MINUTE } from "../src/time-units";
import { ClockRig } from "./support/clock-rig";

let rig: ClockRig;

beforeEach(() => {
  rig = new ClockRig();
});

describe("the clock, without an account", () => {
  it("trusts the local clock at a start", () => {
    assert.deepEqual([rig.difference(), rig.clock.isSure], [0, true]);
    assert.equal(rig.clock.knownSince, Number.NEGATIVE_INFINITY);
  });

  for (const step of [9 * HOUR, -2 * HOUR]) {
    it(`is the local clock again after a jump by ${step / HOUR} h, and sure of what comes after it`, () => {
      rig.local.pass(HOUR);
      rig.clock.now();
      rig.local.step(step);
      const moment = rig.clock.moment();
      assert.equal(moment.now, rig.local.now());
      assert.deepEqual([moment.isSure, moment.knownSince], [true, HOUR]);
    });
  }

  it("takes no drift for a jump", () => {
    for (let hours = 0; hours < 24 * 30; hours += 1) {
      rig.local.pass(HOUR + 1);
      rig.local.step(200);
      rig.clock.now();
    }
    assert.equal(rig.clock.knownSince, Number.NEGATIVE_INFINITY);
    assert.ok(Math.abs(rig.difference()) <= MINUTE);
  });

  it("runs on steadily when the local clock is set by less than a minute", () => {
    const before = rig.clock.now();
    rig.local.step(-50_000);
    rig.local.pass(10);
    assert.equal(rig.clock.now(), before + 10);
  });
});

describe("the clock, when the local clock runs away from the monotonic one", () => {
  let source: TimeSource;
  beforeEach(() => (source = rig.open()));

  for (const [name, step] of [
    ["a sleep of 9 h", 9 * HOUR],
    ["a clock that was set back by 2 h", -2 * HOUR],
  ] as const) {
    it(`is not sure after ${name}, until a response confirms the local clock`, () => {
      rig.respond(source, 0);
      rig.local.step(step);
      assert.deepEqual([rig.clock.isSure, rig.difference()], [false, 0]);
      assert.equal(rig.clock.knownSince, Number.NEGATIVE_INFINITY);
      rig.respond(source, 0);
      assert.deepEqual([rig.clock.isSure, rig.difference()], [true, 0]);
    });
  }

  it("follows the service again, from the second response on, if the local clock was set wrong", () => {
    rig.respond(source, 0);
    rig.local.step(-2 * HOUR);
    rig.respond(source, 2 * HOUR);
    assert.deepEqual([rig.clock.isSure, rig.difference()], [false, 0]);
    rig.respond(source, 2 * HOUR);
    assert.deepEqual([rig.clock.isSure, rig.difference(), rig.reported], [true, 2 * HOUR, [2 * HOUR]]);
  });

  it("ends a correction when the local clock is set right", () => {
    rig.agree(source, 2 * HOUR);
    const before = rig.clock.now();
    rig.local.step(2 * HOUR);
    assert.deepEqual([rig.clock.now(), rig.clock.isSure], [before, false]);
    rig.respond(source, 0);
    assert.deepEqual([rig.difference(), rig.clock.isSure, rig.clock.correction], [0, true, undefined]);
    rig.local.step(-2 * HOUR);
    rig.agree(source, 2 * HOUR);
    assert.deepEqual(rig.reported, [2 * HOUR, 2 * HOUR]);
  });

  it("reports a correction that is the same after a sleep only once", () => {
    for (let night = 0; night < 3; night += 1) {
      rig.agree(source, 2 * HOUR);
      rig.local.step(9 * HOUR);
    }
    assert.deepEqual(rig.reported, [2 * HOUR]);
  });

  it("takes a corrected clock for as wrong after a sleep as before it: more time has passed than it shows", () => {
    rig.agree(source, 2 * HOUR);
    const before = rig.clock.now();
    rig.local.step(9 * HOUR);
    assert.deepEqual([rig.clock.now(), rig.clock.isSure], [before + 9 * HOUR, false]);
    source.close();
    rig.local.step(9 * HOUR);
    assert.equal(rig.difference(), 0);
  });

  it("does not take the response before the jump for the first of two in a row", () => {
    rig.respond(source, 0);
    rig.respond(source, 2 * HOUR);
    rig.local.step(HOUR);
    rig.respond(source, HOUR);
    assert.deepEqual([rig.clock.isSure, rig.difference()], [false, 0]);
  });
});

describe("the clock, when the account of an unexplained jump goes", () => {
  for (const [name, confirms] of [
    ["is sure again of nothing that was known before", false],
    ["is sure of all if a response came before", true],
  ] as const)
    it(name, () => {
      const source = rig.open();
      rig.respond(source, 0);
      rig.local.pass(HOUR);
      rig.local.step(9 * HOUR);
      rig.clock.now();
      if (confirms) rig.respond(source, 0);
      source.close();
      const knownSince = confirms ? Number.NEGATIVE_INFINITY : HOUR;
      assert.deepEqual([rig.clock.isSure, rig.clock.knownSince], [true, knownSince]);
    });
});

describe("the clock, with several accounts", () => {
  it("is sure as soon as one of them has a response", () => {
    rig.open();
    rig.respond(rig.open(), 0);
    assert.equal(rig.clock.isSure, true);
  });

  for (const by of [
    [3 * HOUR, 0],
    [0, -3 * HOUR],
  ]) {
    it(`agrees with the machine if one of two services does (${by.join(", ")})`, () => {
      for (const one of by) rig.agree(rig.open(), one);
      assert.equal(rig.difference(), 0);
    });
  }

  it("follows the service that is closest to the machine", () => {
    for (const by of [-10 * HOUR, 2 * HOUR, 5 * HOUR]) rig.agree(rig.open(), by);
    assert.equal(rig.difference(), 2 * HOUR);
  });

  it("counts responses in a row for each of them", () => {
    const sources = [rig.open(), rig.open()];
    for (const source of sources) rig.respond(source, 2 * HOUR);
    assert.deepEqual([rig.difference(), rig.clock.isSure], [0, false]);
  });
});

describe("work with the right time", () => {
  let source: TimeSource;
  beforeEach(() => (source = rig.open()));

  it("is done once if the clock was right", async () => {
    let runs = 0;
    await withRightTime(rig.clock, async () => {
      rig.local.pass(5 * MINUTE);
      rig.respond(source, 5000);
      runs += 1;
    });
    assert.equal(runs, 1);
  });

  it("is done once more if the clock was corrected meanwhile, even if it failed", async () => {
    const times: number[] = [];
    const work = async (): Promise<number> => {
      times.push(rig.difference());
      rig.agree(source, 3 * HOUR);
      if (times.length === 1) throw new Error("too early");
      return times.length;
    };
    assert.equal(await withRightTime(rig.clock, work), 2);
    assert.deepEqual(times, [0, 3 * HOUR]);
  });

  it("fails as the work does", async () => {
    await assert.rejects(
      withRightTime(rig.clock, () => Promise.reject(new Error("no answer"))),
      /no answer/,
    );
  });
});
