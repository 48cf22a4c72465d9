// The end of a run: silence that has grown long is noted, pauses grow, and what was found empty for long enough is given up.
// Giving up is observed, never computed.
import { HOUR, MINUTE } from "../time-units";
import { isRoundOver, isSampled, MAX_GAP_PAUSE, newGap, nextTurn } from "./gaps";
import { cursorTime, frontier, type Gap, type Ledger, type LedgerRule, type LedgerMoment } from "./ledger";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "./window";

/** Silence becomes a gap up to this long before now; the rest is read in every run, in one request. */
const RECENT = 12 * HOUR;
/** Once the part that is read in every run is this long, it is shortened. */
const MAX_RECENT = MAX_WINDOW - HOUR;

/** What a run that has read everything found out. */
export interface GapAnswers {
  requested: readonly Gap[];
  /** Windows without an answer. */
  missing: readonly TimeWindow[];
}

export interface Settled {
  ledger: Ledger;
  /** Intervals in which records may be missing, in order: they are not requested again. */
  givenUp: TimeWindow[];
}

/** The ledger after a run. Time counts for gaps that were found empty, and starts over for those without an answer. */
export function settle(
  known: Ledger,
  { requested, missing }: GapAnswers,
  moment: LedgerMoment,
  rule: LedgerRule,
): Settled {
  const { now, watched } = moment;
  const isMissing = (gap: Gap): boolean => missing.some((window) => isInWindow(window, gap));
  const answered = requested.filter((gap) => !isMissing(gap));
  const { ledger: rest, givenUp } = giveUp(known, answered, watched, rule);
  const ledger = withSilence(rest, moment, rule);
  const noticed = (gap: Gap): Gap => {
    if (isMissing(gap)) return { ...gap, noticed: undefined };
    return { ...gap, noticed: gap.noticed ?? (isAnswered(gap, answered) ? watched : undefined) };
  };
  /** A gap that is as it was waits twice as long; for the rest of one in which records turned up, more are likely soon. */
  const postponed = (gap: Gap): Gap => {
    const whole = requested.filter((one) => contains(one, gap));
    if (whole.length === 0) return gap;
    const delay = whole.some((one) => isSame(one, gap)) ? gap.pause * 2 : rule.gapRetryDelay;
    const pause = Math.min(delay, MAX_GAP_PAUSE);
    const turn = isSampled(gap) && { turn: nextTurn(gap, isDue(ledger, gap, watched, rule)) };
    return { ...gap, nextRequest: now + pause, pause, ...turn };
  };
  if (ledger.gaps.length === 0) return { ledger, givenUp };
  const gaps = ledger.gaps.map((gap) => postponed(noticed(gap)));
  return { ledger: { ...ledger, gaps, watched }, givenUp };
}

/** Gives up the gaps that have been watched long enough. Silence is given up from its beginning on, and the cursor follows. */
function giveUp(ledger: Ledger, answered: readonly Gap[], watched: number, rule: LedgerRule): Settled {
  const start = cursorTime(ledger);
  let cursor = start;
  const givenUp: TimeWindow[] = [];
  const gaps = ledger.gaps
    .toSorted((a, b) => a.start - b.start)
    .filter((gap) => {
      const isSilence = gap.start >= start;
      if (isSilence && gap.start - cursor >= MINUTE) return true;
      const isEmpty = answered.some((one) => isSame(one, gap));
      if (!isEmpty || !isDue(ledger, gap, watched, rule) || !isRoundOver(gap)) return true;
      if (isSilence) cursor = gap.end;
      givenUp.push({ start: gap.start, end: gap.end });
      return false;
    });
  if (givenUp.length === 0) return { ledger, givenUp };
  const moved = cursor > start && { cursor: new Date(cursor).toISOString() };
  return { ledger: { ...ledger, gaps, ...moved }, givenUp };
}

/** Whether a gap has been requested for long enough. */
function isDue(ledger: Ledger, { start, noticed }: Gap, watched: number, rule: LedgerRule): boolean {
  // A silent site costs nothing for a day, whatever the setting.
  const isSilence = start >= cursorTime(ledger);
  const horizon = isSilence ? Math.max(rule.gapHorizon, MAX_WINDOW) : rule.gapHorizon;
  return watched - (noticed ?? watched) >= horizon;
}

/** Whether a gap, or what is left of it, was requested: a part of one that was requested in samples may not have been. */
function isAnswered(gap: Gap, answered: readonly Gap[]): boolean {
  return answered.some((one) => contains(one, gap) && (!isSampled(one) || isSampled(gap)));
}

function contains(whole: TimeWindow, part: TimeWindow): boolean {
  return whole.start <= part.start && part.end <= whole.end;
}

function isSame(one: TimeWindow, other: TimeWindow): boolean {
  return one.start === other.start && one.end === other.end;
}

/** The ledger after everything up to now was read: silence further back than the newest day becomes a gap. */
function withSilence(ledger: Ledger, moment: LedgerMoment, rule: LedgerRule): Ledger {
  const start = frontier(ledger);
  if (moment.now - start <= MAX_RECENT) return ledger;
  const last = start === cursorTime(ledger) ? ledger.delivered.find(([, end]) => end === start) : undefined;
  const gap = newGap({ start, end: moment.now - RECENT }, moment, rule, last?.[0]);
  return { ...ledger, gaps: [...ledger.gaps, gap] };
}

/** A ledger that owes everything from its cursor on, of which all before `begin` was found to be empty. */
export function withEmptyStart(
  ledger: Ledger,
  begin: number,
  moment: LedgerMoment,
  rule: LedgerRule,
): Ledger {
  const start = cursorTime(ledger);
  if (begin <= start) return ledger;
  return { ...ledger, gaps: [...ledger.gaps, newGap({ start, end: begin }, moment, rule)] };
}

/** Undoes what a clock that was ahead has noted: silence that reaches into the last hours or beyond now, and pauses. */
export function withoutFuture(ledger: Ledger, now: number): Ledger {
  const cursor = cursorTime(ledger);
  const isAhead = ({ start, end, nextRequest, pause }: Gap): boolean =>
    (start >= cursor && end > now - RECENT) || nextRequest - now > pause;
  if (!ledger.gaps.some(isAhead)) return ledger;
  const corrected = (gap: Gap): Gap => ({
    ...gap,
    end: gap.start >= cursor ? Math.min(gap.end, now - RECENT) : gap.end,
    noticed: isAhead(gap) ? undefined : gap.noticed,
    nextRequest: gap.nextRequest - now > gap.pause ? now : gap.nextRequest,
  });
  return { ...ledger, gaps: ledger.gaps.map(corrected).filter((gap) => gap.start < gap.end) };
}

/** The ledger after the clock was set back: what was requested until then may have been the future, so counting starts over. */
export function withoutNoticed(ledger: Ledger): Ledger {
  return { ...ledger, gaps: ledger.gaps.map((gap) => ({ ...gap, noticed: undefined })) };
}
