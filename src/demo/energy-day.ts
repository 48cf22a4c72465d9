// Simulates one day of a system in 5-minute slots: sun, load, battery, inverter and grid, as running totals.
import { batteryDay } from "./battery";
import { NOTHING, plus, type Counts } from "./counts";
import { loadPower } from "./load";
import { hasHiddenSolar, type SitePlan, type SystemPlan } from "./sites";
import { clearness, clearSkyShare } from "./sun";
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, toQuarter, toSixtyFourth } from "./units";

/** Everything that a day's numbers depend on; days of the same kind are identical. */
export interface DayKind {
  /** See `seasonOf`. */
  season: number;
  weather: number;
  /** Hours that clocks are ahead of standard time. */
  clockShift: number;
}

/** Each array has the value at the start of the day, then at the end of each slot. */
export interface EnergyDay {
  /** Wh since the start of the day. */
  counts: Counts[];
  /** Wh in the battery. */
  stored: Float64Array;
}

/** Hour of standard time at which days begin: before dawn, when the battery is down to its reserve. */
export const DAY_START_HOUR = 4;

/** The inverter's own consumption in W, and its efficiency. PC2 measures AC only, so there is nothing to convert. */
const PC1_INVERTER = { standby: 6, efficiency: 0.965 };
const NO_CONVERSION = { standby: 0, efficiency: 1 };

export function energyDay(site: SitePlan, system: SystemPlan, kind: DayKind): EnergyDay {
  const inverter = system.generation === "PC1" ? PC1_INVERTER : NO_CONVERSION;
  const ownUse = inverter.standby / SLOTS_PER_HOUR;
  const sunBesideInverter = hasHiddenSolar(system);
  const { solar, consumed } = sunAndLoad(site, system, kind);

  const surplus = solar.map((sun, slot) => {
    const load = (consumed[slot] ?? 0) + ownUse;
    return sunBesideInverter ? toDc(sun - load, inverter.efficiency) : sun - load / inverter.efficiency;
  });
  const battery = batteryDay(system.battery, surplus);

  let total = NOTHING;
  const counts: Counts[] = [total];
  for (const [slot, sun] of solar.entries()) {
    const load = consumed[slot] ?? 0;
    const storage = battery.energy[slot] ?? 0;
    const ac = toAc(sunBesideInverter ? storage : sun + storage, inverter.efficiency) - ownUse;
    const measured = toQuarter(ac);
    // AC side: grid + inverter + solar beside it = consumption.
    const grid = load - measured - (sunBesideInverter ? sun : 0);
    total = plus(total, {
      solar: sun,
      consumed: load,
      imported: Math.max(0, grid),
      exported: Math.max(0, -grid),
      discharged: Math.max(0, storage),
      charged: Math.max(0, -storage),
      inverterOut: Math.max(0, measured),
      inverterIn: Math.max(0, -measured),
      meterOut: Math.max(0, toSixtyFourth(ac)),
      meterIn: Math.max(0, -toSixtyFourth(ac)),
    });
    counts.push(total);
  }
  return { counts, stored: battery.stored };
}

/** Wh per slot. */
function sunAndLoad(site: SitePlan, system: SystemPlan, kind: DayKind) {
  const solar = new Float64Array(SLOTS_PER_DAY);
  const consumed = new Float64Array(SLOTS_PER_DAY);
  for (let slot = 0; slot < SLOTS_PER_DAY; slot++) {
    const hour = DAY_START_HOUR + (slot + 0.5) / SLOTS_PER_HOUR;
    const solarHour = hour - site.standardOffset + site.longitude / 15;
    const sun = clearSkyShare(site.latitude, kind.season, solarHour) * clearness(kind.weather, slot);
    solar[slot] = toQuarter((system.solarPeak * sun) / SLOTS_PER_HOUR);
    const load = loadPower(system.load, (hour + kind.clockShift) % 24, kind.season * 8 + kind.weather, slot);
    consumed[slot] = toQuarter(load / SLOTS_PER_HOUR);
  }
  return { solar, consumed };
}

function toAc(dc: number, efficiency: number): number {
  return dc > 0 ? dc * efficiency : dc / efficiency;
}

function toDc(ac: number, efficiency: number): number {
  return ac > 0 ? ac * efficiency : ac / efficiency;
}
