// Keeps the statistics in Home Assistant complete: reads what it has, writes the hours that are new or differ, and reads back.
import { sleep } from "../abort";
import { setNewest } from "../bounded-map";
import { errorText, ResponseError } from "../errors";
import { MAX_STATISTICS } from "../limits";
import type { StatisticsWritten } from "../messages/messages";
import { objectOf, type ServiceObject } from "../models/service-object";
import { number, oneOf, optional, readerOf, text, tupleOf } from "../models/shape";
import { cachedPromise } from "../single-flight";
import type { StateForm, StateGroup } from "../stored-state";
import { HOUR, isoTime } from "../time-units";
import {
  type Assistant,
  type Command,
  importCommand,
  MAX_ROWS,
  refused,
  rowsCommand,
  rowsIn,
} from "./commands";
import { type Dashboard, dashboardWith, type SystemStatistics } from "./dashboard";
import { firstDifference, type Hour, type KnownRow, plannedRows, type StatisticRow } from "./rows";
import { AMOUNTS, type HourlySeries, type SeriesRule, STATISTIC_NAMES } from "./series";

/** How long what is owed may wait to be stored together with more, in milliseconds. */
const GATHERING = 1000;
/** Hours of one statistic that wait to be written: twenty years, all of which a correction may shift. */
const MAX_OWED = 180_000;

/** What Home Assistant says of preferences if none were ever saved. */
const NOTHING_SAVED = /no prefs|not[ _]found/i;

/** A statistic with the hours that wait to be written, if any: one map for as long as the node knows it. */
export interface OwedSeries extends HourlySeries {
  readonly hours: Map<number, Hour>;
  /** The end of the newest hour that Home Assistant has; undefined if none was written since the start. */
  completeTo?: number | undefined;
}

const HOUR_ENTRY = tupleOf<[number, Hour]>(number, { energy: number, state: optional(number) });
const QUANTITY = oneOf(STATISTIC_NAMES);
const readSeries = readerOf({ id: text, quantity: QUANTITY, name: text, unit: text, hours: [HOUR_ENTRY] });

/** Stored because totals of last year come only once; what is written remains without hours, for the dashboard. */
export const OWED_FORM: StateForm<OwedSeries> = {
  read(stored) {
    const series = readSeries(stored);
    return series && { ...series, hours: new Map(series.hours) };
  },
  toStored: ({ hours, completeTo: _completeTo, ...series }) => ({ ...series, hours: [...hours] }),
};

export type StatisticPart = StatisticsKeeper["parts"][number];

export class StatisticsKeeper {
  readonly #assistant: Assistant;
  readonly #written: (written: StatisticsWritten) => void;
  readonly #stored: StateGroup<OwedSeries> | undefined;
  /** By id, all of this node: of an hour that comes twice, the last energy. */
  readonly #series = new Map<string, OwedSeries>();

  /** @param stored keeps what is owed across restarts */
  constructor(
    assistant: Assistant,
    written: (written: StatisticsWritten) => void,
    stored?: StateGroup<OwedSeries>,
  ) {
    this.#assistant = assistant;
    this.#written = written;
    this.#stored = stored;
  }

  /** Knows again what was known before a restart, and owes what was owed; once. Rejects with StoreError. */
  readonly load = cachedPromise(async () => {
    for (const [id, { hours, ...stored }] of (await this.#stored?.load()) ?? []) {
      const { hours: newer = [], ...known } = this.#series.get(id) ?? {};
      this.#series.set(id, { ...stored, ...known, hours: new Map([...hours, ...newer]) });
    }
  });

  /** How each statistic stands, and how many hours wait to be written. */
  get parts() {
    return [...this.#series.values()].map(({ id, completeTo, hours: { size: owed } }) => {
      return { id, completeTo, owed };
    });
  }

