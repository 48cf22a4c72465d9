// Keeps the statistics in Home Assistant complete: reads what it has, writes the hours that are new or differ, and reads back.
import { sleep, waitFor } from "../abort";
import { type EnergyError, errorText, ResponseError } from "../errors";
import { isServiceObject, type ServiceObject } from "../models/service-object";
import { HOUR, MINUTE } from "../time-units";
import {
  type Command,
  endOf,
  type Forms,
  formsOf,
  importCommand,
  monthsCommand,
  portionsOf,
  rowsCommand,
  rowsIn,
} from "./commands";
import { type Dashboard, dashboardWith, type SystemStatistics } from "./dashboard";
import { firstDifference, plannedRows, type Row } from "./rows";
import type { HourlySeries, Quantity } from "./series";

/** What was written for one statistic. Times in milliseconds. */
export interface Written {
  readonly series: string;
  readonly hours: number;
  readonly from: number;
  readonly to: number;
  /** Hours that had another energy before. */
  readonly corrected: number;
}

export interface KeeperPorts {
  /** Sends a command. Its answer comes back through `answer` with the same request id. */
  send(command: Command, request: string): void;
  written(written: Written): void;
  /** Called each time that Home Assistant has not answered for a minute. */
  waiting(): void;
}

/** How long to wait for an answer before the command is sent again: reading does no harm, nor does writing the same rows. */
const PATIENCE = MINUTE;
/** Hours of one statistic that wait to be written: ten years. */
const MAX_OWED = 90_000;

/** What Home Assistant says of preferences if none were ever saved. */
const NOTHING_SAVED = /no prefs|not[ _]found/i;

interface Answer {
  readonly value: unknown;
  /** What Home Assistant says if it refuses the command. */
  readonly refusal?: string | undefined;
}

export class StatisticsKeeper {
  readonly #ports: KeeperPorts;
  readonly #prefix: string;
  /** By id, the hours that wait to be written: of an hour that comes twice, the last energy. */
  readonly #owed = new Map<string, HourlySeries & { hours: Map<number, number> }>();
  readonly #systems = new Map<string, SystemStatistics>();
  #pending: { request: string; resolve: (answer: Answer) => void } | undefined;
  #requests = 0;
  #forms: Forms | undefined;

  /** @param prefix of request ids: unique among all nodes and starts */
  constructor(ports: KeeperPorts, prefix: string) {
    this.#ports = ports;
    this.#prefix = prefix;
  }

