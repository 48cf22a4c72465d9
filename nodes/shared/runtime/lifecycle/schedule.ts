// Runs work on a schedule aligned to the clock: every 5 minutes means shortly after :00, :05, ... plus a small offset.
import { createHash } from "node:crypto";
import { type Clock, jumpSince, sharedClock, systemClock } from "../../../../src/clock";
import { DAY, HOUR, MINUTE } from "../../../../src/time-units";

/** How often to look at the clock, in milliseconds: it may be set, and the machine may sleep. */
const LOOK_INTERVAL = 5000;

/** Also fires within seconds when its clock jumps or becomes sure or unsure: a machine that slept has much that is due. */
export class DueTimer {
  #timer: NodeJS.Timeout | undefined;
  readonly #onTimeout: () => void;
  readonly #clock: Clock;
  #due: number | undefined;
  #isClosed = false;

  /**
   * `onTimeout` may be called early: it must check what is due, by the same clock, and set the timer again. It must not throw.
   */
  constructor(onTimeout: () => void, clock: Clock = sharedClock) {
    this.#onTimeout = onTimeout;
    this.#clock = clock;
  }

  /** What it was last set to. */
  get due(): number | undefined {
    return this.#due;
  }

  /** `due` is in milliseconds by the clock of the timer; infinite = once the time changes, undefined stops it. */
  set(due: number | undefined): void {
    this.#due = due;
    clearTimeout(this.#timer);
    if (due === undefined || this.#isClosed) return;
    const { isSure } = this.#clock;
    const hasJumped = jumpSince(this.#clock);
    // What is measured by the steady clock is due although the other was set back by less than a jump.
    const steadyDue = this.#clock.monotonic() + due - this.#clock.now();
    const look = (isFirst = false): void => {
      const left = Math.min(due - this.#clock.now(), steadyDue - this.#clock.monotonic());
      if (isFirst || (left > 0 && this.#clock.isSure === isSure && !hasJumped()))
        this.#timer = setTimeout(look, Math.min(Math.max(left, 0), LOOK_INTERVAL));
      else this.#onTimeout();
    };
    look(true);
  }

  /** Stops the timer for good, whatever work that is still going on sets. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}

const MAX_OFFSET = 30_000;
/** The same delay as in the core inject node: by then, the rest of the flow is ready. */
const START_DELAY = 100;

/** Calls `run` once the rest of the flow, including catch nodes, is ready. Returns a function that cancels the call. */
export function afterStart(run: () => void): () => void {
  const timer = setTimeout(run, START_DELAY);
  return () => clearTimeout(timer);
}

/** Runs that are whole days apart are at this local time: by then, the last records of the day before can be read. */
const DAILY = 15 * MINUTE;

/** Local time minus UTC, in milliseconds, in Node-RED's own time zone. */
function zoneOffset(time: number): number {
  return -new Date(time).getTimezoneOffset() * MINUTE;
}

/**
 * When the next run is due, in milliseconds since the epoch. The offset is stable for each node and differs between
 * nodes, so that many installations do not call at the same moment.
 */
export function nextRun(now: number, interval: number, nodeId: string): number {
  const share = createHash("sha256").update(nodeId).digest().readUInt16BE(0) / 0x1_00_00;
  const offset = share * Math.min(MAX_OFFSET, interval / 10);
  const isDaily = interval > 0 && interval % DAY === 0;
  // In some zones, an hour begins at half past one of UTC.
  const start = offset + (isDaily ? DAILY - zoneOffset(now) : -zoneOffset(now) % HOUR);
  const next = Math.floor((now - start) / interval + 1) * interval + start;
  if (!isDaily) return next;
  // Clocks may change before it, at midnight as well: then there is no such time on that day.
  const zone = zoneOffset(next);
  const changed = next + zoneOffset(now) - zone;
  return changed > now && zoneOffset(changed) === zone ? changed : next;
}

export interface ScheduleOptions {
  /** In minutes; 0 = no repeat. */
  readonly repeat?: number;
  readonly onDeploy?: boolean;
}

/** How work without a message spreads its requests, so that many of them make no burst. */
export interface Spread {
  /** Milliseconds between two requests at most. */
  maxPause: number;
  /** When the last request should start, in milliseconds of the steady clock. */
  until: number;
}

/** A run on deploy is soon complete, so that a flow shows something, however many requests it makes. */
const MAX_PAUSE_ON_DEPLOY = 200;
const MAX_TIME_ON_DEPLOY = 30_000;
const MAX_PAUSE = 5000;
/** The rest of the interval is for the last requests themselves. */
const SHARE_OF_INTERVAL = 0.9;

export type Schedule = ReturnType<typeof startSchedule>;

/** Calls `run` on schedule until it is stopped. */
export function startSchedule(
  nodeId: string,
  { repeat = 0, onDeploy = false }: ScheduleOptions,
  run: (spread: Spread) => void,
) {
  const interval = repeat * MINUTE;
  const nextRepeat = (): number | undefined =>
    interval > 0 ? nextRun(systemClock.now(), interval, nodeId) : undefined;
  const runSpread = (isSoon: boolean): void => {
    const { due = Number.POSITIVE_INFINITY } = timer;
    const available = (due - systemClock.now()) * SHARE_OF_INTERVAL;
    const time = isSoon ? Math.min(available, MAX_TIME_ON_DEPLOY) : available;
    run({ maxPause: isSoon ? MAX_PAUSE_ON_DEPLOY : MAX_PAUSE, until: systemClock.monotonic() + time });
  };
  const cancelStart = onDeploy ? afterStart(() => runSpread(true)) : undefined;
  const timer: DueTimer = new DueTimer(() => {
    const { due = Number.POSITIVE_INFINITY } = timer;
    const isDue = systemClock.now() >= due;
    const next = nextRepeat();
    // A clock that was set back must not delay the next run.
    timer.set(isDue ? next : Math.min(due, next ?? due));
    // Without a repeat, it stands for the run on deploy.
    if (isDue) runSpread(interval === 0);
  }, systemClock);
  timer.set(nextRepeat());
  return {
    /** When the next run is due, in milliseconds; undefined if there is none. */
    next: () => timer.due,
    /** Runs after this many milliseconds, at least a minute, unless the next run is due soon after that. */
    again: (delay: number) => {
      const time = systemClock.now() + Math.max(delay, MINUTE);
      if (timer.due === undefined || time + MINUTE <= timer.due) timer.set(time);
    },
    stop: () => {
      cancelStart?.();
      timer.close();
    },
  };
}
