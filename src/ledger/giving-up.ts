// Giving up is observed, never computed: a gap has been asked for long enough, and was just found empty once more.
import { askedGaps, type Gap, isRoundOver, isSampled } from "./gaps";
import { cursorTime, type Ledger, type LedgerRule, type Moment } from "./ledger";
import { MINUTE } from "../time-units";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "./window";

export interface GivingUp {
  ledger: Ledger;
  /** Intervals in which records may be missing, in order. */
  givenUp: TimeWindow[];
}

/**
 * Gives up the gaps that have been watched long enough. Silence is given up from its beginning on, and the cursor follows.
 * @param answered the gaps for which this run has an answer
 */
export function giveUp(
  ledger: Ledger,
  answered: readonly Gap[],
  { watched }: Moment,
  rule: LedgerRule,
): GivingUp {
  const isOver = (gap: Gap): boolean =>
    isDue(ledger, gap, watched, rule) &&
    isRoundOver(gap) &&
    answered.some(({ start, end }) => start === gap.start && end === gap.end);
  const start = cursorTime(ledger);
  let cursor = start;
  const givenUp: TimeWindow[] = [];
  const gaps = ledger.gaps
    .toSorted((a, b) => a.start - b.start)
    .filter((gap) => {
      const isSilence = gap.start >= start;
      if (isSilence && gap.start - cursor >= MINUTE) return true;
      if (!isOver(gap)) return true;
      if (isSilence) cursor = gap.end;
      givenUp.push({ start: gap.start, end: gap.end });
      return false;
    });
  if (givenUp.length === 0) return { ledger, givenUp };
  return {
    ledger: { ...ledger, gaps, ...(cursor > start && { cursor: new Date(cursor).toISOString() }) },
    givenUp,
  };
}

/** Whether a gap has been asked for long enough since it was noticed. */
function isDue(ledger: Ledger, { start, noticed }: Gap, watched: number, rule: LedgerRule): boolean {
  // A silent site costs nothing for a day, whatever the setting.
  const isSilence = start >= cursorTime(ledger);
  const horizon = isSilence ? Math.max(rule.gapHorizon, MAX_WINDOW) : rule.gapHorizon;
  return watched - (noticed ?? watched) >= horizon;
}

/**
 * The ledger after a run: time counts for the gaps that were found empty, and starts over for those that could not be asked
 * for.
 * @param missing windows without an answer
 */
export function withAnswers(
  ledger: Ledger,
  answered: readonly Gap[],
  missing: readonly TimeWindow[],
  { watched }: Moment,
): Ledger {
  const isMissing = (gap: Gap): boolean => missing.some((window) => isInWindow(window, gap));
  // A part of a gap that was asked for in samples may not have been asked for.
  const isAnswered = (asked: Gap, { start, end }: Gap): boolean =>
    asked.start <= start && end <= asked.end && (!isSampled(asked) || isSampled({ start, end }));
  const isNoticed = (gap: Gap): boolean =>
    gap.noticed === undefined && answered.some((asked) => isAnswered(asked, gap));
  if (!ledger.gaps.some((gap) => isMissing(gap) || isNoticed(gap))) return ledger;
  const gaps = ledger.gaps.map((gap) => {
    if (isMissing(gap)) return { ...gap, noticed: undefined };
    return isNoticed(gap) ? { ...gap, noticed: watched } : gap;
  });
  return { ...ledger, gaps };
}

/** The ledger after asking for these gaps: scheduled runs ask again after a pause. */
export function withAsked(
  ledger: Ledger,
  asked: readonly Gap[],
  { now, watched }: Moment,
  rule: LedgerRule,
): Ledger {
  if (asked.length === 0) return ledger;
  const retry = { now, delay: rule.gapRetryDelay, isDue: (gap: Gap) => isDue(ledger, gap, watched, rule) };
  return { ...ledger, gaps: askedGaps(ledger.gaps, asked, retry) };
}

/** The ledger after the clock was set back: what was asked for until then may have been the future, so counting starts over. */
export function withoutNoticed(ledger: Ledger): Ledger {
  if (ledger.gaps.length === 0) return ledger;
  return { ...ledger, gaps: ledger.gaps.map((gap) => ({ ...gap, noticed: undefined })) };
}
