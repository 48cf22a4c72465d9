// The sources of the Energy dashboard: adds our statistics to its preferences, in the shape of its version, and drops nothing.
import { isDeepStrictEqual } from "node:util";
import { arrayOf, isServiceObject, type ServiceObject } from "../models/service-object";
import type { StatisticName } from "./series";

/** Year and month of the version from which there is one flat source for each grid connection. */
const FLAT_GRID = 2026_03;

/** The statistics of one system, by what they count. */
export type SystemStatistics = Partial<Record<StatisticName, string>>;

export type Dashboard = ReturnType<typeof dashboardWith>;

/**
 * What is added or completed, readable, and the command that saves it.
 * @param preferences the answer to `energy/get_prefs`; empty if none were ever saved
 */
export function dashboardWith(
  preferences: ServiceObject,
  systems: readonly SystemStatistics[],
  version: number,
) {
  const known = arrayOf(preferences["energy_sources"]).filter(isServiceObject);
  const text = JSON.stringify(known);
  // A meter may be in one source only.
  const unknown = systems.map((system): SystemStatistics =>
    Object.fromEntries(Object.entries(system).filter(([, id]) => !text.includes(JSON.stringify(id)))),
  );
  const sources = structuredClone(known);
  const meters = sources.flatMap((source) =>
    [source, source["flow_from"], source["flow_to"]].flat().filter(isServiceObject),
  );
  for (const [index, { imported, exported }] of systems.entries()) {
    // Prices may have been set since a meter was saved.
    const { cost, compensation } = unknown[index] ?? {};
    for (const meter of meters) {
      if (imported && cost && meter["stat_energy_from"] === imported) meter["stat_cost"] ??= cost;
      if (exported && compensation && meter["stat_energy_to"] === exported)
        meter["stat_compensation"] ??= compensation;
    }
  }
  for (const { solar, charged, discharged } of unknown) {
    if (solar !== undefined)
      sources.push({ type: "solar", stat_energy_from: solar, config_entry_solar_forecast: null });
    if (discharged !== undefined && charged !== undefined)
      sources.push({ type: "battery", stat_energy_from: discharged, stat_energy_to: charged });
  }
  const former = sources.find(({ type, flow_from }) => type === "grid" && Array.isArray(flow_from));
  const isFormer =
    former !== undefined || (version < FLAT_GRID && !known.some(({ type }) => type === "grid"));
  const grids = unknown.filter(({ imported, exported }) => imported !== undefined || exported !== undefined);
  if (!isFormer) sources.push(...grids.map(flatGrid));
  else if (grids.length > 0)
    sources[former ? sources.indexOf(former) : sources.length] = withFlows(former, grids);
  const added = sources.filter((source, index) => !isDeepStrictEqual(source, known[index]));
  return { added, command: { type: "energy/save_prefs", energy_sources: sources } };
}

/** From 2026.3 on. An external statistic has its costs as statistics, never as a price; its source may be without it. */
function flatGrid({ imported, exported, cost, compensation }: SystemStatistics): ServiceObject {
  return {
    type: "grid",
    stat_energy_from: imported ?? null,
    stat_energy_to: exported ?? null,
    stat_cost: (imported && cost) ?? null,
    stat_compensation: (exported && compensation) ?? null,
    entity_energy_price: null,
    number_energy_price: null,
    entity_energy_price_export: null,
    number_energy_price_export: null,
    cost_adjustment_day: 0,
  };
}

/** Before 2026.3 there is one grid, with a flow for each meter. */
function withFlows(former: ServiceObject | undefined, systems: readonly SystemStatistics[]): ServiceObject {
  const prices = { entity_energy_price: null, number_energy_price: null };
  const bought = systems.flatMap(({ imported, cost }) =>
    imported === undefined ? [] : [{ stat_energy_from: imported, stat_cost: cost ?? null, ...prices }],
  );
  const sold = systems.flatMap(({ exported, compensation }) =>
    exported === undefined
      ? []
      : [{ stat_energy_to: exported, stat_compensation: compensation ?? null, ...prices }],
  );
  return {
    type: "grid",
    cost_adjustment_day: 0,
    ...former,
    flow_from: [...arrayOf(former?.["flow_from"]), ...bought],
    flow_to: [...arrayOf(former?.["flow_to"]), ...sold],
  };
}
