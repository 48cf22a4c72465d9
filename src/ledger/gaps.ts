// Gaps: intervals without records that are requested again until they are filled or given up, and in which windows: few
// requests for many gaps, and samples of a long one. Giving up is observed, never computed.
import { MAX_REQUESTS } from "../limits";
import { AHEAD, HOUR, isInWindow, isoTime, MAX_WINDOW, type TimeWindow } from "../time-units";
import {
  cursorTime,
  type Gap,
  isLong,
  type Ledger,
  type LedgerMoment,
  type LedgerRule,
  owedFrom,
  silenceOf,
  type Usual,
  usualOf,
} from "./ledger";

const MAX_GAP_PAUSE = HOUR;
/** A longer gap is requested in samples: that a service keeps no older records must not cost a request for each day. */
const MAX_WHOLE = 7 * MAX_WINDOW;
/** Records that turn up in or behind a gap are worth a request for each of so many days, once. */
const MAX_ONCE = 60 * MAX_WINDOW;

/** A gap over an interval that was found to be without records. */
export function newGap({ start, end }: TimeWindow, { now, watched }: LedgerMoment, rule: LedgerRule): Gap {
  const pause = Math.min(rule.gapRetryDelay, MAX_GAP_PAUSE);
  return { start, end, noticed: watched, nextRequest: now + pause, pause, turn: 0 };
}

/** A gap that is to be requested as a whole in the next run, because records have turned up in or behind it. */
export function owedGap(window: TimeWindow, moment: LedgerMoment, rule: LedgerRule): Gap {
  return { ...newGap(window, moment, rule), noticed: undefined, nextRequest: moment.now, turn: undefined };
}

/** Whether only parts of a gap are requested in a run. */
export function isSampled({ start, end, turn }: Gap): boolean {
  return end - start > (turn === undefined ? MAX_ONCE : MAX_WHOLE);
}

/** What remains of the gaps once a record has filled its interval: one that is long leaves it to those that are missing. */
export function fillGaps(gaps: readonly Gap[], filled: TimeWindow, usual: Usual): readonly Gap[] {
  if (!gaps.some((gap) => isInWindow(filled, gap))) return gaps;
  return gaps.flatMap((gap) => {
    if (!isInWindow(filled, gap)) return [gap];
    // What was requested in samples is now requested as a whole.
    const rest = isSampled(gap) ? { ...gap, noticed: undefined, turn: undefined } : gap;
    const before = { ...rest, end: Math.min(gap.end, Math.max(gap.start, filled.start)) };
    const after = { ...rest, start: Math.max(gap.start, Math.min(gap.end, filled.end)) };
    const under = isLong(filled, usual) ? [{ ...rest, start: before.end, end: after.start }] : [];
    return [before, ...under, after].filter(({ start, end }) => end - start > usual.break);
  });
}

/** Joins the oldest if there are more gaps than `most`: none of what is missing is lost. */
export function boundedGaps(gaps: readonly Gap[], most: number): readonly Gap[] {
  if (gaps.length <= most) return gaps;
  const ordered = gaps.toSorted((a, b) => a.start - b.start);
  const joined = ordered.splice(0, gaps.length - most + 1).reduce(joinedGap);
  return [joined, ...ordered];
}

/** Requested as soon as the first of both would be, and given up as late as the last: a pause of 0 asks only once. */
function joinedGap(left: Gap, right: Gap): Gap {
  const isKnown = left.noticed !== undefined && right.noticed !== undefined;
  const noticed = isKnown ? Math.max(left.noticed, right.noticed) : undefined;
  const nextRequest = Math.min(left.nextRequest, right.nextRequest);
  const pause = Math.max(left.pause, right.pause);
  return { ...left, end: Math.max(left.end, right.end), noticed, nextRequest, pause, turn: 0 };
}

export type GapRequests = ReturnType<typeof gapRequests>;

/** Requests for gaps in one scheduled run, unless a single gap needs more. */
const MAX_SCHEDULED = 4;
/** Gaps this close share a request, although it also returns the delivered records between them. */
const NEIGHBOR_DISTANCE = HOUR;

/**
 * What to request in one run in addition to what is owed. Every gap in a run that a message triggers, unless that is more than a
 * message may request together with what is owed. In a scheduled run, the gaps that are due, longest overdue first, within a few
 * requests; the rest wait for the next run. Silence is read in order, with what is owed.
 * @returns `gaps`: those that are requested as far as they are in this run; `from`: where the run begins to read, if it reads the
 * silence from its beginning
 */
