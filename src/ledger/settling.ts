// The end of a run: silence that has grown long is noted, pauses grow, and what was found empty for long enough is given up.
// Giving up is observed, never computed.
import { HOUR } from "../time-units";
import { isRoundOver, isSampled, MAX_GAP_PAUSE, newGap, nextTurn } from "./gaps";
import { cursorTime, type Gap, type Ledger, type LedgerRule, type LedgerMoment, silenceOf } from "./ledger";
import { usualOf } from "./usual";
import { isInWindow, MAX_WINDOW, type TimeWindow } from "./window";

/** Silence is noted up to this long before now; the rest is read in every run, in one request. */
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
        cursor = new Date(end).toISOString();
        silentFrom ??= gap.start;
      }
      if (!isCovered(ledger, gap)) givenUp.push({ start: gap.start, end });
      const rest = { ...gap, start: end, noticed: watched, noticedEnd: undefined, turn: 0 };
      return end < gap.end ? [postponed(rest, gap.pause * 2, now)] : [];
    }
    const isFirst = gap.noticed === undefined && isAnswered;
    const noticed = isMissing ? undefined : isFirst ? watched : gap.noticed;
    // Without filling, and where it was given up before, all that a gap needs is one answer.
    if (!isSilence && (!rule.fillsGaps || gap.pause === 0) && noticed !== undefined) return [];
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

/** Whether a record was delivered that is so long that it left the gap to shorter ones. */
function isCovered({ delivered }: Ledger, gap: TimeWindow): boolean {
  return delivered.some(([start, end]) => start <= gap.start && end >= gap.end);
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
