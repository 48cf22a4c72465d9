// Tests for the service's clock: when it corrects the local clock, how it runs on, and how often it reports that.
import assert from "node:assert/strict";
import { type Clock, ServiceClock, sharedClock, shareClock, systemClock, withRightTime } from "../src/clock";
import { HOUR, MINUTE } from "../src/time-units";

/** A local clock that can be set; both of its times pass together. */
class LocalClock implements Clock {
  #passed = 0;
  #set = Date.UTC(2026, 5, 10, 10, 0);
  now = (): number => this.#set + this.#passed;
  monotonic = (): number => this.#passed;
  pass(ms: number): void {
    this.#passed += ms;
  }
  step(ms: number): void {
    this.#set += ms;
  }
}

describe("service clock", () => {
  let local: LocalClock;
  let reported: number[];
  let clock: ServiceClock;

  beforeEach(() => {
    local = new LocalClock();
    reported = [];
    clock = new ServiceClock((correction) => reported.push(correction), local);
  });

  /** A response whose Date header differs from the local clock. */
  const respond = (difference: number, durationMs = 0): void => {
    const sentAt = local.monotonic();
    local.pass(durationMs);
    clock.observe(local.now() + difference, sentAt);
  };

  it("is the local clock, however often that is set, before a service has said what time it is", () => {
    for (const step of [0, 3 * HOUR, -5 * HOUR]) {
      local.step(step);
      assert.equal(clock.now(), local.now());
    }
    assert.equal(clock.isSet, false);
  });

  for (const [name, time] of [
    ["no", undefined],
    ["an invalid", Number.NaN],
  ] as const) {
    it(`learns nothing from a response with ${name} date`, () => {
      clock.observe(time, 0);
      local.step(HOUR);
      assert.equal(clock.now(), local.now());
      respond(3 * HOUR);
      const before = clock.now();
      local.pass(10);
      clock.observe(time, 0);
      assert.equal(clock.now(), before + 10);
    });
  }

  for (const difference of [-MINUTE, -5000, 0, 5000, MINUTE]) {
    it(`is the local clock at a difference of ${difference} ms`, () => {
      respond(difference);
      assert.equal(clock.now(), local.now());
      assert.deepEqual([clock.correction, reported], [undefined, []]);
    });
  }

  for (const difference of [-240 * HOUR, -MINUTE - 2000, MINUTE + 1, 3 * HOUR]) {
    it(`is the service's clock at a difference of ${difference} ms`, () => {
      respond(difference);
      assert.ok(Math.abs(clock.now() - local.now() - difference) <= 1000);
      local.pass(HOUR);
      assert.ok(Math.abs(clock.now() - local.now() - difference) <= 1000);
      assert.equal(reported.length, 1);
      assert.equal(clock.correction, reported[0]);
      assert.equal(Math.sign(reported[0] ?? 0), Math.sign(difference));
    });
  }

  for (const step of [-3 * HOUR, 3 * HOUR, 240 * HOUR]) {
    it(`runs on steadily when the local clock is set by ${step / HOUR} hours, and reports that with the next response`, () => {
      respond(0);
      const before = clock.now();
      local.step(step);
      local.pass(1000);
      assert.equal(clock.now(), before + 1000);
      assert.deepEqual(reported, []);
      respond(-step);
      assert.equal(clock.now(), before + 1000);
      assert.deepEqual(reported, [-step]);
    });
  }

  it("follows the local clock again once that has been set right, and reports the next correction", () => {
    respond(3 * HOUR);
    local.step(3 * HOUR);
    respond(0);
    assert.equal(clock.now(), local.now());
    assert.equal(clock.correction, undefined);
    local.step(-2 * HOUR);
    respond(2 * HOUR);
    assert.deepEqual(reported, [3 * HOUR, 2 * HOUR]);
  });

  it("ends a correction when the local clock is set nearly right", () => {
    respond(3 * HOUR);
    local.step(3 * HOUR);
    respond(MINUTE - 5000);
    assert.equal(clock.correction, undefined);
  });

  it("reports a correction once, although it is a little different with each response", () => {
    for (let second = 0; second < 100; second += 1) {
      respond(3 * HOUR - (second % 50) * 1000);
      local.pass(MINUTE);
    }
    assert.deepEqual(reported, [3 * HOUR]);
  });

  it("does not report a difference of about a minute again and again", () => {
    for (let count = 0; count < 20; count += 1) respond(MINUTE + (count % 2 === 0 ? 500 : -500));
    assert.equal(reported.length, 1);
  });

  it("follows the service while the local clock drifts, without a jump", () => {
    let last = clock.now();
    for (let hours = 0; hours < 24; hours += 1) {
      const drift = hours * 10_000;
      respond(drift);
      assert.ok(clock.now() >= last);
      assert.ok(Math.abs(clock.now() - (local.now() + drift)) <= MINUTE + 1000);
      last = clock.now();
      local.pass(HOUR);
    }
    assert.deepEqual(
      reported.map((ms) => Math.round(ms / MINUTE)),
      [1, 2, 4],
    );
  });

  it("takes a slow response for no difference: it may have been sent long ago", () => {
    respond(-5 * MINUTE, 5 * MINUTE);
    assert.equal(clock.now(), local.now());
    assert.deepEqual(reported, []);
  });

  it("keeps a time that a slow response does not contradict", () => {
    respond(3 * HOUR);
    const before = clock.now();
    respond(3 * HOUR - 4 * MINUTE, 5 * MINUTE);
    assert.equal(clock.now(), before + 5 * MINUTE);
  });
});

describe("shared clock", () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  function openClock(correction?: number): void {
    const clock = new ServiceClock();
    closers.push(shareClock(clock));
    if (correction !== undefined) clock.observe(systemClock.now() + correction, systemClock.monotonic());
  }
  const difference = (): number => Math.round(Math.abs(sharedClock.now() - systemClock.now()) / MINUTE);

  it("is the local clock while no account has a response", () => {
    openClock();
    assert.equal(difference(), 0);
  });

  it("follows the service of the only account, until that is closed", () => {
    openClock();
    openClock(3 * HOUR);
    assert.equal(difference(), 180);
    for (const close of closers.splice(0)) close();
    assert.equal(difference(), 0);
  });

  for (const corrections of [
    [3 * HOUR, 0],
    [0, -3 * HOUR],
  ]) {
    it(`agrees with the machine if one of two services does (${corrections.join(", ")})`, () => {
      for (const correction of corrections) openClock(correction);
      assert.equal(difference(), 0);
    });
  }

  it("follows the service that is closest to the machine", () => {
    for (const correction of [-10 * HOUR, 2 * HOUR, 5 * HOUR]) openClock(correction);
    assert.equal(difference(), 120);
  });
});

describe("work with the right time", () => {
  const local = new LocalClock();
  let clock: ServiceClock;
  beforeEach(() => (clock = new ServiceClock(undefined, local)));

  it("is done once if the clock was right", async () => {
    let runs = 0;
    await withRightTime(clock, async () => {
      local.pass(5 * MINUTE);
      clock.observe(local.now() + 5000, local.monotonic());
      runs += 1;
    });
    assert.equal(runs, 1);
  });

  it("is done once more if the clock was corrected meanwhile, even if it failed", async () => {
    const times: number[] = [];
    const work = async (): Promise<number> => {
      times.push(clock.now() - local.now());
      clock.observe(local.now() + 3 * HOUR, local.monotonic());
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
