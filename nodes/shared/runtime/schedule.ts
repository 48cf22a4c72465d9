// Runs work on a schedule aligned to the clock: every 5 minutes means shortly after :00, :05, ... plus a small offset.
import { createHash } from "node:crypto";
import { systemClock } from "../../../src/clock";
import { DueTimer } from "./timer";

const MAX_OFFSET = 30_000;
/** The same delay as in the core inject node: by then, the rest of the flow is ready. */
const START_DELAY = 100;

/** Calls `run` once the rest of the flow, including catch nodes, is ready. Returns a function that cancels the call. */
export function afterStart(run: () => void): () => void {
  const timer = setTimeout(run, START_DELAY);
  return () => clearTimeout(timer);
}

/**
 * When the next run is due, in milliseconds since the epoch. The offset is stable for each node and differs between
 * nodes, so that many installations do not call at the same moment.
 */
export function nextRun(now: number, interval: number, nodeId: string): number {
  const share = createHash("sha256").update(nodeId).digest().readUInt16BE(0) / 0x1_00_00;
  const offset = share * Math.min(MAX_OFFSET, interval / 10);
  return Math.floor((now - offset) / interval + 1) * interval + offset;
}

export interface ScheduleOptions {
  nodeId: string;
  /** 0 = no repeat. */
  repeatMinutes: number;
  onDeploy: boolean;
}

/** How work without a message spreads its requests, so that many of them make no burst. */
export interface Spread {
  /** Milliseconds between two requests at most. */
  maxPause: number;
  /** When the last request should start, in milliseconds of the steady clock. */
  until: number;
}

/** A run on deploy is soon complete, so that a flow shows something. */
const MAX_PAUSE_ON_DEPLOY = 200;
const MAX_PAUSE = 5000;
/** The rest of the interval is for the last requests themselves. */
const SHARE_OF_INTERVAL = 0.9;

/** Calls `run` on schedule until the returned function is called. */
export function startSchedule(
  { nodeId, repeatMinutes, onDeploy }: ScheduleOptions,
  run: (spread: Spread) => void,
): () => void {
  const interval = repeatMinutes * 60_000;
  let due = Number.POSITIVE_INFINITY;
  const runSpread = (maxPause: number): void => {
    const available = (due - systemClock.now()) * SHARE_OF_INTERVAL;
    run({ maxPause, until: systemClock.monotonic() + available });
  };
  const cancelStart = onDeploy ? afterStart(() => runSpread(MAX_PAUSE_ON_DEPLOY)) : undefined;
  const timer = new DueTimer(() => {
    const now = systemClock.now();
    const isDue = now >= due;
    const next = nextRun(now, interval, nodeId);
    // A clock that was set back must not delay the next run.
    due = isDue ? next : Math.min(due, next);
    timer.set(due);
    if (isDue) runSpread(MAX_PAUSE);
  }, systemClock);
  if (interval > 0) {
    due = nextRun(systemClock.now(), interval, nodeId);
    timer.set(due);
  }
  return () => {
    cancelStart?.();
    timer.close();
  };
}
