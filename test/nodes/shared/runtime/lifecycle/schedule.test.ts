// Tests for the schedule: runs are aligned to the clock, each node has a small offset, and runs stop on close.
import assert from "node:assert/strict";
import sinon from "sinon";
import { nextRun, startSchedule } from "../../../../../nodes/shared/runtime/lifecycle/schedule";
import { MINUTE } from "../../../../../src/time-units";

const noon = Date.UTC(2026, 5, 1, 12);

describe("schedule", () => {
  let clock: sinon.SinonFakeTimers;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: noon + 2 * MINUTE, toFake: ["Date", "setTimeout", "clearTimeout"] });
  });
  afterEach(() => clock.restore());

  /** The minutes after noon at which a schedule ran. */
  const runsOf = (repeatMinutes: number, forMinutes: number, onDeploy = false): number[] => {
    const runs: number[] = [];
    const { stop } = startSchedule("a", { repeat: repeatMinutes, onDeploy }, () =>
      runs.push((Date.now() - noon) / MINUTE),
    );
    clock.tick(forMinutes * MINUTE);
    stop();
    return runs;
  };

  it("runs every 5 minutes shortly after :00, :05, :10", () => {
    const runs = runsOf(5, 20);
    assert.deepEqual(
      runs.map((minute) => Math.floor(minute)),
      [5, 10, 15, 20],
    );
    assert.ok(runs.every((minute) => minute % 5 <= 0.5));
  });

  it("accepts fractions of a minute", () => {
    assert.equal(runsOf(0.05, 1).length, 20);
  });

  it("does not run with a repeat of 0, except once with onDeploy", () => {
    assert.deepEqual(runsOf(0, 60), []);
    assert.equal(runsOf(0, 60, true).length, 1);
    assert.equal(runsOf(5, 4, true).length, 2);
  });

  it("supports an interval longer than any timer", () => {
    const fortyDays = 40 * 24 * 60;
    let runs = 0;
    const { stop } = startSchedule("a", { repeat: fortyDays, onDeploy: false }, () => (runs += 1));
    for (let day = 0; day < 80; day += 1) {
      clock.tick(MINUTE);
      // As in sleep: the timers of the day between do not fire.
      clock.setSystemTime(Date.now() + (24 * 60 - 1) * MINUTE);
    }
    clock.tick(MINUTE);
    stop();
    assert.equal(runs, 2);
  });

  it("always gives a node the same offset, and different nodes different ones", () => {
    const offset = (nodeId: string, now: number): number => nextRun(now, 5 * MINUTE, nodeId) % (5 * MINUTE);
    const ids = Array.from({ length: 50 }, (_, index) => `node-${index}`);
    const offsets = ids.map((id) => offset(id, noon));
    assert.deepEqual(
      offsets,
      ids.map((id) => offset(id, noon + 77 * MINUTE)),
    );
    assert.ok(new Set(offsets).size > 45);
    assert.ok(offsets.every((milliseconds) => milliseconds >= 0 && milliseconds <= 30_000));
  });

  const inZone = (name: string, check: () => void): void => {
    const zone = process.env["TZ"];
    process.env["TZ"] = name;
    try {
      check();
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  };

  it("runs every hour shortly after the full hour, also where that is at half past or a quarter to one of UTC", () => {
    for (const zone of ["UTC", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "Pacific/Marquesas"])
      inZone(zone, () => {
        for (let now = noon; now < noon + 2 * 60 * MINUTE; now += 7 * MINUTE) {
          const next = nextRun(now, 60 * MINUTE, "a");
          assert.equal(new Date(next).getMinutes(), 0, zone);
          assert.ok(next > now && next <= now + 60 * MINUTE);
        }
      });
  });

  it("runs once a day at a quarter past local midnight, also when clocks change", () => {
    inZone("Europe/Berlin", () => {
      for (const [start, days] of [
        ["2026-03-27T10:00:00+01:00", [28, 29, 30, 31]],
        ["2026-10-23T10:00:00+02:00", [24, 25, 26, 27]],
      ] as const) {
        let now = Date.parse(start);
        for (const day of days) {
          now = nextRun(now, 24 * 60 * MINUTE, "a");
          assert.match(new Date(now).toString(), new RegExp(`${day} 2026 00:15`));
        }
      }
    });
  });

  it("runs once a day where clocks change at midnight: on the day without a quarter past, an hour later", () => {
    inZone("America/Santiago", () => {
      for (const [start, times] of [
        ["2026-09-04T10:00:00-04:00", ["05 2026 00:15", "06 2026 01:15", "07 2026 00:15"]],
        ["2026-04-03T10:00:00-03:00", ["04 2026 00:15", "05 2026 00:15", "06 2026 00:15"]],
      ] as const) {
        let now = Date.parse(start);
        for (const time of times) {
          now = nextRun(now, 24 * 60 * MINUTE, "a");
          assert.match(new Date(now).toString(), new RegExp(time));
        }
      }
    });
  });

  it("is always due within one interval from now", () => {
    for (let now = noon; now < noon + 10 * MINUTE; now += 777) {
      const wait = nextRun(now, MINUTE, "a") - now;
      assert.ok(wait > 0 && wait <= MINUTE);
    }
    // Where midnight is skipped, a quarter past it is never.
    inZone("America/Havana", () => {
      const before = Date.parse("2026-03-07T23:50:00-05:00");
      assert.ok(nextRun(before, 24 * 60 * MINUTE, "a") > before);
    });
  });

  it("follows the clock when it is set back or forward", () => {
    const runs: number[] = [];
    const { stop } = startSchedule("a", { repeat: 60 * 24, onDeploy: false }, () => runs.push(Date.now()));
    // Local midnight.
    clock.setSystemTime(new Date(2026, 5, 2).getTime() - 6 * MINUTE);
    clock.tick(60 * MINUTE);
    assert.equal(runs.length, 1);
    stop();
    let [repeats, retries] = [0, 0];
    const often = startSchedule("a", { repeat: 5 }, () => (repeats += 1));
    const once = startSchedule("a", {}, () => (retries += 1));
    once.again(10 * MINUTE);
    clock.setSystemTime(noon - 24 * 60 * MINUTE);
    clock.tick(6 * MINUTE);
    assert.ok(repeats > 0);
    clock.setSystemTime(noon + 24 * 60 * MINUTE);
    clock.tick(MINUTE);
    assert.equal(retries, 1);
    often.stop();
    once.stop();
  });

  it("runs again after a run that was cut short, if the next one is not due soon", () => {
    for (const [repeatMinutes, expected] of [
      [30, [30, 35]],
      [6, [6, 12]],
    ] as const) {
      const start = Date.now();
      const runs: number[] = [];
      const schedule = startSchedule("a", { repeat: repeatMinutes, onDeploy: false }, () => {
        runs.push(Math.floor((Date.now() - start + 2 * MINUTE) / MINUTE));
        if (runs.length === 1) schedule.again(5 * MINUTE);
      });
      clock.tick((expected[1] - 1) * MINUTE);
      schedule.stop();
      assert.deepEqual(runs, expected);
      clock.setSystemTime(noon + 2 * MINUTE);
    }
  });

  it("waits at least a minute before it runs again", () => {
    const runs: number[] = [];
    const schedule = startSchedule("a", { repeat: 0, onDeploy: true }, ({ maxPause }) => {
      runs.push(Math.round((Date.now() - noon) / MINUTE));
      assert.equal(maxPause, 200);
      if (runs.length < 3) schedule.again(1000);
    });
    clock.tick(10 * MINUTE);
    schedule.stop();
    assert.deepEqual(runs, [2, 3, 4]);
  });

  it("spreads a run over nine tenths of its interval, and over half a minute at most after a deploy", () => {
    const seconds: number[] = [];
    const { stop } = startSchedule("a", { repeat: 5, onDeploy: true }, ({ until }) =>
      // The steady clock is not faked, and goes on.
      seconds.push(Math.ceil((until - performance.now()) / 1000)),
    );
    clock.tick(4 * MINUTE);
    stop();
    assert.deepEqual(seconds, [30, 270]);
  });

  it("leaves no timer behind", () => {
    const { stop, again } = startSchedule("a", { repeat: 5, onDeploy: true }, () => undefined);
    again(1000);
    stop();
    assert.equal(clock.countTimers(), 0);
  });
});
