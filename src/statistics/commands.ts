// Talks to Home Assistant's websocket: commands in the form that its version takes, and what the answers say.
import { randomUUID } from "node:crypto";
import { sleep, withSignal } from "../abort";
import { errorText, ResponseError } from "../errors";
import { arrayOf, objectOf } from "../models/service-object";
import { isoTime, MINUTE } from "../time-units";
import type { KnownRow, StatisticRow } from "./rows";
import type { HourlySeries } from "./series";
import { decimalOf } from "../settings/rules";

/** Data of a command: its `type` and parameters. */
export interface Command {
  readonly type: string;
  readonly [parameter: string]: unknown;
}

/** The most rows of one message. */
export const MAX_ROWS = 750;
/** Year and month of the version from which imports take `mean_type` and `unit_class`, which earlier ones refuse. */
const NEW_FORM = 2025_11;

export function importCommand(
  { id, name, unit }: HourlySeries,
  rows: readonly StatisticRow[],
  version: number,
): Command {
  const [source] = id.split(":");
  const form =
    version >= NEW_FORM ? { mean_type: 0, unit_class: unit === "Wh" ? "energy" : null } : { has_mean: false };
  return {
    type: "recorder/import_statistics",
    metadata: { ...form, has_sum: true, name, source, statistic_id: id, unit_of_measurement: unit },
    stats: rows.map(({ start, sum, state }) => ({ start: isoTime(start), state, sum })),
  };
}

/** The rows of a statistic by the hour, with the change of each from the row before it, wherever that lies. */
export function rowsCommand(id: string, start: number, end?: number): Command {
  return {
    type: "recorder/statistics_during_period",
    start_time: isoTime(start),
    ...(end !== undefined && { end_time: isoTime(end) }),
    statistic_ids: [id],
    period: "hour",
    types: ["state", "sum", "change"],
  };
}

/** The rows of a statistic in an answer, in order; a row without a sum counts as none. */
export function rowsIn(answer: unknown, id: string): KnownRow[] {
  const listed = arrayOf(objectOf(answer)[id]).map(objectOf);
  const rows = listed.flatMap(({ start, sum, change, state }) => {
    if (typeof start !== "number" || typeof sum !== "number") return [];
    return [{ start, sum, change: decimalOf(change) ?? undefined, state: decimalOf(state) ?? undefined }];
  });
  return rows.toSorted((one, other) => one.start - other.start);
}

export interface AssistantPorts {
  /** Sends a command. Its answer comes back through `answer` with the same request id. */
  send(command: Command, request: string): void;
  /** Called each time that Home Assistant is away, or has not answered for a minute. */
  waiting(): void;
}

/** Before a Home Assistant that is away is asked again; then twice as long each time. */
const FIRST_PAUSE = 1000;
/** How long to wait for an answer before the command is sent again: reading does no harm, nor does writing the same rows. */
const PATIENCE = MINUTE;

interface Answer {
  readonly value: unknown;
  /** What Home Assistant says if it refuses the command. */
  readonly refusal?: string | undefined;
}

/** Sends one command at a time. What waits for an answer rejects with AbortedError. */
export class Assistant {
  readonly #ports: AssistantPorts;
  #pending: { request: string; resolve: (answer: Answer) => void } | undefined;

  constructor(ports: AssistantPorts) {
    this.#ports = ports;
  }

  /** Any but the one that is waited for is ignored. */
  answer(request: unknown, value: unknown, refusal?: string): void {
    if (this.#pending?.request === request) this.#pending?.resolve({ value, refusal });
  }

  /**
   * Year and month, such as 202603. Asks each time, because Home Assistant may have been updated. `get_config` is refused to no one:
   * while it is, Home Assistant is away. Rejects with ResponseError if it cannot be read.
   */
  async version(signal: AbortSignal): Promise<number> {
    // The nodes of Home Assistant take a moment to connect after each start.
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, PATIENCE)) {
      const { value, refusal } = await this.ask({ type: "get_config" }, signal);
      if (refusal === undefined) return versionIn(value);
      this.#ports.waiting();
      await sleep(pause, signal);
    }
  }

  /** The answer to a command, once Home Assistant is there. Rejects with ResponseError if it is refused. */
  async execute(command: Command, signal: AbortSignal): Promise<unknown> {
    let answer = await this.ask(command, signal);
    if (answer.refusal !== undefined) {
      await this.version(signal);
      answer = await this.ask(command, signal);
    }
    if (answer.refusal !== undefined) throw refused(command, answer.refusal);
    return answer.value;
  }

  /** A command that is sent again keeps its request id: the first answer counts, whichever of them it is for. */
  async ask(command: Command, signal: AbortSignal): Promise<Answer> {
    // Unique among all nodes and starts.
    const request = randomUUID();
    const answered = new Promise<Answer>((resolve) => (this.#pending = { request, resolve }));
    for (;;) {
      this.#ports.send(command, request);
      try {
        return await withSignal([signal], () => answered, { ms: PATIENCE });
      } catch (error) {
        if (signal.aborted) throw error;
        this.#ports.waiting();
      }
    }
  }
}

/** In the answer to `get_config`. Throws ResponseError without a version that can be read. */
function versionIn(config: unknown): number {
  const { version } = objectOf(config);
  const [, year, month] = /^(\d+)\.(\d+)/.exec(typeof version === "string" ? version : "") ?? [];
  if (year === undefined || month === undefined) throw new ResponseError(errorText("statisticsVersion"));
  return 100 * Number(year) + Number(month);
}

export function refused({ type }: Command, reason: string): ResponseError {
  return new ResponseError(errorText("statisticsRefused", { command: type, reason }));
}
