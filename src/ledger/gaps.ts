// Gaps between delivered records: they are retried until they are filled or too old.
import { MAX_WINDOW, splitWindow, type TimeWindow } from "./window";
import { HOUR } from "../time-units";

/** Plain data, stored as JSON; all in milliseconds. */
export interface Gap extends TimeWindow {
  /** Start of the delivered record before the gap: if its end moves into the gap, it was revised. */
  follows?: number | undefined;
  /** When the gap was noticed. */
  noticed: number;
  /** When a scheduled run may retry it, and the delay that led to this time. */
  nextAsk: number;
  pause: number;
}

const MAX_DELAY = HOUR;
/** Requests for gaps in one scheduled run. */
const MAX_REQUESTS = 4;
/** Gaps this close share a request, although it also returns the delivered records between them. */
const NEIGHBOR_DISTANCE = HOUR;

/** Splits a window without records into gaps of at most 24 hours, first retried by schedule after `firstDelay` ms. */
export function newGaps(missing: TimeWindow, now: number, firstDelay: number, follows?: number): Gap[] {
  const pause = Math.min(firstDelay, MAX_DELAY);
  return splitWindow(missing).map((part) => ({
    ...part,
    ...(part.start === missing.start && follows !== undefined ? { follows } : {}),
    noticed: now,
    nextAsk: now + pause,
    pause,
  }));
}

/** The gaps still to be retried: those noticed within the last `horizon` milliseconds. */
export function openGaps(gaps: readonly Gap[], now: number, horizon: number): Gap[] {
  return gaps.filter(({ noticed }) => now - noticed < horizon);
}

/** The windows to request in one run, and the gaps that they cover. */
export interface GapRequests {
  windows: TimeWindow[];
  gaps: Gap[];
}

/**
 * Every gap in a run triggered by a message. In a scheduled run, the gaps that are due, longest overdue first, within a few
 * requests; the rest wait for the next run.
 */
export function gapRequests(gaps: readonly Gap[], now: number, isTriggered: boolean): GapRequests {
  if (isTriggered) return { windows: gapWindows(gaps), gaps: [...gaps] };
  const due = gaps.filter(({ nextAsk }) => now >= nextAsk).toSorted((a, b) => a.nextAsk - b.nextAsk);
  const retried: Gap[] = [];
  for (const gap of due) {
    if (gapWindows([...retried, gap]).length <= MAX_REQUESTS) retried.push(gap);
  }
  return { windows: gapWindows(retried), gaps: retried };
}

/** The gaps after a retry: the delay before the next one doubles, up to an hour. */
export function retriedGaps(gaps: readonly Gap[], retried: readonly Gap[], now: number): Gap[] {
  return gaps.map((gap) => {
    if (!retried.some((one) => covers(one, gap))) return gap;
    const pause = Math.min(gap.pause * 2, MAX_DELAY);
    return { ...gap, nextAsk: now + pause, pause };
  });
}

/** Windows of at most 24 hours that cover all gaps; neighbors close to each other share one. */
function gapWindows(gaps: readonly Gap[]): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (const gap of gaps.toSorted((a, b) => a.start - b.start)) {
    for (let { start } = gap; start < gap.end;) {
      const last = windows.at(-1);
      if (last && start - last.end <= NEIGHBOR_DISTANCE && start < last.start + MAX_WINDOW) {
        last.end = Math.max(last.end, Math.min(gap.end, last.start + MAX_WINDOW));
        start = last.end;
      } else {
        windows.push({ start, end: start });
      }
    }
  }
  return windows;
}

/** What remains of the gaps once a record has filled its interval. */
export function fillGap(gaps: readonly Gap[], filled: TimeWindow): Gap[] {
  return gaps.flatMap((gap) => {
    if (filled.end <= gap.start || filled.start >= gap.end) return [gap];
    const before = { ...gap, end: filled.start };
    const after = { ...gap, start: filled.end, follows: filled.start };
    return [before, after].filter(({ start, end }) => start < end);
  });
}

/** Whether a gap contains the whole window. */
function covers(gap: TimeWindow, window: TimeWindow): boolean {
  return gap.start <= window.start && window.end <= gap.end;
}
