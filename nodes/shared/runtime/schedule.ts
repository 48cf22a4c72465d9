// Runs work on a schedule aligned to the clock: every 5 minutes means shortly after :00, :05, ... plus a small offset.
import { systemClock } from "../../../src/clock";
import { createHash } from "node:crypto";

const MAX_OFFSET = 30_000;
/** Timers check the clock at least this often: it may have been set, or the machine may have slept. */
const MAX_SLEEP = 60 * 60_000;
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
  let timer: NodeJS.Timeout | undefined;

  function sleepUntil(due: number): void {
    const wait = due - systemClock.now();
    timer = setTimeout(wake, Math.min(Math.max(wait, 0), MAX_SLEEP), due);
  }
  function wake(due: number): void {
    const now = systemClock.now();
    if (now < due) {
      sleepUntil(Math.min(due, nextRun(now, interval, nodeId)));
      return;
    }
    sleepUntil(nextRun(now, interval, nodeId));
    run();
  }

  if (interval > 0) sleepUntil(nextRun(systemClock.now(), interval, nodeId));
  return () => {
    cancelStart?.();
    clearTimeout(timer);
  };
}
