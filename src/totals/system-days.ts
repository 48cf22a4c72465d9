// The days of one system: read once, computed in order from the battery's account of the day before, and kept.
import { isDeepStrictEqual } from "node:util";
import type { EnergyError } from "../errors";
import type { LocalDay } from "../site-calendar";
import { DAY, HOUR, lengthOf, MINUTE, type TimeWindow } from "../time-units";
import type { WindowRecords } from "../reading/window-records";
import { type DayReader, DayRecords, UnreadableDay } from "./day-records";
import { type DayRule, daySums, isCut, type PartSums } from "./day-sums";
import { type DayStores, KeptDays, type KnownDay } from "./stored-days";
import { type Sums, sumsOf } from "./sums";

export interface PricedDayRule extends Omit<DayRule, "money"> {
  /** With the prices of a span: those of some nodes are computed, which takes time. */
  readonly moneyIn: (span: TimeWindow) => Promise<DayRule["money"]>;
  /** What the numbers of a span depend on besides its records; a day with another one is re-read. */
  readonly keyOf: (span: TimeWindow) => Promise<string>;
  /** Whether prices belong to times, so that another key of a day is a correction. */
  readonly hasDatedPrices: boolean;
}

export interface DayRun extends DayReader {
  /** A message retries days with holes immediately, a schedule with growing pauses. */
  readonly isByMessage: boolean;
  /** What a schedule says of the days before the period. */
  readonly earlier?:
    | {
        /** Whether also those are sent that no run has read because there was none, or the service failed. */
        readonly withSkipped: boolean;
        /** A day that now has other numbers than when it was sent, or that was skipped. */
        send(totals: DayTotals): Promise<unknown>;
      }
    | undefined;
}

export interface DayTotals {
  readonly day: LocalDay;
  /** Of a running day: up to the end of its last record. */
  readonly sums: Sums;
  readonly parts: readonly PartSums[];
  /** Rises when a day that was known comes with other numbers. */
  readonly revision: number;
}

/** How far before the period days are looked at: for late records, corrected prices, and those that no run has read. */
const DAYS_BACK = 31;
/** Days that are read at the same time. */
const READ_AHEAD = 4;
const FIRST_PAUSE = 5 * MINUTE;
const MAX_PAUSE = HOUR;
/** As long as a poll retries gaps. */
const HOLE_HORIZON = 72 * HOUR;
/** How much of the time since the last read counts as retrying: while Node-RED was off, it did not. */
const MAX_COUNTED = 6 * HOUR;
/** The revision of a day that could not be read. */
const UNREAD = 0;

type DayNumbers = Omit<KnownDay, "date" | "readAt" | "retried">;

/** For one run. */
export class SystemDays {
  readonly #kept: KeptDays;
  readonly #records: DayRecords;
  readonly #rule: PricedDayRule;
  readonly #run: DayRun;
  /** Why an earlier day, or a part of one, cannot be read, if that is new. */
  #failure: EnergyError | undefined;

  constructor(stores: DayStores, rule: PricedDayRule, run: DayRun) {
    this.#kept = new KeptDays(stores, run.now);
    this.#records = new DayRecords(run);
    this.#rule = rule;
    this.#run = run;
  }

