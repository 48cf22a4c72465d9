// Silence: the time after the newest record in which the service has shown none. What lies further back than the newest
// day becomes a gap, so that a site that stays silent costs one request a run.
import { HOUR } from "../time-units";
import { type Gap, newGap } from "./gaps";
import { cursorTime, frontier, type Ledger, type LedgerRule, type Moment } from "./ledger";
import { MAX_WINDOW, type TimeWindow } from "./window";

/** Silence becomes a gap up to this long before now; the rest is read in every run, in one request. */
const RECENT = 12 * HOUR;
/** Once the part that is read in every run is this long, it is shortened. */
const MAX_RECENT = MAX_WINDOW - HOUR;

/** Undoes what a clock that was ahead has noted: silence that reaches into the last hours or beyond now, and pauses. */
export function withoutFuture(ledger: Ledger, now: number): Ledger {
  const cursor = cursorTime(ledger);
  const isAhead = ({ start, end, nextAsk, pause }: Gap): boolean =>
    (start >= cursor && end > now - RECENT) || nextAsk - now > pause;
  if (!ledger.gaps.some(isAhead)) return ledger;
  const corrected = (gap: Gap): Gap => ({
    ...gap,
    end: gap.start >= cursor ? Math.min(gap.end, now - RECENT) : gap.end,
    noticed: isAhead(gap) ? undefined : gap.noticed,
    nextAsk: gap.nextAsk - now > gap.pause ? now : gap.nextAsk,
  });
  return { ...ledger, gaps: ledger.gaps.map(corrected).filter((gap) => gap.start < gap.end) };
}

/** The ledger after everything up to now was read: silence that has grown long becomes a gap. */
export function withSilence(ledger: Ledger, { now, watched }: Moment, rule: LedgerRule): Ledger {
  const start = frontier(ledger);
  if (now - start <= MAX_RECENT) return ledger;
  const follows =
    start === cursorTime(ledger) ? ledger.delivered.find(([, end]) => end === start)?.[0] : undefined;
  return withGap(ledger, { start, end: now - RECENT }, { now, watched, delay: rule.gapRetryDelay, follows });
}

/** A ledger that owes everything from `start` on, of which all before `begin` was found to be empty. */
export function withEmptyStart(
  ledger: Ledger,
  begin: number,
  { now, watched }: Moment,
  rule: LedgerRule,
): Ledger {
  const start = cursorTime(ledger);
  return begin > start
    ? withGap(ledger, { start, end: begin }, { now, watched, delay: rule.gapRetryDelay })
    : ledger;
}

function withGap(ledger: Ledger, missing: TimeWindow, notice: Parameters<typeof newGap>[1]): Ledger {
  return { ...ledger, gaps: [...ledger.gaps, newGap(missing, notice)] };
}
