// Reads windows of one series for all nodes: around what cannot be read, and on from where an answer was cut.
import { type Clock, withRightTime } from "../clock";
import {
  EnergyError,
  errorText,
  HttpError,
  NetworkError,
  ResponseError,
  ServiceDownError,
  TimeoutError,
} from "../errors";
import { MAX_REQUESTS } from "../limits";
import type { RecordAnswer, UnreadableItem } from "../models/responses";
import type { TimedRecord } from "../models/telemetry";
import { AHEAD, HOUR, MAX_WINDOW, MINUTE, splitWindow, type TimeWindow } from "../time-units";
import { answered, failed, merged, type WindowRecords } from "./window-records";

export interface RecordSource {
  /**
   * Resolves to the records of one series that overlap the window of at most 24 hours.
   * Throws what the service client throws, and AbortedError once the signal aborts.
   * @param once whether a failure is final, because others have failed before
   */
  read(window: TimeWindow, signal: AbortSignal, once?: boolean): Promise<RecordAnswer>;
}

/** How far the latest-value window extends either side of now (service interface 4.4, usage patterns). */
const LATEST_REACH = 15 * MINUTE;
/** Records typically take this long: no shorter part of a window that fails is requested. */
const SHORTEST = 5 * MINUTE;
const LENGTHS = [6 * HOUR, HOUR, 15 * MINUTE, SHORTEST];
/** A window that begins this close to now is the present itself. */
const PRESENT = 6 * MINUTE;
/** That the present has an answer is asked once for windows that fail in quick succession. */
const PRESENT_FOR = 10_000;
/** Records may become readable this late: in a window that reaches to now, later ones may yet be to come. */
const LATE = HOUR;
/** After so many days that fail as a whole and are answered in parts, later ones are requested in parts at once. */
const MAX_TOO_LONG = 2;

/** What became of a request: an answer, or why there is none. */
export type Answer = RecordAnswer | EnergyError;

export class NothingReadable extends ResponseError {
  constructor(
    first: UnreadableItem,
    readonly items: readonly UnreadableItem[],
  ) {
    super(first.fault);
  }
}

/** Reads for one run, and knows nothing of others. Throws what the source throws, unless it concerns single windows. */
export class RecordReader {
  readonly #source: RecordSource;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** The longest window to request, and how many windows were too long. */
  #longest = MAX_WINDOW;
  #tooLong = 0;
  #requestsLeft: number;
  readonly #nearNow: number;
  /** When the present was last answered, on the monotonic clock. */
  #presentAt = Number.NEGATIVE_INFINITY;