  /**
   * The totals of days in order, after those of earlier days have been sent that are due. A day that cannot be read holds up none
   * of those after it: the battery's account begins anew. Rejects with the service's error if it is one of those requested.
   */
  async read(requested: readonly LocalDay[]): Promise<DayTotals[]> {
    const { earlier } = this.#run;
    const [first] = requested;
    if (!first) return [];
    const { calendar } = this.#rule;
    const { start } = calendar.period("today", first.whole.start - DAYS_BACK * DAY);
    // The first of them goes on from the day before it.
    const past = calendar.days({ start: start - 1, end: first.whole.start });
    await this.#kept.load([...past, ...requested]);
    const due = await this.#dueOf(past.slice(1));
    const days = [...due, ...requested];
    const ahead: (Promise<WindowRecords> | undefined)[] = [];
    const totals: DayTotals[] = [];
    let failure: EnergyError | undefined;
    let hasFailed = false;
    for (const [index, day] of days.entries()) {
      for (const next of days.slice(ahead.length, index + READ_AHEAD)) {
        const reading = (await this.#isUnread(next, ahead.length >= due.length))
          ? this.#readDay(next)
          : undefined;
        // Awaited in its turn: until then a failure must not count as unhandled.
        reading?.catch(() => undefined);
        ahead.push(reading);
      }
      const known = this.#kept.day(day.date);
      const isRequested = index >= due.length;
      try {
        const one = await this.#totalsOf(day, await ahead[index], isRequested);
        if (isRequested) totals.push(one);
        else if (isOver(known, day) ? one.revision > known.revision : earlier?.withSkipped)
          await earlier?.send(one);
        hasFailed = false;
      } catch (error) {
        if (!(error instanceof UnreadableDay)) throw error;
        if (isRequested) failure ??= error.reason;
        else if (earlier && known?.revision !== UNREAD && !isOver(known, day)) this.#failure ??= error.reason;
        const none = { sums: sumsOf(day.whole, []), peaks: {}, rule: "", revision: UNREAD };
        if (day.whole.end <= this.#run.now) this.#keep(day, isOver(known, day) ? known : none, false);
        // Nothing will be sent: of a year, no more requests to a service that keeps a month.
        if (hasFailed) break;
        hasFailed = isRequested;
      }
      // A year of records is not kept.
      ahead[index] = undefined;
    }
    if (failure) throw failure;
    return totals;
  }

  /** Resolves once all days survive a crash. Rejects with StoreError, or why an earlier day or a part of one cannot be read, if that is new. */
  async saved(): Promise<void> {
    await this.#kept.saved();
    if (this.#failure) throw this.#failure;
  }

  /**
   * Those of the days before that have to be read, too: days with holes, days whose prices were corrected, days that no run has read,
   * and those after any of these, because the battery's account goes on.
   */
  async #dueOf(past: readonly LocalDay[]): Promise<readonly LocalDay[]> {
    const { absent, keyOf, hasDatedPrices } = this.#rule;
    const { now, earlier, isByMessage } = this.#run;
    const isFollowed = earlier?.withSkipped || !absent.has("storage");
    const isRetried = !isByMessage && (isFollowed || earlier !== undefined);
    let isAnyKnown = false;
    let last: KnownDay | undefined;
    const due: LocalDay[] = [];
    for (const one of past) {
      const known = this.#kept.day(one.date);
      isAnyKnown ||= known !== undefined;
      const isRead = isOver(known, one);
      const isWaiting = known?.revision === UNREAD && !isToRetry(known, now);
      const isDue = isRead
        ? !isFollowing(known, last) ||
          (isRetried &&
            (isToRetry(known, now) || (hasDatedPrices && known.rule !== (await keyOf(one.whole)))))
        : isFollowed && isAnyKnown && !isWaiting;
      if (isDue || (due.length > 0 && isRead)) due.push(one);
      last = isRead ? known : undefined;
    }
    return due;
  }

  /** Whether a day has to be read, as far as can be told before the days before it are. */
  async #isUnread(day: LocalDay, isRequested: boolean): Promise<boolean> {
    const { now, isByMessage } = this.#run;
    const known = this.#kept.day(day.date);
    if (isCut(day) || !isOver(known, day) || known.rule !== (await this.#rule.keyOf(day.whole))) return true;
    if (isRequested && this.#rule.split === "hour") return true;
    return isToRetry(known, now) || (isRequested && isByMessage && isLacking(known));
  }

  /**
   * From the day's records if they are needed.
   * @param ahead the whole day, if it was read ahead
   */
  async #totalsOf(day: LocalDay, ahead: WindowRecords | undefined, isRequested: boolean): Promise<DayTotals> {
    const run = this.#run;
    const known = this.#kept.day(day.date);
    const finished = isOver(known, day) ? known : undefined;
    // A day before it that is no longer kept has left what the battery held.
    const kept = finished && { ...finished, after: finished.before };
    const previous = this.#before(day);
    const before = previous ?? kept;
    if (finished && !ahead && isFollowing(finished, before)) {
      const { sums, revision } = finished;
      return { day, sums, parts: [], revision };
    }
    const { records, missing } = ahead ?? (await this.#readDay(day));
    if (!finished) this.#failure ??= missing[0]?.error;
    // A day that was read without any, or cannot be read, needs no search.
    const last = previous && (previous.last ?? null);
    const all = await this.#records.withNeighbors(day.whole, last, records);
    // A record that crosses an end of the day is priced as a whole.
    const span = { start: all[0]?.start ?? 0, end: all.at(-1)?.end ?? 0 };
    const rule = { ...this.#rule, money: await this.#rule.moneyIn(span) };
    const { sums, whole, parts, end } = daySums(day, before, all, rule, run.now);
    if (finished && lengthOf(whole.missing) > lengthOf(finished.sums.missing)) {
      // Records that are gone take nothing from what was read, and those that cannot be read now may be later.
      const numbers = { ...finished, before: before?.after, rule: await rule.keyOf(day.whole) };
      this.#keep(day, { ...numbers, isOutdated: true }, !finished.isOutdated);
      // Of hours, which are not kept, those are known that lack no more than before.
      const had = (gap: TimeWindow): boolean =>
        !finished.sums.missing.some(({ start, end }) => start <= gap.start && end >= gap.end);
      const covered = parts.filter((part) => !part.missing.some(had));
      if (isRequested && covered.length < parts.length) this.#failure ??= missing[0]?.error;
      return { day, sums: isCut(day) ? sums : finished.sums, parts: covered, revision: finished.revision };
    }
    const isRevised = finished !== undefined && !isDeepStrictEqual(finished.sums, whole);
    const revision = (finished?.revision ?? 1) + Number(isRevised);
    // A day that has begun is kept once, so that the next one knows where to go on.
    if (day.whole.end <= run.now || !known) {
      const numbers = { sums: whole, before: before?.after, ...end, revision };
      this.#keep(day, { ...numbers, rule: await rule.keyOf(day.whole) }, isRevised);
    }
    return { day, sums, parts, revision };
  }

  #readDay(day: LocalDay): Promise<WindowRecords> {
    return this.#records.of(day.whole, this.#before(day)?.revision === UNREAD);
  }

  /** The day before, if it was read to its end, or cannot be read. */
  #before({ whole: { start } }: LocalDay): KnownDay | undefined {
    const [day] = this.#rule.calendar.days({ start: start - 1, end: start });
    const known = day && this.#kept.day(day.date);
    return day && (known?.revision === UNREAD || isOver(known, day)) ? known : undefined;
  }

  /** @param isRetriedAnew whether it has changed, so that more may be about to come, or begins to lack something */
  #keep({ date, whole }: LocalDay, numbers: DayNumbers, isRetriedAnew: boolean): void {
    const { now: readAt } = this.#run;
    const known = isRetriedAnew ? undefined : this.#kept.day(date);
    const since = known ? readAt - Math.max(known.readAt, whole.end) : 0;
    const retried = (known?.retried ?? 0) + Math.min(Math.max(since, 0), MAX_COUNTED);
    this.#kept.keep({ ...numbers, date, readAt, retried });
  }
}

/** Whether a day was read to its end. */
function isOver(known: KnownDay | undefined, { whole }: LocalDay): known is KnownDay {
  return known?.revision !== UNREAD && known?.sums.start === whole.start && known.sums.end === whole.end;
}

/** Whether a day goes on from what the battery held after the one before it, if that was read. */
function isFollowing({ before }: KnownDay, last: KnownDay | undefined): boolean {
  return !last || last.revision === UNREAD || JSON.stringify(before) === JSON.stringify(last.after);
}

function isLacking({ isOutdated, sums: { missing } }: KnownDay): boolean {
  return isOutdated === true || missing.length > 0;
}

/**
 * Whether it is time to request what a day lacks once more, if anything: each pause doubles the time since the first request, and a
 * clock that ran ahead neither makes one longer nor gives anything up.
 */
function isToRetry(known: KnownDay, now: number): boolean {
  if (!isLacking(known)) return false;
  const { readAt, retried } = known;
  const next = readAt + Math.min(Math.max(retried, FIRST_PAUSE), MAX_PAUSE);
  return now < readAt || (now >= next && retried <= HOLE_HORIZON);
}
