// Giving up is observed, never computed: a gap has been asked for long enough, and was just found empty once more.
import { askedGaps, type Gap } from "./gaps";
import { cursorTime, type Ledger, type LedgerRule, type Moment } from "./ledger";
import { MINUTE } from "../time-units";
import { MAX_WINDOW, type TimeWindow } from "./window";

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
  const isOver = (gap: Gap, horizon: number): boolean =>
    watched - gap.noticed >= horizon &&
    answered.some(({ start, end }) => start === gap.start && end === gap.end);
  // A silent site costs nothing for a day, whatever the setting.
  const silenceHorizon = Math.max(rule.gapHorizon, MAX_WINDOW);
  const start = cursorTime(ledger);
  let cursor = start;
  const givenUp: TimeWindow[] = [];
  const gaps = ledger.gaps
    .toSorted((a, b) => a.start - b.start)
    .filter((gap) => {
      const isSilence = gap.start >= start;
      if (isSilence && gap.start - cursor >= MINUTE) return true;
      if (!isOver(gap, isSilence ? silenceHorizon : rule.gapHorizon)) return true;
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

/** The ledger after asking for these gaps failed: the time since they were last asked for does not count. */
export function withUnanswered(ledger: Ledger, unanswered: readonly Gap[], { now, watched }: Moment): Ledger {
  if (unanswered.length === 0) return ledger;
  const gaps = ledger.gaps.map((gap) => {
    if (!unanswered.some((one) => one.start <= gap.start && gap.end <= one.end)) return gap;
    const sinceAsked = Math.max(0, now - (gap.nextAsk - gap.pause));
    return { ...gap, noticed: Math.min(watched, gap.noticed + sinceAsked) };
  });
  return { ...ledger, gaps };
}

/** The ledger after asking for these gaps: scheduled runs ask again after a pause. */
export function withAsked(ledger: Ledger, asked: readonly Gap[], { now }: Moment, rule: LedgerRule): Ledger {
  if (asked.length === 0) return ledger;
  return { ...ledger, gaps: askedGaps(ledger.gaps, asked, now, rule.gapRetryDelay) };
}