export function gapRequests(ledger: Ledger, now: number, isByMessage: boolean, rule: LedgerRule) {
  const silence = silenceOf(ledger);
  const windowsFrom = (start: number): number => Math.ceil((now + AHEAD - start) / MAX_WINDOW);
  const start = owedFrom(ledger, now, rule, true);
  const isRequested = silence !== undefined && (isByMessage || isDue(silence, now));
  const isWhole = isRequested && !isSampled(silence) && windowsFrom(start) <= MAX_REQUESTS;
  const from = isWhole ? start : undefined;
  const read = isWhole ? [silence] : [];
  const gaps = isWhole ? ledger.gaps.filter((gap) => gap !== silence) : ledger.gaps;
  const most = Math.max(0, MAX_REQUESTS - windowsFrom(from ?? owedFrom(ledger, now, rule)));
  const all = isByMessage ? windowsOver(inOrder(gaps.flatMap(partsOf))) : [];
  if (isByMessage && all.length <= most) return { windows: all, gaps: ledger.gaps, from };
  // If that is in the future, no one knows since when the gap is due.
  const since = ({ nextRequest }: Gap): number => (nextRequest > now ? 0 : nextRequest);
  const due = gaps.filter((gap) => isDue(gap, now)).toSorted((a, b) => since(a) - since(b));
  const chosen: Gap[] = [];
  let windows: TimeWindow[] = [];
  let parts: readonly TimeWindow[] = [];
  for (const gap of due) {
    // All but the last are in order already: of hundreds of gaps, each is tried.
    const tried = inOrder([...parts, ...partsOf(gap)]);
    const wider = windowsOver(tried);
    if (wider.length > (chosen.length === 0 ? most : Math.min(most, MAX_SCHEDULED))) continue;
    chosen.push(gap);
    [windows, parts] = [wider, tried];
  }
  return { windows, gaps: [...read, ...chosen], from };
}

function inOrder(parts: readonly TimeWindow[]): readonly TimeWindow[] {
  return parts.toSorted((a, b) => a.start - b.start);
}

/** A time further away than the pause was set by a clock that was ahead. */
function isDue({ nextRequest, pause }: Gap, now: number): boolean {
  return now >= nextRequest || nextRequest - now > pause;
}

