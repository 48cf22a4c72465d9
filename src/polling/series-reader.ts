// Reads windows of one series: the records of each in order, each record once.
import type { Clock } from "../clock";
import { inOrder, type TimedRecord } from "../models/timed-record";
import { isInWindow, latestWindow, LONGEST_WINDOW, type TimeWindow } from "../ledger/window";
import { MINUTE } from "../time-units";
import type { RecordSource } from "./ports";

/** The records of one window, in order. */
export interface Answer {
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
  async read(window: TimeWindow, signal: AbortSignal): Promise<Answer> {
    return { window, records: inOrder(await this.#source.read(window, signal)) };
  }

  /** As `read`, for an answer that is awaited later, or never: until then nobody handles its failure. */
  readAhead(window: TimeWindow, signal: AbortSignal): Promise<Answer> {
    const reading = this.read(window, signal);
    reading.catch(() => undefined);
    return reading;
  }

  /** The window around now. */
  readLatest(signal: AbortSignal): Promise<Answer> {
    return this.read(latestWindow(this.#clock.now()), signal);
  }

  /** The window that holds the newest record: it is older than usual where the service lags or records are long. */
  async readNewest(signal: AbortSignal): Promise<Answer> {
    const answer = await this.readLatest(signal);
    if (this.newestOf(answer)) return answer;
    return this.read(latestWindow(this.#clock.now(), LONGEST_WINDOW / MINUTE), signal);
  }

  /** The newest record that has ended. */
  newestOf({ records }: Answer): TimedRecord | undefined {
    return records.findLast(({ end }) => end <= this.#clock.now());
  }
}

/** Several answers as one: what is in none of their windows is left out, what is in two comes once. */
export function joined(answers: readonly Answer[]): Answer {
  const records = answers.flatMap((answer) => answer.records.filter((one) => isInWindow(one, answer.window)));
  const start = Math.min(...answers.map(({ window }) => window.start));
  const end = Math.max(...answers.map(({ window }) => window.end));
  return { window: { start, end }, records: inOrder(records) };
}