  /**
   * @param maxRequests after which failing windows are not read in parts, and cut answers not continued
   * @param nearNow how long before now a window may end that counts as reaching it: who reads again soon need not know
   * whether there is more by then
   */
  constructor(
    source: RecordSource,
    clock: Clock,
    signal: AbortSignal,
    maxRequests = MAX_REQUESTS,
    nearNow = 0,
  ) {
    this.#requestsLeft = maxRequests;
    this.#nearNow = nearNow;
    this.#source = source;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Reads a window of at most 24 hours, in parts if it fails by itself. Throws if the present fails as well. */
  async read(window: TimeWindow): Promise<WindowRecords> {
    return this.settle(window, await this.request(window));
  }

  /** As `read`, for what is known to be missing. A sample is not read in parts. */
  async readGap(window: TimeWindow, isSample = false): Promise<WindowRecords> {
    const answer = await this.request(window, isSample);
    // What is missing there is what cannot be read.
    if (answer instanceof NothingReadable) return answered(window, { records: [], unreadable: answer.items });
    if (!isSample || !(answer instanceof Error)) return this.settle(window, answer);
    await this.#assertPresent(window, answer);
    return failed(window, answer);
  }

  /** Reads the window around now. If that fails, there is no other to compare it with. */
  async readLatest(): Promise<WindowRecords> {
    const now = this.#clock.now();
    const window = { start: now - LATEST_REACH, end: now + LATEST_REACH };
    return answered(window, await this.#ask(window, false));
  }

  /**
   * Reads the window around now or, without enough records in it, the last 24 hours: records may be long, or late. That may be
   * one of several pages, and is continued. Once more if the answers set the time right.
   * @param isLast whether no other record is to be expected after this one: a site that is silent then costs no third request
   */
  readNewest(
    isEnough: (latest: WindowRecords) => boolean,
    isLast: (record: TimedRecord) => boolean = () => false,
  ): Promise<WindowRecords> {
    return withRightTime(this.#clock, async () => {
      const latest = await this.readLatest();
      if (isEnough(latest)) return latest;
      const now = this.#clock.now();
      const lastDay = { start: now - MAX_WINDOW, end: now };
      const answer = await this.request(lastDay);
      if (answer instanceof Error) return this.settle(lastDay, answer);
      const last = answer.records.at(-1);
      return last && isLast(last) ? answered(lastDay, answer) : this.settle(lastDay, answer);
    });
  }

  /** A single request, of which `settle` makes what can be made. */
  async request(window: TimeWindow, once = false): Promise<Answer> {
    try {
      return await this.#ask(window, once);
    } catch (error) {
      const isPresent = window.start >= this.#clock.now() - PRESENT;
      if (error instanceof ServiceDownError && !isPresent && this.#requestsLeft > 0) {
        // Of a service that fails for all, only the present is requested, until that has an answer, whether or not it can be read.
        const { records, unreadable } = await this.#source.read(this.#present, this.#signal, once);
        if (records.length > 0 || unreadable.length === 0) this.#presentAt = this.#clock.monotonic();
        return this.request(window, once);
      }
      if (!mayConcernWindow(error)) throw error;
      return error;
    }
  }

  get #present(): TimeWindow {
    const now = this.#clock.now();
    return { start: now - MINUTE, end: now + AHEAD };
  }

  /** Goes on where an answer ends early, and requests the parts of a window that fails. */
  async settle(window: TimeWindow, answer: Answer): Promise<WindowRecords> {
    if (!(answer instanceof Error)) return this.#goOn(window, answer);
    await this.#assertPresent(window, answer);
    return this.#complete(window, answer);
  }

  /** A window to request as it is, or in parts where days have turned out to be too long. */
  partsOf(window: TimeWindow): TimeWindow[] {
    return splitWindow(window, this.#longest);
  }

  async #ask(window: TimeWindow, once: boolean): Promise<RecordAnswer> {
    this.#requestsLeft -= 1;
    const { records: shown, unreadable } = await this.#source.read(window, this.#signal, once);
    const now = this.#clock.now();
    // A record that begins in the future does not exist yet.
    const records = shown.filter(({ start }) => start <= now);
    const [first] = unreadable;
    if (first && records.length === 0) throw new NothingReadable(first, unreadable);
    return { records, unreadable };
  }