  get isOwing(): boolean {
    return [...this.#series.values()].some(({ hours }) => hours.size > 0);
  }

  add(all: readonly HourlySeries[]): void {
    for (const series of all) {
      const { id } = series;
      const { hours = new Map<number, Hour>(), completeTo } = this.#series.get(id) ?? {};
      for (const [start, hour] of series.hours) hours.set(start, hour);
      for (const start of hours.keys()) if (hours.size > MAX_OWED) hours.delete(start);
      const removed = setNewest(this.#series, id, { ...series, hours, completeTo }, MAX_STATISTICS);
      this.#store(id);
      if (removed) this.#store(removed[0]);
    }
  }

  /** Resolves once what is owed is stored, or cannot be. */
  async flush(): Promise<void> {
    await this.load().catch(() => undefined);
    await this.#stored?.flush().catch(() => undefined);
  }

  /**
   * Writes what is owed. Resolves to the end of the newest hour. Rejects with AbortedError, with StoreError while it is not known
   * what was owed, and with ResponseError if Home Assistant refuses something or has other rows afterwards: that is owed until
   * the next time.
   */
  async write(signal: AbortSignal): Promise<number> {
    await this.load();
    const version = await this.#assistant.version(signal);
    let failure: ResponseError | undefined;
    let completeTo = Number.NEGATIVE_INFINITY;
    // What comes meanwhile is written next time.
    for (const series of [...this.#series.values()].filter(({ hours }) => hours.size > 0)) {
      try {
        completeTo = Math.max(completeTo, await this.#writeSeries(series, version, signal));
      } catch (error) {
        if (!(error instanceof ResponseError)) throw error;
        failure ??= error;
      }
    }
    if (failure) throw failure;
    return completeTo;
  }

  /** What the Energy dashboard would get from the statistics of this node that its settings still name. Rejects like `write`. */
  async dashboard({ prefix, costs }: SeriesRule, signal: AbortSignal): Promise<Dashboard> {
    await this.load();
    const version = await this.#assistant.version(signal);
    const command = { type: "energy/get_prefs" };
    const { value, refusal } = await this.#assistant.ask(command, signal);
    // Anything else that is refused may hide sources, which saving would drop.
    if (refusal !== undefined && !NOTHING_SAVED.test(refusal)) throw refused(command, refusal);
    const preferences = refusal === undefined ? objectOf(value) : {};
    const systems = new Map<string, SystemStatistics>();
    // By id: in the order of their hours, what is shown would not be what is confirmed after the next ones.
    for (const [id, { quantity }] of [...this.#series].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      if (!id.startsWith(`${prefix}:`) || (AMOUNTS[quantity] && !costs)) continue;
      // What the ids of a system's statistics have in common.
      const system = id.slice(0, -quantity.length);
      systems.set(system, { ...systems.get(system), [quantity]: id });
    }
    return dashboardWith(preferences, [...systems.values()], version);
  }

  /** Saves what `dashboard` has shown, and resolves to what Home Assistant finds wrong with it. Rejects like `write`. */
  async save({ command }: Dashboard, signal: AbortSignal): Promise<ServiceObject> {
    await this.#assistant.execute(command, signal);
    return objectOf(await this.#assistant.execute({ type: "energy/validate" }, signal));
  }

  /** What cannot be stored is owed until a restart. */
  #store(id: string): void {
    void this.load()
      .then(() => this.#stored?.save(id, this.#series.get(id), GATHERING))
      .catch(() => undefined);
  }

  /** Resolves to the end of the newest hour. */
  async #writeSeries(series: OwedSeries, version: number, signal: AbortSignal): Promise<number> {
    const { id, hours: owed } = series;
    const hours = new Map([...owed].toSorted(([one], [other]) => one - other));
    const [first = 0] = hours.keys();
    const known = await this.#rows(id, rowsCommand(id, first - HOUR), signal);
    // The last sum of each month. An end would be moved to that of its month, so this has none.
    const byMonth = { ...rowsCommand(id, 0), period: "month", types: ["sum"] };
    const months = known.length > 0 ? [] : await this.#rows(id, byMonth, signal);
    const { rows, energies, changed, corrected } = plannedRows(hours, known, months.at(-1)?.sum);
    // Between rows with new sums and rows that still have the old ones, no difference is an energy: all are owed until the last.
    if (rows.length > MAX_ROWS) {
      for (const [start, hour] of energies) if (!owed.has(start)) owed.set(start, hour);
      this.#store(id);
      await this.flush();
    }
    for (let at = 0; at < rows.length; at += MAX_ROWS) {
      const portion = rows.slice(at, at + MAX_ROWS);
      await this.#assistant.execute(importCommand(series, portion, version), signal);
      await this.#readBack(id, portion, signal);
    }
    const [from] = changed;
    if (from !== undefined) {
      const to = isoTime((changed.at(-1) ?? from) + HOUR);
      this.#written({ series: id, hours: changed.length, from: isoTime(from), to, corrected });
    }
    // What came meanwhile is still owed.
    for (const [start, hour] of [...hours, ...energies]) if (owed.get(start) === hour) owed.delete(start);
    const end = ([...hours.keys()].at(-1) ?? first) + HOUR;
    const newest = this.#series.get(id);
    if (newest) newest.completeTo = Math.max(end, newest.completeTo ?? end);
    this.#store(id);
    return end;
  }

  async #rows(id: string, command: Command, signal: AbortSignal): Promise<KnownRow[]> {
    return rowsIn(await this.#assistant.execute(command, signal), id);
  }

  /** An import is answered once it is queued; 750 rows take a small machine a few seconds. */
  async #readBack(id: string, rows: readonly StatisticRow[], signal: AbortSignal): Promise<void> {
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return;
    let difference: StatisticRow | undefined;
    for (const pause of [0, 1000, 1000, 2000, 4000, 18_000]) {
      if (pause > 0) await sleep(pause, signal);
      const found = await this.#rows(id, rowsCommand(id, first.start, last.start + HOUR), signal);
      difference = firstDifference(rows, found);
      if (!difference) return;
    }
    const time = isoTime(difference?.start ?? first.start);
    throw new ResponseError(errorText("statisticsDiffer", { id, time }));
  }
}
