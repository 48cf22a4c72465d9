// Simulates one day of a system in 5-minute slots: sun, load, battery, inverter and grid, as running totals.
import { clearness, clearSkyShare, loadPower } from "./conditions";
import { type BatteryPlan, hasHiddenSolar, type SitePlan, type SystemPlan } from "./sites";

const SLOTS_PER_HOUR = 12;
export const SLOTS_PER_DAY = 24 * SLOTS_PER_HOUR;

/** Hour of solar time at which days begin: before dawn, when the battery is down to its reserve. */
export const DAY_START_HOUR = 4;

/** The energy counters of a system, in Wh, at zero. Every energy and power in a record is a difference of two counts. */
export const NOTHING = {
  solar: 0,
  consumed: 0,
  imported: 0,
  exported: 0,
  discharged: 0,
  charged: 0,
  inverterOut: 0,
  inverterIn: 0,
};
export type Counts = Readonly<typeof NOTHING>;

/** Everything that a day's numbers depend on; days of the same kind are identical. */
export interface DayKind {
  season: number;
  weather: number;
}

/** What a system has counted since some time, in Wh, and what is in its battery. */
export interface Energy {
  total: Counts;
  stored: number;
}

/** The inverter's own consumption in W, and its efficiency. PC2 measures AC only, so there is nothing to convert. */
const PC1_INVERTER = { standby: 6, efficiency: 0.965 };
const NO_CONVERSION = { standby: 0, efficiency: 1 };
/** Round-trip efficiency of a battery, applied while charging. */
const BATTERY_EFFICIENCY = 0.92;
const NO_BATTERY = { totalEnergy: 0, maxPower: 0, minimumReserve: 0, gridPower: 0 };
/** Wh per slot that a battery with a night tariff keeps for each later slot of the day. */
const KEPT = 10;

/** Quarters of a watt-hour are exact in binary, so differences of counters equal the interval's energy exactly. */
const toQuarter = (energy: number): number => Math.round(energy * 4) / 4;
const downToQuarter = (energy: number): number => Math.floor(energy * 4) / 4;

/** Since the start of the day: there, then at the end of each slot. */
export function energyDay(site: SitePlan, system: SystemPlan, kind: DayKind): Energy[] {
  const { standby, efficiency } = system.generation === "PC1" ? PC1_INVERTER : NO_CONVERSION;
  const ownUse = standby / SLOTS_PER_HOUR;
  const sunBesideInverter = hasHiddenSolar(system);
  const slots = sunAndLoad(site, system, kind);
  const mostSun = Math.max(...slots.map(({ sun }) => sun));
  const { totalEnergy, minimumReserve } = system.battery ?? NO_BATTERY;
  let stored = (totalEnergy * minimumReserve) / 100;
  const flows = batteryDay(
    system.battery,
    totalEnergy - stored,
    slots.map(({ sun, load }) =>
      sunBesideInverter ? converted(sun - (load + ownUse), efficiency) : sun - (load + ownUse) / efficiency,
    ),
    slots.findIndex(({ sun }) => sun > mostSun / 20),
  );
  let total = NOTHING;
  const day = [{ total, stored }];
  for (const [slot, { sun, load }] of slots.entries()) {
    const storage = flows[slot] ?? 0;
    const ac = converted(sunBesideInverter ? storage : sun + storage, efficiency) - ownUse;
    const inverter = toQuarter(ac);
    // AC side: grid + inverter + solar beside it = consumption.
    const grid = load - inverter - (sunBesideInverter ? sun : 0);
    // Each counter only rises: there is one for each direction of a flow.
    total = {
      solar: total.solar + sun,
      consumed: total.consumed + load,
      imported: total.imported + Math.max(0, grid),
      exported: total.exported + Math.max(0, -grid),
      discharged: total.discharged + Math.max(0, storage),
      charged: total.charged + Math.max(0, -storage),
      inverterOut: total.inverterOut + Math.max(0, inverter),
      inverterIn: total.inverterIn + Math.max(0, -inverter),
    };
    stored += levelChange(storage);
    day.push({ total, stored });
  }
  return day;
}

export function plus(left: Counts, right: Counts, factor = 1): Counts {
  // Field by field: every record of the demo takes several of these.
  return {
    solar: left.solar + factor * right.solar,
    consumed: left.consumed + factor * right.consumed,
    imported: left.imported + factor * right.imported,
    exported: left.exported + factor * right.exported,
    discharged: left.discharged + factor * right.discharged,
    charged: left.charged + factor * right.charged,
    inverterOut: left.inverterOut + factor * right.inverterOut,
    inverterIn: left.inverterIn + factor * right.inverterIn,
  };
}

/** Wh per slot. */
function sunAndLoad(site: SitePlan, system: SystemPlan, { season, weather }: DayKind) {
  return Array.from({ length: SLOTS_PER_DAY }, (_, slot) => {
    const hour = DAY_START_HOUR + (slot + 0.5) / SLOTS_PER_HOUR;
    const light = clearSkyShare(site.latitude, season, hour) * clearness(weather, slot);
    const load = loadPower(system.load, hour % 24, season * 8 + weather, slot);
    return {
      sun: toQuarter((system.solarPeak * light) / SLOTS_PER_HOUR),
      load: toQuarter(load / SLOTS_PER_HOUR),
    };
  });
}

/**
 * A battery over a day: it stores surplus energy, covers shortages, and ends the day at the reserve, as it began. Energy that
 * would be left at the end is not charged in the first place, beginning with the last charge: after that the level only
 * falls, so undoing it never takes the level below the reserve. With a night tariff, it is charged from the grid before dawn
 * and lasts all night, so that the demo shows something at any hour.
 * @param usable Wh between the reserve and a full battery
 * @param surplus Wh per slot that the battery could charge; negative = that it could discharge
 * @param dawn the first slot with more than a little sun
 * @returns Wh per slot, positive = discharge, negative = charge
 */
function batteryDay(battery: BatteryPlan | undefined, usable: number, surplus: number[], dawn: number) {
  const { maxPower, gridPower = 0 } = battery ?? NO_BATTERY;
  const limit = maxPower / SLOTS_PER_HOUR;
  let level = 0;
  const energy = surplus.map((own, slot) => {
    const spare = gridPower > 0 && slot < dawn ? gridPower / SLOTS_PER_HOUR : own;
    const kept = gridPower > 0 ? KEPT * (surplus.length - 1 - slot) : 0;
    const flow =
      spare > 0
        ? -downToQuarter(Math.min(spare, limit, (usable - level) / BATTERY_EFFICIENCY))
        : downToQuarter(Math.min(-spare, limit, Math.max(0, level - kept)));
    level += levelChange(flow);
    return flow;
  });
  for (let slot = energy.length - 1; slot >= 0 && level > 0; slot--) {
    const flow = energy[slot] ?? 0;
    const back = downToQuarter(Math.min(Math.max(0, -flow), level / BATTERY_EFFICIENCY));
    energy[slot] = flow + back;
    level -= back * BATTERY_EFFICIENCY;
  }
  return energy;
}

function levelChange(energy: number): number {
  return energy < 0 ? -energy * BATTERY_EFFICIENCY : -energy;
}

/** Both ways: what comes out of an inverter, or what has to go into it. */
function converted(energy: number, efficiency: number): number {
  return energy > 0 ? energy * efficiency : energy / efficiency;
}