/** Windows of at most 24 hours that cover all parts, which are in order; neighbors close to each other share one. */
function windowsOver(parts: readonly TimeWindow[]): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (const part of parts) {
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

/** What to request: all of a gap or, if it is long, its last day, and the day whose turn it is. */
function partsOf(gap: Gap): TimeWindow[] {
  const { start, end, turn = 0 } = gap;
  if (!isSampled(gap)) return [{ start, end }];
  const last = { start: end - MAX_WINDOW, end };
  const day = start + (turn % daysIn(gap)) * MAX_WINDOW;
  return [{ start: day, end: Math.min(day + MAX_WINDOW, last.start) }, last];
}

/** How many days of a long gap take turns. */
function daysIn({ start, end }: TimeWindow): number {
  return Math.ceil((end - start) / MAX_WINDOW) - 1;
}

/**
 * The turn after this one. Turns are counted: if the clock chose the day, runs at regular intervals could choose the same few
 * days forever.
 * @param isOver whether the gap has been requested for long enough: from then on, turns tell how many there were
 */
function nextTurn(gap: Gap, isOver: boolean): number {
  if (!isSampled(gap)) return 0;
  const turn = (gap.turn ?? 0) + 1;
  return isOver ? turn : turn % daysIn(gap);
}

/** Whether each day of a gap had a turn since the gap was due to be given up; one that is not long takes no turns. */
function isRoundOver(gap: Gap): boolean {
  // A round may begin with any day.
  return !isSampled(gap) || (gap.turn ?? 0) >= 2 * daysIn(gap);
}

/** Silence is noted up to this long before now; the rest is read in every run, in one request. */
const RECENT = 12 * HOUR;
/** Once the part that is read in every run is this long, it is shortened. */
const MAX_RECENT = MAX_WINDOW - HOUR;

export interface GapAnswers {
  requested: readonly Gap[];
  missing: readonly TimeWindow[];
}

/**
 * The ledger after a run. Time counts for gaps that were found empty, and starts over for those without an answer. Intervals that
 * are given up, in order, are not requested again.
 */
export function settle(
  known: Ledger,
  { requested, missing }: GapAnswers,
  moment: LedgerMoment,
  rule: LedgerRule,
): { ledger: Ledger; givenUp: TimeWindow[] } {
  const { now, watched } = moment;
  const usual = usualOf(known.delivered);
  const ledger = withSilence(known, missing, moment, rule);
  const givenUp: TimeWindow[] = [];
  let { cursor, silentFrom } = ledger;
  const settled = (gap: Gap): Gap[] => {
    const isSilence = gap.start >= cursorTime(ledger);
    const isMissing = missing.some((window) => isInWindow(window, gap));
    // The run has read what silence has grown by.
    const whole = requested.filter((one) => contains(one, gap) || (isSilence && one.start === gap.start));
    const isAnswered = !isMissing && whole.some((one) => isSampled(gap) || !isSampled(one));
    const horizon = isSilence ? Math.max(rule.gapHorizon, MAX_WINDOW) : rule.gapHorizon;
    const isOver = watched - (gap.noticed ?? watched) >= horizon;
    if (!isSilence && !isMissing && gap.end - gap.start <= usual.break) return [];
    if (isAnswered && isOver && isRoundOver(gap)) {
      const end = (isSilence && gap.noticedEnd) || gap.end;
      if (isSilence) {
        cursor = isoTime(end);
        silentFrom ??= gap.start;
      }
      // A record that was delivered may be so long that it left the gap to shorter ones.
      const isCovered = ledger.delivered.some((one) => contains({ start: one[0], end: one[1] }, gap));
      if (!isCovered) givenUp.push({ start: gap.start, end });
      const rest = { ...gap, start: end, noticed: watched, noticedEnd: undefined, turn: 0 };
      return end < gap.end ? [postponed(rest, gap.pause * 2, now)] : [];
    }
    const isFirst = gap.noticed === undefined && isAnswered;
    const noticed = isMissing ? undefined : isFirst ? watched : gap.noticed;
    // Without filling, and where it was given up before, all that a gap needs is one answer: a sample is none.
    const isOnce = gap.pause === 0 || (!rule.fillsGaps && !isSampled(gap));
    if (!isSilence && isOnce && noticed !== undefined) return [];
    const next = { ...gap, noticed, ...(isFirst && { noticedEnd: undefined }) };
    if (whole.length === 0)
      // What has just failed is not owed at once, and if it is long, it is requested in samples.
      return [isMissing ? postponed({ ...next, turn: next.turn ?? 0 }, rule.gapRetryDelay, now) : next];
    // A gap that is as it was waits twice as long; for the rest of one in which records turned up, more are likely soon.
    const isSame = isSilence || whole.some((one) => one.start === gap.start && one.end === gap.end);
    const pause = isSame ? gap.pause * 2 : rule.gapRetryDelay;
    return [postponed({ ...next, turn: nextTurn(gap, isOver) }, pause, now)];
  };
  const gaps = ledger.gaps.toSorted((a, b) => a.start - b.start).flatMap(settled);
  // Nothing is watched without gaps.
  if (gaps.length === 0 && known.gaps.length === 0) return { ledger: known, givenUp };
  return { ledger: { ...ledger, cursor, silentFrom, gaps, watched }, givenUp };
}

function postponed(gap: Gap, delay: number, now: number): Gap {
  const pause = Math.min(delay, MAX_GAP_PAUSE);
  return { ...gap, nextRequest: now + pause, pause };
}

function contains(whole: TimeWindow, part: TimeWindow): boolean {
  return whole.start <= part.start && part.end <= whole.end;
}

/** The ledger after everything up to now was read, with the silence that is no longer read in every run. */
function withSilence(
  ledger: Ledger,
  missing: readonly TimeWindow[],
  moment: LedgerMoment,
  rule: LedgerRule,
): Ledger {
  const { now } = moment;
  const known = silenceOf(ledger);
  // A clock that was ahead has noticed what reaches beyond now.
  const silence = known && known.end <= now ? known : undefined;
  const start = silence?.start ?? cursorTime(ledger);
  const from = silence?.end ?? start;
  const recent = now - from > MAX_RECENT ? now - RECENT : from;
  // A window without an answer need not be requested in every run.
  const failed = missing.map((window) => Math.min(window.end, now));
  const end = Math.max(from, recent, ...failed);
  const gaps = ledger.gaps.filter((gap) => gap !== known);
  if (end <= start) return known === silence ? ledger : { ...ledger, gaps };
  const grown = silence && { ...silence, end, noticedEnd: silence.noticedEnd ?? silence.end };
  return { ...ledger, gaps: [...gaps, grown ?? newGap({ start, end }, moment, rule)] };
}
