// The commands for Home Assistant's websocket, in the form that its version takes, and what its answers say.
import { isServiceObject } from "../models/service-object";
import { parseServiceTime } from "../models/time";
import type { KnownRow, Row } from "./rows";
import type { HourlySeries } from "./series";

/** Data of a command: its `type` and parameters. */
export interface Command {
  readonly type: string;
  readonly [parameter: string]: unknown;
}

/** The most rows of one message. */
const MAX_ROWS = 750;
/** From 2025.11 on, imports take `mean_type` and `unit_class`, which earlier versions refuse. */
const NEW_FORM: readonly [year: number, month: number] = [2025, 11];
/** From 2026.3 on, the Energy dashboard has one flat source for each grid connection. */
const FLAT_GRID: readonly [year: number, month: number] = [2026, 3];

export interface Forms {
  readonly hasMeanType: boolean;
  readonly hasFlatGrid: boolean;
}

/** By the answer to `get_config`; undefined without a version that can be read. */
export function formsOf(config: unknown): Forms | undefined {
  const version = isServiceObject(config) ? config["version"] : undefined;
  const [, year, month] = /^(\d+)\.(\d+)/.exec(typeof version === "string" ? version : "") ?? [];
  if (year === undefined || month === undefined) return undefined;
  const isSince = ([since, sinceMonth]: readonly [number, number]): boolean =>
    Number(year) > since || (Number(year) === since && Number(month) >= sinceMonth);
  return { hasMeanType: isSince(NEW_FORM), hasFlatGrid: isSince(FLAT_GRID) };
}

export function importCommand(
  { id, name, unit }: HourlySeries,
  rows: readonly Row[],
  { hasMeanType }: Forms,
): Command {
  const [source] = id.split(":");
  const form = hasMeanType
    ? { mean_type: 0, unit_class: unit === "Wh" ? "energy" : null }
    : { has_mean: false };
  return {
    type: "recorder/import_statistics",
    metadata: { ...form, has_sum: true, name, source, statistic_id: id, unit_of_measurement: unit },
    stats: rows.map(({ start, sum, state }) => ({ start: new Date(start).toISOString(), state, sum })),
  };
}

/** The rows of a statistic by the hour, with the change of each from the row before it, wherever that lies. */
export function rowsCommand(id: string, start: number, end?: number): Command {
  return {
    type: "recorder/statistics_during_period",
    start_time: new Date(start).toISOString(),
    ...(end !== undefined && { end_time: new Date(end).toISOString() }),
    statistic_ids: [id],
    period: "hour",
    types: ["state", "sum", "change"],
  };
}

/** The last sum of each month. An end would be moved to that of its month, so this has none. */
export function monthsCommand(id: string): Command {
  return { ...rowsCommand(id, 0), period: "month", types: ["sum"] };
}

/** The rows of a statistic in an answer, in order; a row without a sum counts as none. */
export function rowsIn(answer: unknown, id: string): KnownRow[] {
  const listed = isServiceObject(answer) ? answer[id] : undefined;
  if (!Array.isArray(listed)) return [];
  const rows = listed.flatMap((row: unknown) => {
    if (!isServiceObject(row)) return [];
    const start = typeof row["start"] === "number" ? row["start"] : parseServiceTime(row["start"]);
    const { sum, change, state } = row;
    if (start === undefined || typeof sum !== "number") return [];
    const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
    return [{ start, sum, change: numberOf(change), state: numberOf(state) }];
  });
  return rows.toSorted((one, other) => one.start - other.start);
}

/** The rows in portions that one message may have. */
export function portionsOf(rows: readonly Row[]): Row[][] {
  const portions: Row[][] = [];
  for (let from = 0; from < rows.length; from += MAX_ROWS) portions.push(rows.slice(from, from + MAX_ROWS));
  return portions;
}
