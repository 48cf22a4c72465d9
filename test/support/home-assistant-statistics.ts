// Stands in for the statistics of Home Assistant: refuses what it refuses, overwrites rows, and computes changes as it does.
import { isServiceObject, type ServiceObject } from "../../src/models/service-object";

const HOUR = 3_600_000;
const ID = /^(?!.+__)(?!_)[\da-z_]+(?<!_):(?!_)[\da-z_]+(?<!_)$/;
const ROW_FIELDS = ["start", "state", "sum", "mean", "min", "max", "last_reset"];
const SOURCE_FIELDS: Record<string, string[]> = {
  flat: [
    "type",
    "stat_energy_from",
    "stat_energy_to",
    "stat_cost",
    "stat_compensation",
    "entity_energy_price",
    "number_energy_price",
    "entity_energy_price_export",
    "number_energy_price_export",
    "cost_adjustment_day",
  ],
  former: ["type", "flow_from", "flow_to", "cost_adjustment_day"],
};

export class Refused extends Error {}

export class HomeAssistantStatistics {
  readonly metadata = new Map<string, ServiceObject>();
  readonly rows = new Map<string, Map<number, number | null>>();
  /** Of each row, by statistic. */
  readonly states = new Map<string, Map<number, unknown>>();
  preferences: ServiceObject | undefined;
  readonly commands: string[] = [];
  constructor(public version = "2026.2.1") {}

  /** Throws Refused for a command that Home Assistant refuses. */
  answer(command: ServiceObject): unknown {
    this.commands.push(String(command["type"]));
    switch (command["type"]) {
      case "get_config":
        return { version: this.version };
      case "recorder/import_statistics":
        return this.#import(command);
      case "recorder/statistics_during_period":
        return this.#during(command);
      case "energy/get_prefs":
        if (!this.preferences) throw new Refused("No prefs");
        return structuredClone(this.preferences);
      case "energy/save_prefs":
        return this.#save(command);
      case "energy/validate":
        return { energy_sources: [], device_consumption: [] };
      default:
        throw new Refused("Unknown command.");
    }
  }

  /** The energy of each hour, as the Energy dashboard shows it. */
  changes(id: string): Map<number, number> {
    let last = 0;
    return new Map(
      this.#ordered(id).map(([start, sum]) => {
        const change = (sum ?? 0) - last;
        last = sum ?? 0;
        return [start, change];
      }),
    );
  }

  #ordered(id: string): [number, number | null][] {
    return [...(this.rows.get(id) ?? [])].toSorted(([one], [other]) => one - other);
  }

  #since(year: number, month: number): boolean {
    const [own = 0, ownMonth = 0] = this.version.split(".").map(Number);
    return own > year || (own === year && ownMonth >= month);
  }

  #import({ metadata, stats }: ServiceObject): null {
    if (!isServiceObject(metadata) || !Array.isArray(stats)) throw new Refused("required key not provided");
    const isNew = this.#since(2025, 11);
    for (const name of ["has_sum", "name", "source", "statistic_id", "unit_of_measurement"])
      if (!(name in metadata)) throw new Refused(`required key not provided @ data['metadata']['${name}']`);
    if (!isNew && !("has_mean" in metadata))
      throw new Refused("required key not provided @ data['metadata']['has_mean']");
    for (const name of ["mean_type", "unit_class"])
      if (!isNew && name in metadata)
        throw new Refused(`extra keys not allowed @ data['metadata']['${name}']`);
    const { statistic_id: id, source, unit_of_measurement: unit, unit_class: unitClass } = metadata;
    if (typeof id !== "string" || !ID.test(id)) throw new Refused("Invalid statistic_id");
    if (id.split(":")[0] !== source) throw new Refused("Invalid source");
    if (unitClass === "energy" && unit !== "Wh" && unit !== "kWh")
      throw new Refused("Unsupported unit_of_measurement");
    const rows = stats.map((row: unknown): [number, number | null] => {
      if (!isServiceObject(row)) throw new Refused("expected a dictionary");
      const extra = Object.keys(row).find((name) => !ROW_FIELDS.includes(name));
      if (extra) throw new Refused(`extra keys not allowed @ data['stats']['${extra}']`);
      const start = typeof row["start"] === "string" ? Date.parse(row["start"]) : Number.NaN;
      if (Number.isNaN(start) || !/(?:Z|[+-]\d\d:?\d\d)$/.test(String(row["start"])))
        throw new Refused("Invalid datetime");
      if (start % HOUR !== 0)
        throw new Refused("Invalid timestamp: timestamps must be from the top of the hour");
      for (const name of ["state", "sum"])
        if (name in row && !Number.isFinite(row[name])) throw new Refused("expected float");
      return [start, typeof row["sum"] === "number" ? row["sum"] : null];
    });
    this.metadata.set(id, metadata);
    const known = this.rows.get(id) ?? new Map<number, number | null>();
    for (const [start, sum] of rows) known.set(start, sum);
    const states = this.states.get(id) ?? new Map<number, unknown>();
    for (const row of stats.filter(isServiceObject))
      states.set(Date.parse(String(row["start"])), row["state"] ?? null);
    this.states.set(id, states);
    this.rows.set(id, known);
    return null;
  }

  /** An end within a month is moved to that of the month; a change is counted from the last row before the start. */
  #during({ start_time, end_time, statistic_ids, period, types }: ServiceObject): ServiceObject {
    const start = Date.parse(typeof start_time === "string" ? start_time : "");
    let end = typeof end_time === "string" ? Date.parse(end_time) : Infinity;
    if (period === "month" && end < Infinity)
      end = Date.UTC(new Date(end).getUTCFullYear(), new Date(end).getUTCMonth() + 1, 1);
    const answer: ServiceObject = {};
    for (const id of Array.isArray(statistic_ids) ? statistic_ids : []) {
      const all = this.#ordered(String(id));
      let last = all.findLast(([time]) => time < start)?.[1] ?? 0;
      const rows = all
        .filter(([time]) => time >= start && time < end)
        .map(([time, sum]) => {
          const change = sum === null ? null : sum - last;
          last = sum ?? last;
          const has = (type: string): boolean => Array.isArray(types) && types.includes(type);
          const state = this.states.get(String(id))?.get(time) ?? null;
          return {
            start: time,
            end: time + HOUR,
            ...(has("sum") && { sum }),
            ...(has("change") && { change }),
            ...(has("state") && { state }),
          };
        });
      if (rows.length === 0) continue;
      const months = new Map(rows.map((row) => [new Date(row.start).toISOString().slice(0, 7), row]));
      answer[String(id)] = period === "month" ? [...months.values()] : rows;
    }
    return answer;
  }

  #save({ type: _type, ...preferences }: ServiceObject): unknown {
    const sources: unknown = preferences["energy_sources"];
    const grids = (Array.isArray(sources) ? sources : [])
      .filter(isServiceObject)
      .filter(({ type }) => type === "grid");
    const shape = SOURCE_FIELDS[this.#since(2026, 3) ? "flat" : "former"] ?? [];
    for (const grid of grids) {
      const extra = Object.keys(grid).find((name) => !shape.includes(name));
      if (extra) throw new Refused(`extra keys not allowed @ data['energy_sources']['${extra}']`);
    }
    if (!this.#since(2026, 3) && grids.length > 1)
      throw new Refused("You cannot have more than 1 grid source");
    this.preferences = { ...this.preferences, ...preferences };
    return this.preferences;
  }
}
