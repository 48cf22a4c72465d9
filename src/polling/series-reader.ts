// Reads windows of one series, around what cannot be read: a bad record or a bad window stops nothing behind it.
import type { Clock } from "../clock";
import { type EnergyError, HttpError, NetworkError, ResponseError, TimeoutError } from "../errors";
import { AHEAD } from "../ledger/ledger";
import { isInWindow, latestWindow, MAX_WINDOW, type TimeWindow } from "../ledger/window";
import {
  type RecordAnswer,
  type TimedRecord,
  uniqueInOrder,
  type UnreadableRecord,
} from "../models/timed-record";
import { MINUTE } from "../time-units";
import { FailingWindows } from "./failing-windows";
import { narrow } from "./narrowing";
import type { PollNotice, RecordSource } from "./ports";
import { Told } from "./told";

/** The records of one window, sorted and deduplicated. */
export interface WindowRecords {
  readonly window: TimeWindow;
  readonly records: readonly TimedRecord[];
  /** Parts of the window without an answer, because they keep failing. */
  readonly missing: readonly TimeWindow[];
}

export interface ReadConditions {
  readonly signal: AbortSignal;
  readonly isTriggered: boolean;
  readonly notify: (notice: PollNotice) => void;
}

/** Requests to narrow down failing windows, in one run. */
const NARROWING_REQUESTS = 24;

export class SeriesReader {
  readonly #source: RecordSource;
  readonly #clock: Clock;
  readonly #isPatient: boolean;
  readonly #failing = new FailingWindows();
  readonly #told = new Told();
  /** Windows that failed in the last run, and in this one. */
  #suspects: TimeWindow[] = [];
  #failed: TimeWindow[] = [];
  #budget = { requests: NARROWING_REQUESTS };

  /** @param isPatient whether a window has to fail in two runs before it counts as failing by itself */
  constructor(source: RecordSource, clock: Clock, isPatient: boolean) {
    this.#source = source;
    this.#clock = clock;
    this.#isPatient = isPatient;
  }

  /** Begins a run: asks again for what kept failing, as far as that is due. Resolves to what is answered now. */
  async startRun(run: ReadConditions): Promise<TimeWindow[]> {
    this.#suspects = this.#failed;
    this.#failed = [];
    this.#budget = { requests: NARROWING_REQUESTS };
    const answered: TimeWindow[] = [];
    for (const window of this.#failing.due(this.#clock.now(), run.isTriggered)) {
      if (await this.#try(window, run)) answered.push(window);
      else this.#failing.failed(window, this.#clock.now());
    }
    for (const window of answered) this.#failing.answered(window);
    return answered;
  }

  /** Throws what the source throws, unless it concerns only a part of the window, and did so before. */
  async read(window: TimeWindow, run: ReadConditions): Promise<WindowRecords> {
    const answers: RecordAnswer[] = [];
    for (const part of this.#failing.around(window)) answers.push(...(await this.#readPart(part, run)));
    for (const { unreadable } of answers) this.#tell(unreadable, run);
    const records = answers.flatMap((answer) => answer.records);
    return {
      window,
      records: answers.length > 1 ? uniqueInOrder(records) : records,
      missing: this.#failing.within(window),
    };
  }

  /** Like `read`, for a promise that is awaited later or never: a failure does not count as unhandled until then. */
  readAhead(window: TimeWindow, run: ReadConditions): Promise<WindowRecords> {
    const reading = this.read(window, run);
    reading.catch(() => undefined);
    return reading;
  }

  /** Reads the window around now. */
  readLatest(run: ReadConditions): Promise<WindowRecords> {
    return this.read(latestWindow(this.#clock.now()), run);
  }

  /** Reads the window that holds the newest record, up to 24 hours back if the service lags or records are long. */
  async readNewest(run: ReadConditions): Promise<WindowRecords> {
    const response = await this.readLatest(run);
    if (this.newestOf(response)) return response;
    return this.read(latestWindow(this.#clock.now(), MAX_WINDOW / MINUTE), run);
  }

  /** Whether the service shows records of a window; a refusal means none, if it does not refuse the present as well. */
  async hasRecords(window: TimeWindow, run: ReadConditions): Promise<boolean> {
    const answer = await this.#try(window, run);
    if (answer) return answer.records.length > 0;
    await this.#source.read(this.#present(), run.signal);
    return false;
  }

  /** The newest record that has already ended. */
  newestOf({ records }: WindowRecords): TimedRecord | undefined {
    return records.findLast(({ end }) => end <= this.#clock.now());
  }

  async #readPart(part: TimeWindow, run: ReadConditions): Promise<RecordAnswer[]> {
    const isSuspect = this.#suspects.some((one) => isInWindow(one, part));
    try {
      return [await this.#source.read(part, run.signal, isSuspect)];
    } catch (error) {
      if (!mayConcernWindow(error)) throw error;
      if (this.#isPatient && !isSuspect) {
        this.#failed.push(part);
        throw error;
      }
      return await this.#narrow(part, error, run);
    }
  }

  /** Reads what can be read of a window that fails although others do not. Throws the error if those fail as well. */
  async #narrow(window: TimeWindow, error: EnergyError, run: ReadConditions): Promise<RecordAnswer[]> {
    const present = this.#present();
    const before = { start: window.start - MINUTE, end: window.start };
    if (!(await this.#try(isInWindow(present, window) ? before : present, run))) {
      this.#failed.push(window);
      throw error;
    }
    const { answers, failing } = await narrow(window, (part) => this.#try(part, run), this.#budget);
    this.#failing.add(failing, this.#clock.now());
    for (const one of failing) run.notify({ kind: "failing", error, window: one });
    return answers;
  }

  #present(): TimeWindow {
    const now = this.#clock.now();
    return { start: now - MINUTE, end: now + AHEAD };
  }

  /** The answer, or undefined for a failure that may concern the window alone. */
  async #try(window: TimeWindow, { signal }: ReadConditions): Promise<RecordAnswer | undefined> {
    try {
      return await this.#source.read(window, signal, true);
    } catch (error) {
      if (!mayConcernWindow(error)) throw error;
      return undefined;
    }
  }

  #tell(unreadable: readonly UnreadableRecord[], run: ReadConditions): void {
    for (const { id, fault } of unreadable) {
      if (this.#told.isNew(id)) run.notify({ kind: "unreadable", error: new ResponseError(fault) });
    }
  }
}

/** Other errors concern the account or the site as a whole. */
function mayConcernWindow(error: unknown): error is EnergyError {
  return [HttpError, ResponseError, TimeoutError, NetworkError].some((type) => error instanceof type);
}

/** Merges responses into one; a record in none of their windows is dropped, one in several is kept once. */
export function mergeResponses(responses: readonly WindowRecords[]): WindowRecords {
  const records = responses.flatMap((response) =>
    response.records.filter((one) => isInWindow(one, response.window)),
  );
  const start = Math.min(...responses.map(({ window }) => window.start));
  const end = Math.max(...responses.map(({ window }) => window.end));
  const missing = responses.flatMap((response) => response.missing);
  return { window: { start, end }, records: uniqueInOrder(records), missing };
}
