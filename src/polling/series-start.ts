// Where a run begins: at the stored position, or at that of a new ledger. A position that a wrong clock has set is corrected.
import type { Clock } from "../clock";
import { isAhead, rejectAhead } from "../ledger/carried-ledger";
import { type LedgerRule, owedWindow } from "../ledger/ledger";
import { withEmptyStart, withoutFuture } from "../ledger/silence";
import type { TimeWindow } from "../ledger/window";
import { MINUTE } from "../time-units";
import { firstRecordTime } from "./first-record";
import type { SeriesLedger } from "./series-ledger";
import type { ReadConditions, SeriesReader, WindowRecords } from "./series-reader";

export interface StartRule extends LedgerRule {
  /** How many milliseconds before now a new ledger starts; undefined = at the newest record. */
  startBefore: number | undefined;
}

interface SeriesStartOptions {
  ledger: SeriesLedger;
  reader: SeriesReader;
  clock: Clock;
  rule: StartRule;
  /** Whether the ledger travels, so that it may come from anywhere. */
  isCarried: boolean;
}

export class SeriesStart {
  readonly #ledger: SeriesLedger;
  readonly #reader: SeriesReader;
  readonly #clock: Clock;
  readonly #rule: StartRule;
  readonly #isCarried: boolean;
  /** When this process started the ledger, by the monotonic clock. */
  #begunAt: number | undefined;

  constructor({ ledger, reader, clock, rule, isCarried }: SeriesStartOptions) {
    this.#ledger = ledger;
    this.#reader = reader;
    this.#clock = clock;
    this.#rule = rule;
    this.#isCarried = isCarried;
  }

  /**
   * Loads the ledger, or starts a new one at the given time, at that of the rule, or at the newest record. Returns the first
   * response, if there is one already. Throws what the reader throws, StoreError, and InputError for a ledger that travels
   * and is ahead of the clock.
   */
  async begin(start: number | undefined, reading: ReadConditions): Promise<WindowRecords | undefined> {
    if ((await this.#ledger.load()) && (await this.#isStarted(reading))) return undefined;
    const { startBefore } = this.#rule;
    if (start !== undefined) return this.#startFrom(() => start, reading);
    if (startBefore !== undefined) return this.#startFrom(() => this.#clock.now() - startBefore, reading);
    return this.#startAtNewest(reading);
  }

  /** Whether the stored ledger has a place to go on from: one beyond now that no record led to is a clock's error. */
  async #isStarted(reading: ReadConditions): Promise<boolean> {
    const correct = (): void => this.#ledger.update((known) => withoutFuture(known, this.#clock.now()));
    correct();
    if (this.#isCarried && isAhead(this.#ledger.current, this.#clock.now())) {
      // The answer says what time it is.
      await this.#reader.readLatest(reading).then(correct);
      rejectAhead(this.#ledger.current, this.#clock.now());
    }
    // The answer says what time it is.
    if (!this.#owedWindow()) await this.#reader.readLatest(reading).then(correct);
    return this.#owedWindow() !== undefined || this.#ledger.current.delivered.length > 0;
  }

  /** Starts at the newest record, or, if a wrong clock made an earlier start void, at the time of that. */
  async #startAtNewest(reading: ReadConditions): Promise<WindowRecords | undefined> {
    const begunAt = this.#begunAt;
    if (begunAt !== undefined)
      return this.#startFrom(() => this.#clock.now() - (this.#clock.monotonic() - begunAt), reading);
    const response = await this.#withRightTime(() => this.#reader.readNewest(reading));
    const start = this.#reader.newestOf(response)?.start ?? response.window.start;
    this.#ledger.start(start);
    this.#begunAt = this.#clock.monotonic();
    return { ...response, window: { start, end: response.window.end } };
  }

  /** Starts at a time, and returns the first response. */
  #startFrom(startTime: () => number, reading: ReadConditions): Promise<WindowRecords | undefined> {
    return this.#withRightTime(async () => {
      const start = Math.floor(startTime());
      const begin = await firstRecordTime(start, this.#clock.now(), (window) =>
        this.#reader.hasRecords(window, reading),
      );
      this.#ledger.start(start);
      this.#ledger.update((known) => withEmptyStart(known, begin, this.#ledger.moment(), this.#rule));
      const window = this.#owedWindow();
      if (window) return this.#reader.read(window, reading);
      await this.#reader.readLatest(reading);
      return undefined;
    });
  }

  /** Starts anew if an answer shows that the clock was wrong. */
  async #withRightTime<T>(start: () => Promise<T>): Promise<T> {
    const before = this.#clockOffset();
    const result = await start();
    return Math.abs(this.#clockOffset() - before) < MINUTE ? result : start();
  }

  /** Changes only when the clock is set. */
  #clockOffset(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }

  #owedWindow(): TimeWindow | undefined {
    return owedWindow(this.#ledger.current, this.#clock.now(), this.#rule);
  }
}