  /** The statistics of this node, by system. */
  get systems(): readonly SystemStatistics[] {
    return [...this.#systems.values()];
  }

  get isOwing(): boolean {
    return this.#owed.size > 0;
  }

  /** @param system identifies the system among those of the node */
  add(system: string, all: readonly HourlySeries[]): void {
    const known: Partial<Record<Quantity, string>> = { ...this.#systems.get(system) };
    for (const series of all) {
      known[series.quantity] = series.id;
      const owed = this.#owed.get(series.id)?.hours ?? new Map<number, number>();
      for (const [start, energy] of series.hours) owed.set(start, energy);
      for (const start of owed.keys()) if (owed.size > MAX_OWED) owed.delete(start);
      this.#owed.set(series.id, { ...series, hours: owed });
    }
    this.#systems.set(system, known);
  }

  /** Whether an answer is one that is waited for. */
  answer(request: unknown, value: unknown, refusal?: string): boolean {
    const pending = this.#pending;
    if (pending === undefined || request !== pending.request) return false;
    this.#pending = undefined;
    pending.resolve({ value, refusal });
    return true;
  }

  /** Writes what is owed. Resolves to the end of the newest hour. Rejects with ResponseError if Home Assistant refuses it or has other rows afterwards, and with AbortedError. */
  async write(signal: AbortSignal): Promise<number> {
    const failures: EnergyError[] = [];
    let completeTo = Number.NEGATIVE_INFINITY;
    for (let [next] = this.#owed.values(); next; [next] = this.#owed.values()) {
      // What comes meanwhile is owed again.
      this.#owed.delete(next.id);
      try {
        await this.#writeSeries(next, signal);
        completeTo = Math.max(completeTo, endOf(next.hours));
      } catch (error) {
        if (!(error instanceof ResponseError)) throw error;
        failures.push(error);
      }
    }
    const [first] = failures;
    if (first) throw first;
    return completeTo;
  }

  /** What the Energy dashboard would get from the statistics of this node. Rejects like `write`. */
  async dashboard(signal: AbortSignal): Promise<Dashboard> {
    const forms = await this.#formsOf(signal);
    const command = { type: "energy/get_prefs" };
    const { value, refusal } = await this.#ask(command, signal);
    // Anything else that is refused may hide sources, which saving would drop.
    const isNothingSaved = refusal !== undefined && NOTHING_SAVED.test(refusal);
    if (refusal !== undefined && !isNothingSaved) throw refused(command, refusal);
    const preferences = isServiceObject(value) && !isNothingSaved ? value : {};
    return dashboardWith(preferences, this.systems, forms);
  }

  /** Saves what `dashboard` has shown, and resolves to what Home Assistant finds wrong with it. Rejects like `write`. */
  async save({ command }: Dashboard, signal: AbortSignal): Promise<ServiceObject> {
    await this.#told(command, signal);
    const found = await this.#told({ type: "energy/validate" }, signal);
    return isServiceObject(found) ? found : {};
  }

  async #writeSeries(series: HourlySeries, signal: AbortSignal): Promise<void> {
    const { id, hours } = series;
    const forms = await this.#formsOf(signal);
    const first = Math.min(...hours.keys());
    const known = rowsIn(await this.#told(rowsCommand(id, first - HOUR), signal), id);
    const months = known.length > 0 ? [] : rowsIn(await this.#told(monthsCommand(id), signal), id);
    const { rows, added, corrected } = plannedRows(hours, known, months.at(-1)?.sum);
    for (const portion of portionsOf(rows)) {
      await this.#told(importCommand(series, portion, forms), signal);
      await this.#readBack(id, portion, signal);
    }
    if (rows.length > 0)
      this.#ports.written({ series: id, hours: added + corrected, from: first, to: endOf(hours), corrected });
  }

  /** An import is answered once it is queued. */
  async #readBack(id: string, rows: readonly Row[], signal: AbortSignal): Promise<void> {
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return;
    let difference: Row | undefined;
    for (const pause of [0, 1000, 5000, 20_000]) {
      if (pause > 0) await sleep(pause, signal);
      const found = rowsIn(await this.#told(rowsCommand(id, first.start, last.start + HOUR), signal), id);
      difference = firstDifference(rows, found);
      if (!difference) return;
    }
    const time = new Date(difference?.start ?? first.start).toISOString();
    throw new ResponseError(errorText("statisticsDiffer", { id, time }));
  }

  /** `get_config` is refused to no one: while it is, Home Assistant is away. */
  async #formsOf(signal: AbortSignal): Promise<Forms> {
    while (!this.#forms) {
      const { value, refusal } = await this.#ask({ type: "get_config" }, signal);
      if (refusal === undefined) {
        this.#forms = formsOf(value);
        if (!this.#forms) throw new ResponseError(errorText("statisticsVersion"));
      } else {
        this.#ports.waiting();
        await sleep(PATIENCE, signal);
      }
    }
    return this.#forms;
  }

  /** The answer to a command; one that fails is sent again once Home Assistant is known to be there. */
  async #told(command: Command, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#ask(command, signal);
    if (answer.refusal === undefined) return answer.value;
    // It may have been updated, or have gone.
    this.#forms = undefined;
    await this.#formsOf(signal);
    const { value, refusal } = await this.#ask(command, signal);
    if (refusal !== undefined) throw refused(command, refusal);
    return value;
  }

  async #ask(command: Command, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      this.#requests += 1;
      const request = `${this.#prefix}-${this.#requests}`;
      const answered = new Promise<Answer>((resolve) => (this.#pending = { request, resolve }));
      this.#ports.send(command, request);
      const timeUp = new AbortController();
      try {
        const answer = await Promise.race([
          waitFor(answered, signal),
          sleep(PATIENCE, AbortSignal.any([signal, timeUp.signal])),
        ]);
        if (answer) return answer;
      } finally {
        timeUp.abort();
      }
      this.#ports.waiting();
    }
  }
}

function refused({ type }: Command, reason: string): ResponseError {
  return new ResponseError(errorText("statisticsRefused", { command: type, reason }));
}
