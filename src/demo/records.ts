// Telemetry and meter records as the service gives them, made from a system's readings (service interface 2.5).
import type { GridGroup, InverterGroup, RgmRecord, TelemetryRecord } from "../models/telemetry";
import type { Counts } from "./counts";
import type { Reading } from "./energy-history";
import { hasHiddenSolar, type SystemPlan } from "./sites";
import { SLOTS_PER_HOUR } from "./units";

export function telemetryRecord(
  system: SystemPlan,
  reading: Reading,
  includeInverter: boolean,
): TelemetryRecord {
  return {
    ...interval(reading),
    grid: {
      ...twoWays(reading, "imported", "exported"),
      // Always null for PC1 (service interface 2.5).
      connectivityStatus: system.generation === "PC1" ? null : "CONNECTED",
    },
    solar: hasHiddenSolar(system) ? null : oneWay(reading, "solar"),
    consumption: oneWay(reading, "consumed"),
    storage: system.battery ? storage(reading, system.battery) : null,
    ...(includeInverter ? { inverter: inverterSide(reading, "inverterOut", "inverterIn") } : {}),
  };
}

export function rgmRecord(reading: Reading): RgmRecord {
  return { ...interval(reading), rgm: inverterSide(reading, "meterOut", "meterIn") };
}

/** Percent, to two places. */
export function stateOfCharge(reading: Reading, battery: { totalEnergy: number }): number {
  return Math.round((reading.stored / battery.totalEnergy) * 10_000) / 100;
}

function interval({ startMs, endMs }: Reading) {
  return { startTime: new Date(startMs).toISOString(), endTime: new Date(endMs).toISOString() };
}

/** Wh and W: what one count grew by. */
function oneWay(reading: Reading, counter: keyof Counts) {
  const energy = growth(reading, counter);
  return { energy, power: energy * SLOTS_PER_HOUR, lifetimeEnergy: reading.after[counter] };
}

/** The first count is the positive direction. */
function net(reading: Reading, positive: keyof Counts, negative: keyof Counts) {
  const energy = growth(reading, positive) - growth(reading, negative);
  return { energy, power: energy * SLOTS_PER_HOUR };
}

/** Positive = import (service interface 2.5 rule 2). */
function twoWays(
  reading: Reading,
  imported: keyof Counts,
  exported: keyof Counts,
): GridGroup & InverterGroup {
  return {
    ...net(reading, imported, exported),
    exportedEnergy: growth(reading, exported),
    importedEnergy: growth(reading, imported),
    lifetimeExportedEnergy: reading.after[exported],
    lifetimeImportedEnergy: reading.after[imported],
  };
}

/** The inverter's sign is not given: here positive = it delivers AC, so that it adds up with solar and storage. */
function inverterSide(reading: Reading, exported: keyof Counts, imported: keyof Counts): InverterGroup {
  return { ...twoWays(reading, imported, exported), ...net(reading, exported, imported) };
}

function storage(reading: Reading, battery: { totalEnergy: number; minimumReserve: number }) {
  const percent = stateOfCharge(reading, battery);
  return {
    ...net(reading, "discharged", "charged"),
    dischargeEnergy: growth(reading, "discharged"),
    chargeEnergy: growth(reading, "charged"),
    lifetimeDischargeEnergy: reading.after.discharged,
    lifetimeChargeEnergy: reading.after.charged,
    stateOfCharge: percent,
    remainingEnergy: Math.round(percent * battery.totalEnergy) / 100,
    totalEnergy: battery.totalEnergy,
    minimumReserve: battery.minimumReserve,
  };
}

function growth(reading: Reading, counter: keyof Counts): number {
  return reading.after[counter] - reading.before[counter];
}
