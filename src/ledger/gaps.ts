// Gaps: intervals without records that are requested again until they are filled or given up, and in which windows: few
// requests for many gaps, and samples of a long one.
import { MAX_REQUESTS } from "../limits";
import { HOUR, MINUTE } from "../time-units";
import type { Gap, LedgerRule, LedgerMoment } from "./ledger";
import { isInWindow, MAX_WINDOW, splitWindow, type TimeWindow } from "./window";

export const MAX_GAP_PAUSE = HOUR;
/** A longer gap is requested in samples: that a service keeps no older records must not cost a request for each day. */
const MAX_WHOLE = 7 * MAX_WINDOW;

/** A gap over an interval without records. */
export function newGap(
  { start, end }: TimeWindow,
  { now, watched }: LedgerMoment,
  { gapRetryDelay }: Pick<LedgerRule, "gapRetryDelay">,
  follows?: number,
): Gap {
  const pause = Math.min(gapRetryDelay, MAX_GAP_PAUSE);
  const gap = { start, end, noticed: watched, nextRequest: now + pause, pause };
  return follows === undefined ? gap : { ...gap, follows };
}

/**
 * The longest break before a record that is no gap, in milliseconds: some services end a record a second before the next
 * begins. Never as long as a record.
 */
export function toleratedBreak(record: TimeWindow): number {
  return Math.min(MINUTE - 1, (record.end - record.start) / 2);
}

/** Whether only parts of a gap are requested in a run. */
export function isSampled({ start, end }: TimeWindow): boolean {
  return end - start > MAX_WHOLE;
}

/** What remains of the gaps once a record has filled its interval. */
export function fillGaps(gaps: readonly Gap[], filled: TimeWindow): readonly Gap[] {
  if (!gaps.some((gap) => isInWindow(filled, gap))) return gaps;
  return gaps.flatMap((gap) => {
    if (!isInWindow(filled, gap)) return [gap];
    // What was requested in samples is now requested as a whole.
    const noticed = isSampled(gap) ? undefined : gap.noticed;
    const before = { ...gap, noticed, end: filled.start };
    const after = { ...gap, noticed, start: filled.end, follows: filled.start };
    return [before, after].filter(({ start, end }) => end - start > toleratedBreak(filled));
  });
}

/**
 * Joins the closest neighbors if there are more gaps than `most`. The records between them, already delivered, are delivered
 * once more when the joined gap is requested; none is lost.
 */
export function boundedGaps(gaps: readonly Gap[], most: number): readonly Gap[] {
  const excess = gaps.length - most;
  if (excess <= 0) return gaps;
  const ordered = gaps.toSorted((a, b) => a.start - b.start);
  const distances = ordered.slice(1).map((gap, index) => gap.start - (ordered[index]?.end ?? 0));
  const longest = distances.toSorted((a, b) => a - b)[excess - 1] ?? 0;
  let ofLongest = excess - distances.filter((distance) => distance < longest).length;
  const joined: Gap[] = [];
  for (const gap of ordered) {
    const last = joined.at(-1);
    const distance = last ? gap.start - last.end : Number.POSITIVE_INFINITY;
    const isClose = distance < longest || (distance === longest && ofLongest-- > 0);
    if (last && isClose) joined.splice(-1, 1, joinedGap(last, gap));
    else joined.push(gap);
  }
  return joined;
}

/** Requested as soon as the first of both would be, and given up as late as the last. */
function joinedGap(left: Gap, right: Gap): Gap {
  const isKnown = left.noticed !== undefined && right.noticed !== undefined;
  const noticed = isKnown ? Math.max(left.noticed, right.noticed) : undefined;
  const { nextRequest, pause } = left.nextRequest < right.nextRequest ? left : right;
  return { ...left, end: Math.max(left.end, right.end), noticed, nextRequest, pause, turn: 0 };
}

/** The windows to request in one run, and the gaps that they cover. */
export interface GapRequests {
  windows: TimeWindow[];
  gaps: readonly Gap[];
}

