// Tests for the one clock: when it follows a service, what it takes to be sure, and what a jump of the local clock changes.
import assert from "node:assert/strict";
import { type Clock, RuntimeClock, type TimeSource, withRightTime } from "../src/clock";
import { HOUR, MINUTE } from "../src/time-units";

/** A local clock that can be set, and a machine that can sleep, in which the monotonic clock stands still. */
class LocalClock implements Clock {
  #passed = 0;
  #set = Date.UTC(2026, 5, 10, 10, 0);
  readonly isSure = true;
  now = (): number => this.#set + this.#passed;
  monotonic = (): number => this.#passed;
  pass(ms: number): void {
    this.#passed += ms;
  }
  /** Sets the clock, or sleeps. */
  step(ms: number): void {
    this.#set += ms;
  }
}

let local: LocalClock;
let clock: RuntimeClock;
let reported: number[];
let changes: number;
let stopWatching: () => void;

beforeEach(() => {
  local = new LocalClock();
  clock = new RuntimeClock(local);
  reported = [];
  changes = 0;
  stopWatching = clock.onChange(() => (changes += 1));
});
afterEach(() => stopWatching());

const open = (): TimeSource => clock.open((correction) => reported.push(correction));
/** What the clock differs from the local one by. */
const difference = (): number => clock.now() - local.now();

/** A response whose Date header differs from the local clock. */
function respond(source: TimeSource, by: number, durationMs = 0): void {
  const sentAt = local.monotonic();
  local.pass(durationMs);
  source.observe([local.now() + by], sentAt);
}
/** Responses a second apart: two in a row decide. */
function agree(source: TimeSource, by: number): void {
  respond(source, by);
  local.pass(1000);
  respond(source, by);
}

describe("the clock, without an account", () => {
  it("trusts the local clock at a start", () => {
    assert.deepEqual([difference(), clock.isSure], [0, true]);
    assert.equal(clock.moment().knownSince, Number.NEGATIVE_INFINITY);
  });

  for (const step of [9 * HOUR, -2 * HOUR]) {
    it(`is the local clock again after a jump by ${step / HOUR} h, and sure of what comes after it`, () => {
      local.pass(HOUR);
      clock.now();
      local.step(step);
      const moment = clock.moment();
      assert.equal(moment.now, local.now());
      assert.deepEqual([moment.isSure, moment.knownSince, changes], [true, HOUR, 1]);
    });
  }

  it("takes no drift for a jump", () => {
    for (let hours = 0; hours < 24 * 30; hours += 1) {
      local.pass(HOUR + 1);
      local.step(200);
      clock.now();
    }
    assert.deepEqual([changes, clock.moment().knownSince], [0, Number.NEGATIVE_INFINITY]);
    assert.ok(Math.abs(difference()) <= MINUTE);
  });

  it("runs on steadily when the local clock is set by less than a minute", () => {
    const before = clock.now();
    local.step(-50_000);
    local.pass(10);
    assert.equal(clock.now(), before + 10);
  });
});

