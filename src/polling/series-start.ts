// Where a run begins: at the stored position, or at that of a new ledger. A position that a wrong clock has set is corrected.
import { type Clock, withRightTime } from "../clock";
import { owedWindow } from "../ledger/ledger";
import { withEmptyStart } from "../ledger/settling";
import { MAX_WINDOW, type TimeWindow } from "../ledger/window";
import { MINUTE } from "../time-units";
import type { Delivery } from "./delivery";
import type { PollRule, PollRun } from "./ports";
import type { SeriesLedger } from "./series-ledger";
import type { SeriesReader, WindowRecords } from "./series-reader";

/** What reads a series and sends its records; kept from run to run. */
export interface SeriesParts {
  readonly ledger: SeriesLedger;
  readonly reader: SeriesReader;
  readonly delivery: Delivery;
  readonly clock: Clock;
  readonly rule: PollRule;
  /** When this process started the ledger at the newest record, by the monotonic clock. */
  begunAt?: number;
}

/** Records typically take this long. */
const STEP = 5 * MINUTE;
/** A start this close is read day by day. */
const NEAR = 7 * MAX_WINDOW;

/**
 * Loads the ledger, or starts a new one at the time of the run, at that of the rule, or at the newest record. Returns the first
 * response, if there is one already. Throws what the reader throws, and StoreError.
 */
export async function startSeries(parts: SeriesParts, run: PollRun): Promise<WindowRecords | undefined> {
  const { ledger, clock, rule } = parts;
  if ((await ledger.load()) && (await isStarted(parts, run))) return undefined;
  const { start } = run;
  const { startBefore } = rule;
  if (start !== undefined) return startFrom(parts, () => start, run);
  if (startBefore !== undefined) return startFrom(parts, () => clock.now() - startBefore, run);
  return startAtNewest(parts, run);
}

/** Whether the stored ledger has a place to go on from: one beyond now that no record led to is a clock's error. */
async function isStarted(parts: SeriesParts, run: PollRun): Promise<boolean> {
  const { ledger, reader } = parts;
  // The answer says what time it is.
  if (!owedNow(parts)) await reader.readLatest(run);
  return owedNow(parts) !== undefined || ledger.current.delivered.length > 0;
}

/** Starts at the newest record, or, if a wrong clock made an earlier start void, at the time of that. */
async function startAtNewest(parts: SeriesParts, run: PollRun): Promise<WindowRecords | undefined> {
  const { ledger, reader, clock } = parts;
  const { begunAt } = parts;
  if (begunAt !== undefined) return startFrom(parts, () => clock.now() - (clock.monotonic() - begunAt), run);
  const response = await withRightTime(clock, () => reader.readNewest(run));
  const start = reader.newestOf(response)?.start ?? response.window.start;
  ledger.start(start);
  parts.begunAt = clock.monotonic();
  return { ...response, window: { start, end: response.window.end } };
}

/** Starts at a time, and returns the first response. */
function startFrom(
  parts: SeriesParts,
  startTime: () => number,
  run: PollRun,
): Promise<WindowRecords | undefined> {
  const { ledger, reader, clock, rule } = parts;
  return withRightTime(clock, async () => {
    const start = Math.floor(startTime());
    const begin = await firstRecordTime(start, clock.now(), (window) => reader.hasRecords(window, run));
    ledger.start(start);
    ledger.update((known) => withEmptyStart(known, begin, ledger.moment(), rule));
    const window = owedNow(parts);
    if (window) return reader.read(window, run);
    await reader.readLatest(run);
    return undefined;
  });
}

function owedNow({ ledger, clock, rule }: SeriesParts): TimeWindow | undefined {
  return owedWindow(ledger.current, clock.now(), rule);
}

type HasRecords = (window: TimeWindow) => Promise<boolean>;

/**
 * Resolves to a time before which no records were found, or to `start` if there are some: about two requests for each
 * doubling of the number of days, and nine for the day on which they begin. Days that it does not look at may have records.
 * @param hasRecords requests a window of 24 hours
 */
async function firstRecordTime(start: number, now: number, hasRecords: HasRecords): Promise<number> {
  if (now - start <= NEAR) return start;
  const days = Math.ceil((now - start) / MAX_WINDOW);
  const hasDay = (day: number): Promise<boolean> => {
    const from = start + day * MAX_WINDOW;
    return hasRecords({ start: from, end: from + MAX_WINDOW });
  };
  if (await hasDay(0)) return start;
  let empty = 0;
  // From far to near, so that a break in recent days does not hide older records.
  let found = Math.ceil(days / 2);
  while (found < days - 1 && !(await hasDay(found))) {
    empty = found;
    found += Math.ceil((days - found) / 2);
  }
  while (found - empty > 1) {
    const middle = Math.floor((empty + found) / 2);
    if (await hasDay(middle)) found = middle;
    else empty = middle;
  }
  const day = start + found * MAX_WINDOW;
  return earliest(day - MAX_WINDOW, day, hasRecords);
}

/** A service may refuse a day of which it keeps only the end: how far before `known` does it answer? */
async function earliest(from: number, known: number, hasRecords: HasRecords): Promise<number> {
  let [refused, answered] = [from, known];
  while (answered - refused > STEP) {
    const middle = Math.round((refused + answered) / 2);
    if (await hasRecords({ start: middle, end: known })) answered = middle;
    else refused = middle;
  }
  return answered;
}
