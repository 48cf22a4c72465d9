// Gaps: intervals without records that are requested again until they are filled or given up.
import { HOUR, MINUTE } from "../time-units";
import type { LedgerRule, LedgerMoment } from "./ledger";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "./window";

/** Plain data; all in milliseconds. */
export interface Gap extends TimeWindow {
  /** Start of the delivered record before the gap: if its end moves into the gap, it was revised. */
  readonly follows?: number | undefined;
  /** For how long the series had been watched when an answer first showed the gap; undefined before, or after failures. */
  readonly noticed: number | undefined;
  /** When a scheduled run may request it again, and the pause that led to this time. */
  readonly nextRequest: number;
  readonly pause: number;
  /** Of a long gap: the number of the day that is requested next, and counted on once the gap is due to be given up. */
  readonly turn?: number | undefined;
}

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
