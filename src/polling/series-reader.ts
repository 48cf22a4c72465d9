// Reads windows of one series, with the records of each sorted and deduplicated.
import type { Clock } from "../clock";
import { uniqueInOrder, type TimedRecord } from "../models/timed-record";
import { isInWindow, latestWindow, MAX_WINDOW, type TimeWindow } from "../ledger/window";
import { MINUTE } from "../time-units";
import type { RecordSource } from "./ports";

/** The records of one window, sorted and deduplicated. */
export interface WindowRecords {
  readonly window: TimeWindow;
  readonly records: TimedRecord[];
}

export class SeriesReader {
  readonly #source: RecordSource;
  readonly #clock: Clock;

  constructor(source: RecordSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Throws what the source throws. */
  async read(window: TimeWindow, signal: AbortSignal): Promise<WindowRecords> {
    return { window, records: uniqueInOrder(await this.#source.read(window, signal)) };
  }

  /** Like `read`, for a promise that is awaited later or never: a failure does not count as unhandled until then. */
  readAhead(window: TimeWindow, signal: AbortSignal): Promise<WindowRecords> {
    const reading = this.read(window, signal);
    reading.catch(() => undefined);
    return reading;
  }

  /** Reads the window around now. */
  readLatest(signal: AbortSignal): Promise<WindowRecords> {
    return this.read(latestWindow(this.#clock.now()), signal);
  }

  /** Reads the window that holds the newest record, up to 24 hours back if the service lags or records are long. */
  async readNewest(signal: AbortSignal): Promise<WindowRecords> {
    const response = await this.readLatest(signal);
    if (this.newestOf(response)) return response;
    return this.read(latestWindow(this.#clock.now(), MAX_WINDOW / MINUTE), signal);
  }

  /** The newest record that has already ended. */
  newestOf({ records }: WindowRecords): TimedRecord | undefined {
    return records.findLast(({ end }) => end <= this.#clock.now());
  }
}

/** Merges responses into one; a record in none of their windows is dropped, one in several is kept once. */
export function mergeResponses(responses: readonly WindowRecords[]): WindowRecords {
  const records = responses.flatMap((response) =>
    response.records.filter((one) => isInWindow(one, response.window)),
  );
  const start = Math.min(...responses.map(({ window }) => window.start));
  const end = Math.max(...responses.map(({ window }) => window.end));
  return { window: { start, end }, records: uniqueInOrder(records) };
}