describe("the clock, with an account", () => {
  let source: TimeSource;
  beforeEach(() => (source = open()));

  it("is not sure until a response confirms the local clock, and tells that", () => {
    assert.deepEqual([difference(), clock.isSure, changes], [0, false, 1]);
    respond(source, 20_000);
    assert.deepEqual([difference(), clock.isSure, changes], [0, true, 2]);
    assert.deepEqual([clock.correction, reported], [undefined, []]);
  });

  for (const by of [-240 * HOUR, -2 * HOUR, -MINUTE - 2000, MINUTE + 1, 3 * HOUR]) {
    it(`follows the second response in a row that differs by ${by} ms, and reports that once`, () => {
      respond(source, by);
      assert.deepEqual([difference(), clock.isSure, source.isInDoubt, reported], [0, false, true, []]);
      local.pass(MINUTE);
      for (let count = 0; count < 3; count += 1) respond(source, by);
      assert.ok(Math.abs(difference() - by) <= 1000);
      local.pass(HOUR);
      assert.ok(Math.abs(difference() - by) <= 1000);
      assert.deepEqual([clock.isSure, source.isInDoubt, reported.length], [true, false, 1]);
      assert.equal(clock.correction, reported[0]);
      assert.equal(Math.sign(reported[0] ?? 0), Math.sign(by));
    });
  }

  for (const [name, before] of [
    ["right", 0],
    ["corrected", 3 * HOUR],
  ] as const) {
    for (const odd of [72 * HOUR, -2 * HOUR, 0]) {
      if (odd === before) continue;
      it(`changes nothing by one odd header of ${odd / HOUR} h if it is ${name}`, () => {
        agree(source, before);
        for (let count = 0; count < 3; count += 1) {
          respond(source, odd);
          assert.equal(difference(), before);
          local.pass(5 * MINUTE);
          respond(source, before);
        }
        assert.deepEqual([difference(), clock.isSure, reported.length], [before, true, before === 0 ? 0 : 1]);
      });
    }
  }

  it("does not follow two responses that are kept by a cache, because their date stands still", () => {
    respond(source, 0);
    const date = local.now() - 2 * HOUR;
    for (let count = 0; count < 5; count += 1) {
      local.pass(30_000);
      source.observe([date], local.monotonic());
    }
    assert.deepEqual([difference(), reported], [0, []]);
  });

  it("takes the date, or the date with its age, whichever is nearer", () => {
    for (const [date, age] of [
      [0, HOUR],
      [-HOUR, HOUR],
    ] as const) {
      const at = local.now() + date;
      source.observe([at, at + age], local.monotonic());
      assert.deepEqual([difference(), clock.isSure, source.isInDoubt], [0, true, false]);
    }
  });

  it("trusts the local clock if two responses in a row do not say what time it is", () => {
    source.observe([], 0);
    assert.deepEqual([clock.isSure, source.isInDoubt], [false, true]);
    source.observe([], 0);
    assert.deepEqual([difference(), clock.isSure, source.isInDoubt], [0, true, false]);
  });

  it("learns nothing from a response without a date once it is sure", () => {
    agree(source, 3 * HOUR);
    for (let count = 0; count < 3; count += 1) source.observe([], local.monotonic());
    assert.deepEqual([difference(), source.isInDoubt], [3 * HOUR, false]);
  });

  it("takes a slow response for no difference: it may have been sent long ago", () => {
    respond(source, -5 * MINUTE, 5 * MINUTE);
    assert.deepEqual([difference(), clock.isSure], [0, true]);
  });

  it("keeps a time that a slow response does not contradict", () => {
    agree(source, 3 * HOUR);
    const before = clock.now();
    respond(source, 3 * HOUR - 4 * MINUTE, 5 * MINUTE);
    assert.equal(clock.now(), before + 5 * MINUTE);
  });

  it("reports a correction once, although it is a little different with each response", () => {
    for (let second = 0; second < 100; second += 1) {
      respond(source, 3 * HOUR - (second % 5) * 1000);
      local.pass(MINUTE);
    }
    assert.deepEqual(
      reported.map((ms) => Math.round(ms / MINUTE)),
      [180],
    );
  });

  it("does not report a difference of about a minute again and again", () => {
    for (let count = 0; count < 20; count += 1) respond(source, MINUTE + (count % 2 === 0 ? 500 : -500));
    assert.ok(reported.length <= 1);
  });

  it("follows the service while the local clock drifts, without a jump", () => {
    let last = clock.now();
    for (let hours = 0; hours < 24; hours += 1) {
      const drift = hours * 10_000;
      agree(source, drift);
      assert.ok(clock.now() >= last);
      assert.ok(Math.abs(difference() - drift) <= MINUTE + 1000);
      last = clock.now();
      local.pass(HOUR);
    }
    assert.deepEqual(
      reported.map((ms) => Math.round(ms / MINUTE)),
      [1, 2, 4],
    );
  });

  it("keeps what a service said when its account is deployed again, until the next response", () => {
    agree(source, 3 * HOUR);
    source.close();
    assert.equal(difference(), 3 * HOUR);
    const next = open();
    assert.deepEqual([difference(), clock.isSure], [3 * HOUR, true]);
    respond(next, 3 * HOUR);
    assert.deepEqual([difference(), reported.length], [3 * HOUR, 1]);
    agree(next, 0);
    assert.deepEqual([difference(), clock.correction], [0, undefined]);
  });

  it("learns nothing from a response that comes after the account is closed", () => {
    source.close();
    agree(source, 3 * HOUR);
    assert.deepEqual([difference(), clock.isSure], [0, true]);
  });
});

describe("the clock, when the local clock runs away from the monotonic one", () => {
  let source: TimeSource;
  beforeEach(() => (source = open()));

  for (const [name, step] of [
    ["a sleep of 9 h", 9 * HOUR],
    ["a clock that was set back by 2 h", -2 * HOUR],
  ] as const) {
    it(`is not sure after ${name}, until a response confirms the local clock`, () => {
      respond(source, 0);
      changes = 0;
      local.step(step);
      assert.deepEqual([clock.isSure, difference(), changes], [false, 0, 1]);
      assert.equal(clock.moment().knownSince, Number.NEGATIVE_INFINITY);
      respond(source, 0);
      assert.deepEqual([clock.isSure, difference(), changes], [true, 0, 2]);
    });
  }

  it("follows the service again, from the second response on, if the local clock was set wrong", () => {
    respond(source, 0);
    local.step(-2 * HOUR);
    respond(source, 2 * HOUR);
    assert.deepEqual([clock.isSure, difference(), source.isInDoubt], [false, 0, true]);
    respond(source, 2 * HOUR);
    assert.deepEqual([clock.isSure, difference(), reported], [true, 2 * HOUR, [2 * HOUR]]);
  });

  it("ends a correction when the local clock is set right", () => {
    agree(source, 2 * HOUR);
    const before = clock.now();
    local.step(2 * HOUR);
    assert.deepEqual([clock.now(), clock.isSure], [before, false]);
    respond(source, 0);
    assert.deepEqual([difference(), clock.isSure, clock.correction], [0, true, undefined]);
    local.step(-2 * HOUR);
    agree(source, 2 * HOUR);
    assert.deepEqual(reported, [2 * HOUR, 2 * HOUR]);
  });

  it("reports a correction that is the same after a sleep only once", () => {
    for (let night = 0; night < 3; night += 1) {
      agree(source, 2 * HOUR);
      local.step(9 * HOUR);
    }
    assert.deepEqual([difference(), reported], [0, [2 * HOUR]]);
  });

  it("does not take the response before the jump for the first of two in a row", () => {
    respond(source, 0);
    respond(source, 2 * HOUR);
    local.step(HOUR);
    respond(source, HOUR);
    assert.deepEqual([clock.isSure, difference()], [false, 0]);
  });

  it("notices it within seconds where something waits for a time, and keeps no timer otherwise", async () => {
    const { default: sinon } = await import("sinon");
    const timers = sinon.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const watched = new RuntimeClock(local);
    let calls = 0;
    const stops = [watched.onChange(() => (calls += 1)), watched.onChange(() => undefined)];
    local.step(9 * HOUR);
    timers.tick(5000);
    assert.equal(calls, 1);
    for (const stop of stops) stop();
    assert.equal(timers.countTimers(), 0);
    timers.restore();
  });
});