  async #assertPresent(window: TimeWindow, error: EnergyError): Promise<void> {
    if (window.start >= this.#clock.now() - PRESENT) throw error;
    if (this.#clock.monotonic() - this.#presentAt < PRESENT_FOR) return;
    if ((await this.request(this.#present, true)) instanceof Error) throw error;
    this.#presentAt = this.#clock.monotonic();
  }

  async #complete(window: TimeWindow, answer: Answer): Promise<WindowRecords> {
    if (!(answer instanceof Error)) return this.#goOn(window, answer);
    if (answer instanceof NothingReadable) return { ...failed(window, answer), unreadable: answer.items };
    return this.#inParts(window, answer);
  }

  /** Requests the rest of a window for as long as answers end early and bring something new: one request for real silence. */
  async #goOn(window: TimeWindow, first: RecordAnswer): Promise<WindowRecords> {
    const parts = [answered(window, first)];
    let last = first.records.at(-1);
    // Once it is known that answers are cut, the next may end as early.
    while (last && this.#mayBeCut(last, window, parts.length > 1)) {
      const rest = { start: last.end, end: window.end };
      if (this.#requestsLeft <= 0) {
        parts.push(failed(rest, new ResponseError(errorText("answerPages", { pages: MAX_REQUESTS }))));
        break;
      }
      const answer = await this.request(rest);
      if (answer instanceof Error) {
        parts.push(await this.settle(rest, answer));
        break;
      }
      parts.push(answered(rest, answer));
      const next = answer.records.at(-1);
      last = next && next.start > last.start ? next : undefined;
    }
    return merged(parts);
  }

  /** Whether there is room for another record, which should be readable by now: one that crosses the end is returned as well. */
  #mayBeCut({ end }: TimedRecord, window: TimeWindow, isCut: boolean): boolean {
    const now = this.#clock.now();
    const isPresent = window.end > now - this.#nearNow;
    return Math.min(window.end, now) - end >= (isPresent && !isCut ? LATE : MINUTE);
  }

  /** Requests the parts of a window that fails, unless both its ends fail. One that is answered at both is too long, or has a hole. */
  async #inParts(window: TimeWindow, error: EnergyError): Promise<WindowRecords> {
    const { start, end } = window;
    const length = LENGTHS.find((one) => one < end - start);
    if (length === undefined || this.#requestsLeft <= 0) return failed(window, error);
    if (length > SHORTEST) {
      const isKept = await this.isAnswered({ start: end - SHORTEST, end });
      const mayBeOld = isKept && length >= HOUR && (error.details.statusCode ?? 500) < 500;
      if ((!isKept || mayBeOld) && !(await this.isAnswered({ start, end: start + SHORTEST })))
        return isKept ? this.#fromEnd(window, error) : failed(window, error);
    }
    const answers: [TimeWindow, Answer][] = [];
    for (const part of splitWindow(window, length)) answers.push([part, await this.request(part, true)]);
    const isTooLong = length >= HOUR && answers.every(([, answer]) => !(answer instanceof Error));
    if (isTooLong && (this.#tooLong += 1) >= MAX_TOO_LONG) this.#longest = Math.min(this.#longest, length);
    const parts: WindowRecords[] = [];
    for (const [part, answer] of answers) parts.push(await this.#complete(part, answer));
    return merged(parts);
  }

  /** A service that keeps the newest records refuses a day of which it keeps only the end: finds out how much by halving. */
  async #fromEnd({ start, end }: TimeWindow, error: EnergyError): Promise<WindowRecords> {
    const timeOf = (index: number): number => start + index * SHORTEST;
    const keeps = (index: number): Promise<boolean> => this.isAnswered({ start: timeOf(index), end });
    // The first moment is refused, and the last is not.
    const kept = timeOf(await firstIndex(Math.ceil((end - start) / SHORTEST) - 1, keeps));
    const rest = { start: kept, end };
    const after = await this.#complete(rest, await this.request(rest));
    // It begins with what is refused, but perhaps other moments are not.
    const before = await this.#complete({ start, end: kept }, error);
    return merged([before, after]);
  }

  async isAnswered(window: TimeWindow): Promise<boolean> {
    return !((await this.request(window, true)) instanceof Error);
  }
}

/** Other errors concern the account as a whole. Whether a status concerns the whole series is seen from the present. */
function mayConcernWindow(error: unknown): error is EnergyError {
  if (error instanceof EnergyError && error.isOfAccount) return false;
  return [HttpError, ResponseError, TimeoutError, NetworkError].some((type) => error instanceof type);
}

/**
 * The first index from 1 to `end` - 1 at which a test succeeds, if it succeeds at all later ones as well; `end` if it succeeds at
 * none that are tested. From far to near, so that a break in the recent past does not hide what is older.
 */
export async function firstIndex(end: number, test: (index: number) => Promise<boolean>): Promise<number> {
  let [first, found] = [1, end];
  while (first < found) {
    const middle = Math.floor((first + found - 1) / 2);
    if (await test(middle)) found = middle;
    else first = middle + 1;
  }
  return found;
}
