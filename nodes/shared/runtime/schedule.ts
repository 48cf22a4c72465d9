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

/** Calls `run` on schedule until the returned function is called. */
export function startSchedule(
  { nodeId, repeatMinutes, onDeploy }: ScheduleOptions,
  run: () => void,
): () => void {
  const interval = repeatMinutes * 60_000;
  const cancelStart = onDeploy ? afterStart(run) : undefined;
  let due = Number.POSITIVE_INFINITY;
  const timer = new DueTimer(() => {
    const now = systemClock.now();
    const isDue = now >= due;
    const next = nextRun(now, interval, nodeId);
    // A clock that was set back must not delay the next run.
    due = isDue ? next : Math.min(due, next);
    timer.set(due);
    if (isDue) run();
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