/** Requests for gaps in one scheduled run, unless a single gap needs more. */
const MAX_SCHEDULED = 4;
/** Gaps this close share a request, although it also returns the delivered records between them. */
const NEIGHBOR_DISTANCE = HOUR;

/**
 * Every gap in a run that a message triggers, unless that is more than a message may request. In a scheduled run, the gaps
 * that are due, longest overdue first, within a few requests, and those that cost no further request; the rest wait for the
 * next run.
 * @param answered windows that failed until now: gaps within them are due
 */
export function gapRequests(
  gaps: readonly Gap[],
  now: number,
  isByMessage: boolean,
  answered: readonly TimeWindow[] = [],
): GapRequests {
  const all = isByMessage ? gapWindows(gaps) : [];
  if (isByMessage && all.length <= MAX_REQUESTS) return { windows: all, gaps };
  const isAnswered = (gap: Gap): boolean => answered.some((window) => isInWindow(window, gap));
  const due = gaps
    .filter((gap) => now >= gap.nextRequest || isAnswered(gap))
    .toSorted((a, b) => a.nextRequest - b.nextRequest);
  const chosen: Gap[] = [];
  for (const gap of due) {
    if (chosen.length === 0 || gapWindows([...chosen, gap]).length <= MAX_SCHEDULED) chosen.push(gap);
  }
  const windows = gapWindows(chosen);
  const isCovered = (gap: Gap): boolean => partsOf(gap).every((part) => isCoveredBy(windows, part));
  return { windows, gaps: gaps.filter(isCovered) };
}

/** `windows` are in order. */
function isCoveredBy(windows: readonly TimeWindow[], { start, end }: TimeWindow): boolean {
  let coveredTo = start;
  for (const window of windows) if (window.start <= coveredTo) coveredTo = Math.max(coveredTo, window.end);
  return coveredTo >= end;
}

/** Windows of at most 24 hours that cover all gaps; neighbors close to each other share one. */
function gapWindows(gaps: readonly Gap[]): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (const part of gaps.flatMap(partsOf).toSorted((a, b) => a.start - b.start)) {
    for (let { start } = part; start < part.end;) {
      const last = windows.at(-1);
      if (last && start - last.end <= NEIGHBOR_DISTANCE && start < last.start + MAX_WINDOW) {
        last.end = Math.max(last.end, Math.min(part.end, last.start + MAX_WINDOW));
        start = last.end;
      } else {
        windows.push({ start, end: start });
      }
    }
  }
  return windows;
}

/**
 * What to request: all of a gap or, if it is long, its last day, the day whose turn it is, and its first day if there are
 * records before it: where some turned up, there may be more.
 */
function partsOf(gap: Gap): TimeWindow[] {
  const { start, end, turn = 0 } = gap;
  if (!isSampled(gap)) return [{ start, end }];
  const days = daysOf(gap);
  const other = days[turn % days.length] ?? { start, end: start + MAX_WINDOW };
  const first = gap.follows === undefined ? [] : [{ start, end: start + MAX_WINDOW }];
  return [...first, other, { start: end - MAX_WINDOW, end }];
}

/** The days of a long gap that take turns; the last one is requested each time. */
function daysOf({ start, end }: TimeWindow): TimeWindow[] {
  return splitWindow({ start, end: end - MAX_WINDOW });
}

/**
 * The turn after this one. Turns are counted: if the clock chose the day, runs at regular intervals could choose the same few
 * days forever.
 * @param isDue whether the gap has been requested for long enough: from then on, turns tell how many there were
 */
export function nextTurn(gap: Gap, isDue: boolean): number {
  const turn = (gap.turn ?? 0) + 1;
  return isDue ? turn : turn % daysOf(gap).length;
}

/** Whether each day of a gap had a turn since the gap was due to be given up; one that is not long takes no turns. */
export function isRoundOver(gap: Gap): boolean {
  // A round may begin with any day.
  return !isSampled(gap) || (gap.turn ?? 0) >= 2 * daysOf(gap).length;
}
