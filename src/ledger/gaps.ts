// Gaps: intervals without records that are asked for again until they are filled or given up.
import { MAX_REQUESTS as MOST_REQUESTS } from "../limits";
import { HOUR, MINUTE } from "../time-units";
import { isInWindow, MAX_WINDOW, splitWindow, type TimeWindow } from "./window";

/** Plain data, stored as JSON; all in milliseconds. */
export interface Gap extends TimeWindow {
  /** Start of the delivered record before the gap: if its end moves into the gap, it was revised. */
  readonly follows?: number | undefined;
  /** For how long the series had been watched when an answer first showed the gap; undefined before, or after failures. */
  readonly noticed: number | undefined;
  /** When a scheduled run may ask for it again, and the pause that led to this time. */
  readonly nextAsk: number;
  readonly pause: number;
  /** Of a long gap: the number of the day that is asked for next, and counted on once the gap is due to be given up. */
  readonly turn?: number | undefined;
}

/** What a new gap starts with. */
export interface Notice {
  now: number;
  /** For how long the series has been watched, in milliseconds. */
  watched: number;
  /** The first pause, in milliseconds. */
  delay: number;
  follows?: number | undefined;
}

const MAX_PAUSE = HOUR;
/** Requests for gaps in one scheduled run, unless a single gap needs more. */
const MAX_REQUESTS = 4;
/** Gaps this close share a request, although it also returns the delivered records between them. */
const NEIGHBOR_DISTANCE = HOUR;
/** A longer gap is asked for in samples: that a service keeps no older records must not cost a request for each day. */
const MAX_WHOLE = 7 * MAX_WINDOW;

/** A gap over an interval without records. */
export function newGap({ start, end }: TimeWindow, { now, watched, delay, follows }: Notice): Gap {
  const pause = Math.min(delay, MAX_PAUSE);
  return {
    start,
    end,
    noticed: watched,
    nextAsk: now + pause,
    pause,
    ...(follows !== undefined && { follows }),
  };
}

/**
 * The longest interval before a record that is no gap, in milliseconds: some services end a record a second before the next
 * begins. Never as long as a record.
 */
export function seamOf(record: TimeWindow): number {
  return Math.min(MINUTE - 1, (record.end - record.start) / 2);
}

/** The windows to ask for in one run, and the gaps that they cover. */
export interface GapRequests {
  windows: TimeWindow[];
  gaps: readonly Gap[];
}

/**
 * Every gap in a run that a message triggers, unless that is more than a message may ask for. In a scheduled run, the gaps that are due, longest overdue first, within a few
 * requests, and those that cost no further request; the rest wait for the next run.
 * @param answered windows that failed until now: gaps within them are due
 */
