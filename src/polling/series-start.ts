// Where a run begins: at the stored position, or at that of a new ledger. A position that a wrong clock has set is corrected.
import { type Clock, withRightTime } from "../clock";
import { InputError, isRefusal } from "../errors";
import { AHEAD, cursorTime, owedWindow } from "../ledger/ledger";
import { MAX_WINDOW, type TimeWindow } from "../ledger/window";
import type { Delivery } from "./delivery";
import { firstIndex, type RecordReader, type WindowRecords } from "../reading/record-reader";
import type { Told } from "../reading/told";
import type { PollRule } from "./ports";
import type { SeriesLedger } from "./series-ledger";

/** What a series is polled with; kept from run to run. */
export interface SeriesParts {
  readonly ledger: SeriesLedger;
  readonly delivery: Delivery;
  readonly clock: Clock;
  readonly rule: PollRule;
  readonly told: Told;
  /** When this process started the ledger at the newest record, by the monotonic clock. */
  begunAt?: number;
}

/** A start this close is read day by day. */
const NEAR = 7 * MAX_WINDOW;

/**
 * Loads the ledger, or starts a new one at the time of the run, at that of the rule, or at the newest record. Returns the first
 * response, if there is one already. Throws what the reader throws, and StoreError.
 */
export async function startSeries(
  parts: SeriesParts,
  reader: RecordReader,
  start: number | undefined,
): Promise<WindowRecords | undefined> {
  const { ledger, clock, rule } = parts;
  if ((await ledger.load()) && (await isStarted(parts, reader))) return undefined;
  const { startBefore } = rule;
  if (start !== undefined) return startFrom(parts, reader, () => start);
  if (startBefore !== undefined) return startFrom(parts, reader, () => clock.now() - startBefore);
  return startAtNewest(parts, reader);
}

/**
 * Whether there is a place to go on from: one beyond now that no record led to is a clock's error. Throws InputError for one that
 * came with a message: what it skips would be lost.
 */
async function isStarted({ ledger, clock }: SeriesParts, reader: RecordReader): Promise<boolean> {
  const isAhead = (): boolean => cursorTime(ledger.current) > clock.now() + AHEAD;
  // The answer says what time it is.
  if (isAhead()) await reader.readLatest();
  if (!isAhead()) return true;
  if (ledger.isCarried) throw new InputError("ledgerAhead", { time: ledger.current.cursor });
  return ledger.current.delivered.length > 0;
}

/** Starts at the newest record, or, if a wrong clock made an earlier start void, at the time of that. */
async function startAtNewest(parts: SeriesParts, reader: RecordReader): Promise<WindowRecords | undefined> {
  const { ledger, clock, begunAt } = parts;
  if (begunAt !== undefined)
    return startFrom(parts, reader, () => clock.now() - (clock.monotonic() - begunAt));
  const newestOf = ({ records }: WindowRecords): TimeWindow | undefined =>
    records.findLast(({ end }) => end <= clock.now());
  const isEnough = (response: WindowRecords): boolean => newestOf(response) !== undefined;
  const response = await withRightTime(clock, () => reader.readNewest(isEnough));
  const start = newestOf(response)?.start ?? response.window.start;
  ledger.start(start);
  ledger.keep();
  parts.begunAt = clock.monotonic();
  return { ...response, window: { start, end: response.window.end } };
}

/** Starts at a time, and returns the first response. */
function startFrom(
  parts: SeriesParts,
  reader: RecordReader,
  startTime: () => number,
): Promise<WindowRecords | undefined> {
  const { ledger, clock } = parts;
  return withRightTime(clock, async () => {
    const start = Math.floor(startTime());
    const begin = await firstRecordTime(start, clock.now(), reader);
    ledger.start(start, begin);
    const window = owedNow(parts);
    try {
      const first = window && (await reader.read(window));
      if (!window) await reader.readLatest();
      ledger.keep();
      return first;
    } catch (error) {
      // What a service owes that is down is still owed after a restart.
      if (!isRefusal(error)) ledger.keep();
      throw error;
    }
  });
}

function owedNow({ ledger, clock, rule }: SeriesParts): TimeWindow | undefined {
  return owedWindow(ledger.current, clock.now(), rule);
}

/**
 * Resolves to a time before which no records were found, or to `start` if there are some: about a request for each doubling of
 * the number of days. Days that it does not look at may have records.
 */
async function firstRecordTime(start: number, now: number, reader: RecordReader): Promise<number> {
  if (now - start <= NEAR) return start;
  const days = Math.ceil((now - start) / MAX_WINDOW);
  const dayOf = (index: number): number => start + index * MAX_WINDOW;
  const hasDay = async (index: number): Promise<boolean> => {
    const { records } = await reader.readGap({ start: dayOf(index), end: dayOf(index + 1) }, true);
    return records.length > 0;
  };
  if (await hasDay(0)) return start;
  // The last day is read in any case. A service may refuse a day of which it keeps only the end.
  return dayOf(await firstIndex(days - 2, (index) => hasDay(index + 1)));
}
