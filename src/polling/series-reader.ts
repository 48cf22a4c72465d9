// Reads windows of one series, around what cannot be read: a bad record or a bad window stops nothing behind it.
import type { Clock } from "../clock";
import { type EnergyError, HttpError, NetworkError, ResponseError, TimeoutError } from "../errors";
import { AHEAD } from "../ledger/ledger";
import { isInWindow, latestWindow, MAX_WINDOW, type TimeWindow } from "../ledger/window";
import type { RecordAnswer, UnreadableItem } from "../models/responses";
import { type TimedRecord, uniqueInOrder } from "../models/telemetry";
import { MINUTE } from "../time-units";
import { FailingWindows } from "./failing-windows";
import type { PollRun } from "./ports";
import { Reported } from "../bounded-map";

/** The records of one window, sorted and deduplicated. */
export interface WindowRecords {
  readonly window: TimeWindow;
  readonly records: readonly TimedRecord[];
  /** Parts of the window without an answer, because they fail. */
  readonly missing: readonly TimeWindow[];
}

/** What one run may spend on windows that fail: requests to narrow them down, other requests, and milliseconds. */
const MAX_REQUESTS = 40;
const MAX_SLOW_REQUESTS = 4;
const MAX_TIME = MINUTE;
/** The most unreadable records of one response that are reported. */
const MAX_REPORTED = 5;

export class SeriesReader {
  readonly #clock: Clock;
  readonly #isPatient: boolean;
  readonly #failing = new FailingWindows();
  readonly #reported = new Reported();
  /** Windows that failed in the last run, and in this one. */
  #suspects: TimeWindow[] = [];
  #failed: TimeWindow[] = [];
  #budget = { requests: 0, slow: 0, until: 0 };
  /** Windows that failed before, and were answered in this run. */
  #recovered: TimeWindow[] = [];

  /** @param isPatient whether a window has to fail in two runs before it counts as failing by itself */
  constructor(clock: Clock, isPatient: boolean) {
    this.#clock = clock;
    this.#isPatient = isPatient;
  }