export function gapRequests(
  gaps: readonly Gap[],
  now: number,
  isTriggered: boolean,
  answered: readonly TimeWindow[] = [],
): GapRequests {
  const all = isTriggered ? gapWindows(gaps) : [];
  if (isTriggered && all.length <= MOST_REQUESTS) return { windows: all, gaps };
  const isAnswered = (gap: Gap): boolean => answered.some((window) => isInWindow(window, gap));
  const due = gaps
    .filter((gap) => now >= gap.nextAsk || isAnswered(gap))
    .toSorted((a, b) => a.nextAsk - b.nextAsk);
  const chosen: Gap[] = [];
  for (const gap of due) {
    if (chosen.length === 0 || gapWindows([...chosen, gap]).length <= MAX_REQUESTS) chosen.push(gap);
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

/** Whether only parts of a gap are asked for in a run. */
export function isSampled({ start, end }: TimeWindow): boolean {
  return end - start > MAX_WHOLE;
}

/** The days of a long gap that take turns; the last one is asked for each time. */
function daysOf({ start, end }: TimeWindow): TimeWindow[] {
  return splitWindow({ start, end: end - MAX_WINDOW });
}

/**
 * What to ask for: all of a gap or, if it is long, its last day, the day whose turn it is, and its first day if there are
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

/**
 * The turn after this one. Turns are counted: if the clock chose the day, runs at regular intervals could choose the same few
 * days forever.
 * @param isDue whether the gap has been asked for long enough: from then on, turns tell how many there were
 */
function nextTurn(gap: Gap, isDue: boolean): number {
  const turn = (gap.turn ?? 0) + 1;
  return isDue ? turn : turn % daysOf(gap).length;
}

/** Whether each day of a gap had a turn since the gap was due to be given up; one that is not long takes no turns. */
export function isRoundOver(gap: Gap): boolean {
  // A round may begin with any day.
  return !isSampled(gap) || (gap.turn ?? 0) >= 2 * daysOf(gap).length;
}

/** How gaps are asked for again. */
export interface Retry {
  now: number;
  /** The first pause, in milliseconds. */
  delay: number;
  /** Whether a gap has been asked for long enough. */
  isDue: (gap: Gap) => boolean;
}

/**
 * The gaps after an answer: a gap that is as it was waits twice as long, up to an hour; for the rest of a gap in which
 * records turned up, more are likely soon, so it starts over.
 */
export function askedGaps(gaps: readonly Gap[], asked: readonly Gap[], { now, delay, isDue }: Retry): Gap[] {
  const unchanged = new Set(asked.map(({ start, end }) => `${start}-${end}`));
  return gaps.map((gap) => {
    if (!asked.some((one) => one.start <= gap.start && gap.end <= one.end)) return gap;
    const isUnchanged = unchanged.has(`${gap.start}-${gap.end}`);
    const pause = Math.min(isUnchanged ? gap.pause * 2 : delay, MAX_PAUSE);
    const turn = isSampled(gap) && { turn: nextTurn(gap, isDue(gap)) };
    return { ...gap, nextAsk: now + pause, pause, ...turn };
  });
}

/** What remains of the gaps once a record has filled its interval. */
export function fillGaps(gaps: readonly Gap[], filled: TimeWindow): readonly Gap[] {
  if (!gaps.some((gap) => isInWindow(filled, gap))) return gaps;
  const seam = seamOf(filled);
  return gaps.flatMap((gap) => {
    if (!isInWindow(filled, gap)) return [gap];
    // What was asked for in samples is now asked for as a whole.
    const noticed = isSampled(gap) ? undefined : gap.noticed;
    const before = { ...gap, noticed, end: filled.start };
    const after = { ...gap, noticed, start: filled.end, follows: filled.start };
    return [before, after].filter(({ start, end }) => end - start > seam);
  });
}

/**
 * Joins the closest neighbors if there are more gaps than `most`. The records between them, already delivered, are delivered once
 * more when the joined gap is asked for; none is lost.
 */
export function boundedGaps(gaps: readonly Gap[], most: number): readonly Gap[] {
  if (gaps.length <= most) return gaps;
  const joined = gaps.toSorted((a, b) => a.start - b.start);
  while (joined.length > most) {
    let closest = 1;
    for (let index = 2; index < joined.length; index += 1) {
      if (distance(joined, index) < distance(joined, closest)) closest = index;
    }
    const [left, right] = joined.slice(closest - 1, closest + 1);
    if (left && right) joined.splice(closest - 1, 2, joinedGap(left, right));
  }
  return joined;
}

function distance(gaps: readonly Gap[], index: number): number {
  return (gaps[index]?.start ?? 0) - (gaps[index - 1]?.end ?? 0);
}

/** Asked for as soon as the first of both would be, and given up as late as the last. */
function joinedGap(left: Gap, right: Gap): Gap {
  const isKnown = left.noticed !== undefined && right.noticed !== undefined;
  const noticed = isKnown ? Math.max(left.noticed, right.noticed) : undefined;
  const { nextAsk, pause } = left.nextAsk < right.nextAsk ? left : right;
  return { ...left, end: Math.max(left.end, right.end), noticed, nextAsk, pause, turn: 0 };
}