describe("the clock, with the records of a service", () => {
  let source: TimeSource;
  beforeEach(() => (source = open()));

  /** A record that ended some minutes before the local clock's time. */
  const record = (minutesAgo: number, minutes = 5): { start: number; end: number } => {
    const end = local.now() - minutesAgo * MINUTE;
    return { start: end - minutes * MINUTE, end };
  };

  it("never goes behind the end of a record that was read as ended, whatever the service says", () => {
    respond(source, 0);
    const ended = record(2);
    source.observeRecords([record(7), ended]);
    agree(source, -2 * HOUR);
    assert.ok(clock.now() >= ended.end);
    const before = clock.now();
    local.pass(MINUTE);
    assert.equal(clock.now(), before + MINUTE);
    local.step(-9 * HOUR);
    assert.ok(clock.now() >= before);
  });

  it("takes records that began after the service's own time for the proof that this is wrong", () => {
    agree(source, -2 * HOUR);
    assert.ok(Math.abs(difference() + 2 * HOUR) <= 1000);
    const ended = record(1);
    source.observeRecords([record(6), ended]);
    assert.ok(clock.now() >= ended.end);
    assert.ok(difference() >= -MINUTE - 1000);
  });

  it("is not moved by a record in progress, nor by one that begins in the future", () => {
    respond(source, 0);
    for (const shown of [record(-30, 60), record(-600)]) {
      source.observeRecords([record(5), shown]);
      assert.equal(difference(), 0);
    }
    agree(source, -2 * HOUR);
    assert.ok(clock.now() <= local.now());
  });

  it("is not moved by an hourly record in progress if the local clock is ahead", () => {
    agree(source, -2 * HOUR);
    // Begun 20 minutes ago by the service's clock.
    source.observeRecords([record(80, 60)]);
    assert.ok(Math.abs(difference() + 2 * HOUR) <= 1000);
  });

  it("learns nothing from records while it is not sure", () => {
    source.observeRecords([record(1)]);
    agree(source, -2 * HOUR);
    assert.ok(Math.abs(difference() + 2 * HOUR) <= 1000);
  });
});

describe("the clock, with several accounts", () => {
  it("is sure as soon as one of them has a response", () => {
    open();
    respond(open(), 0);
    assert.equal(clock.isSure, true);
  });

  for (const by of [
    [3 * HOUR, 0],
    [0, -3 * HOUR],
  ]) {
    it(`agrees with the machine if one of two services does (${by.join(", ")})`, () => {
      for (const one of by) agree(open(), one);
      assert.equal(difference(), 0);
    });
  }

  it("follows the service that is closest to the machine", () => {
    for (const by of [-10 * HOUR, 2 * HOUR, 5 * HOUR]) agree(open(), by);
    assert.equal(difference(), 2 * HOUR);
  });

  it("counts responses in a row for each of them", () => {
    const sources = [open(), open()];
    for (const source of sources) respond(source, 2 * HOUR);
    assert.deepEqual([difference(), clock.isSure], [0, false]);
  });
});

describe("work with the right time", () => {
  let source: TimeSource;
  beforeEach(() => (source = open()));

  it("is done once if the clock was right", async () => {
    let runs = 0;
    await withRightTime(clock, async () => {
      local.pass(5 * MINUTE);
      respond(source, 5000);
      runs += 1;
    });
    assert.equal(runs, 1);
  });

  it("is done once more if the clock was corrected meanwhile, even if it failed", async () => {
    const times: number[] = [];
    const work = async (): Promise<number> => {
      times.push(difference());
      agree(source, 3 * HOUR);
      if (times.length === 1) throw new Error("too early");
      return times.length;
    };
    assert.equal(await withRightTime(clock, work), 2);
    assert.deepEqual(times, [0, 3 * HOUR]);
  });

  it("fails as the work does", async () => {
    await assert.rejects(
      withRightTime(clock, () => Promise.reject(new Error("no answer"))),
      /no answer/,
    );
  });
});