  /** Begins a run: requests again what failed, as far as that is due. Resolves to what is answered now. */
  async startRun(run: PollRun): Promise<readonly TimeWindow[]> {
    this.#suspects = this.#failed;
    this.#failed = [];
    this.#recovered = [];
    const until = this.#clock.monotonic() + MAX_TIME;
    this.#budget = { requests: MAX_REQUESTS, slow: MAX_SLOW_REQUESTS, until };
    const ends = run.isByMessage ? this.#failing.ends(this.#clock.now()) : [];
    const isNothingDue = ends.length === 0 && !this.#failing.due(this.#clock.now());
    if (isNothingDue || !(await this.#try(this.#present(), run))) return [];
    for (const window of ends) {
      if (!(await this.#spend(window, run))) continue;
      this.#failing.answered(window);
      this.#recovered.push(window);
    }
    await this.#narrow(run);
    return this.#recovered;
  }

  /** Throws what the source throws, unless it concerns only a part of the window, and did so before. */
  async read(window: TimeWindow, run: PollRun): Promise<WindowRecords> {
    const answers: RecordAnswer[] = [];
    for (const part of this.#failing.around(window)) answers.push(...(await this.#readPart(part, run)));
    return this.#merged(window, answers, run);
  }

  /** Like `read`, for what is known to be missing: a failure of this window alone leaves it missing. */
  async readGap(window: TimeWindow, run: PollRun, isSample: boolean): Promise<WindowRecords> {
    const answers: RecordAnswer[] = [];
    const unanswered: TimeWindow[] = [];
    for (const part of this.#failing.around(window)) {
      try {
        answers.push(await run.source.read(part, run.signal, true));
      } catch (error) {
        if (!mayConcernWindow(error) || !(await this.#isAnsweredElsewhere(part, run))) throw error;
        if (isSample) unanswered.push(part);
        else answers.push(...(await this.#setApart(part, error, run)));
      }
    }
    const merged = this.#merged(window, answers, run);
    return { ...merged, missing: [...merged.missing, ...unanswered] };
  }

  /** Like `read`, for a promise that is awaited later or never: a failure does not count as unhandled until then. */
  readAhead(window: TimeWindow, run: PollRun): Promise<WindowRecords> {
    const reading = this.read(window, run);
    reading.catch(() => undefined);
    return reading;
  }

  /** Reads the window around now. */
  readLatest(run: PollRun): Promise<WindowRecords> {
    return this.read(latestWindow(this.#clock.now()), run);
  }

  /** Reads the window that holds the newest record, up to 24 hours back if the service lags or records are long. */
  async readNewest(run: PollRun): Promise<WindowRecords> {
    const response = await this.readLatest(run);
    if (this.newestOf(response)) return response;
    const now = this.#clock.now();
    return this.read({ start: now - MAX_WINDOW, end: now }, run);
  }

  /** Whether the service shows records of a window; a refusal means none, if it does not refuse the present as well. */
  async hasRecords(window: TimeWindow, run: PollRun): Promise<boolean> {
    const answer = await this.#try(window, run);
    if (answer) return answer.records.length > 0;
    await run.source.read(this.#present(), run.signal);
    return false;
  }

  /** The newest record that has already ended. */
  newestOf({ records }: WindowRecords): TimedRecord | undefined {
    return records.findLast(({ end }) => end <= this.#clock.now());
  }

  #merged(window: TimeWindow, answers: readonly RecordAnswer[], run: PollRun): WindowRecords {
    for (const { unreadable } of answers) this.#report(unreadable, run);
    const records = uniqueInOrder(answers.flatMap((answer) => answer.records));
    return { window, records, missing: this.#failing.within(window) };
  }

  async #readPart(part: TimeWindow, run: PollRun): Promise<RecordAnswer[]> {
    const isSuspect = this.#suspects.some((one) => isInWindow(one, part));
    try {
      return [await run.source.read(part, run.signal, isSuspect)];
    } catch (error) {
      if (!mayConcernWindow(error)) throw error;
      const isByItself = (isSuspect || !this.#isPatient) && (await this.#isAnsweredElsewhere(part, run));
      if (isByItself) return await this.#setApart(part, error, run);
      this.#failed.push(part);
      throw error;
    }
  }

  /** Whether the service answers for another window: the present, or the last minute before a window that reaches there. */
  async #isAnsweredElsewhere(window: TimeWindow, run: PollRun): Promise<boolean> {
    const present = this.#present();
    const before = { start: window.start - MINUTE, end: window.start };
    return (await this.#try(isInWindow(present, window) ? before : present, run)) !== undefined;
  }

  /** Narrows a window down that fails by itself, and reports what remains of it. Resolves to the answers for the rest. */
  async #setApart(window: TimeWindow, error: EnergyError, run: PollRun): Promise<RecordAnswer[]> {
    this.#failing.add(window, this.#clock.now());
    const answers = await this.#narrow(run, window);
    for (const failing of joined(this.#failing.within(window)))
      run.sink.report({ kind: "failing", error, window: failing });
    return answers;
  }

  /** Halves failing windows, longest first, as far as they are due and the run can afford it. */
  async #narrow(run: PollRun, known?: TimeWindow): Promise<RecordAnswer[]> {
    const answers: RecordAnswer[] = [];
    let isKnown = known !== undefined;
    for (let next = known ?? this.#due(); next; next = this.#due()) {
      answers.push(...(await this.#retry(next, run, isKnown)));
      isKnown = false;
    }
    return answers;
  }

  #due(): TimeWindow | undefined {
    const { requests, slow, until } = this.#budget;
    const due = this.#failing.due(this.#clock.now());
    if (!due || this.#clock.monotonic() > until || (due.isUrgent ? requests : slow) <= 0) return undefined;
    if (!due.isUrgent) this.#budget.slow -= 1;
    return due.window;
  }

  /** @param hasFailed whether the window itself has just failed, so that only its halves are requested */
  async #retry(window: TimeWindow, run: PollRun, hasFailed = false): Promise<RecordAnswer[]> {
    const answer = hasFailed ? undefined : await this.#spend(window, run);
    if (answer) {
      this.#failing.answered(window);
      this.#recovered.push(window);
      return [answer];
    }
    const halves = this.#failing.failed(window, this.#clock.now());
    if (halves.length === 0) return [];
    const answers: RecordAnswer[] = [];
    const failing: TimeWindow[] = [];
    for (const half of halves) {
      const found = await this.#spend(half, run);
      if (found) {
        answers.push(found);
        this.#recovered.push(half);
      } else {
        failing.push(half);
      }
    }
    this.#failing.halved(window, failing, this.#clock.now());
    return answers;
  }

  #spend(window: TimeWindow, run: PollRun): Promise<RecordAnswer | undefined> {
    this.#budget.requests -= 1;
    return this.#try(window, run);
  }

  #present(): TimeWindow {
    const now = this.#clock.now();
    return { start: now - MINUTE, end: now + AHEAD };
  }

  /** The answer, or undefined for a failure that may concern the window alone. */
  async #try(window: TimeWindow, { source, signal }: PollRun): Promise<RecordAnswer | undefined> {
    try {
      return await source.read(window, signal, true);
    } catch (error) {
      if (!mayConcernWindow(error)) throw error;
      return undefined;
    }
  }

  #report(unreadable: readonly UnreadableItem[], run: PollRun): void {
    const unknown = unreadable.filter(({ id }) => this.#reported.isNew(id));
    for (const { fault } of unknown.slice(0, MAX_REPORTED))
      run.sink.report({ kind: "unreadable", error: new ResponseError(fault) });
  }
}

/** Other errors concern the account or the site as a whole. */
function mayConcernWindow(error: unknown): error is EnergyError {
  return [HttpError, ResponseError, TimeoutError, NetworkError].some((type) => error instanceof type);
}

/** Windows in order, with those that touch as one. */
function joined(windows: readonly TimeWindow[]): TimeWindow[] {
  const all: TimeWindow[] = [];
  for (const { start, end } of windows) {
    const last = all.at(-1);
    if (last?.end === start) last.end = end;
    else all.push({ start, end });
  }
  return all;
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
