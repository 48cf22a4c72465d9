// Builds telemetry and meter records from the slots of a system (service interface 2.5).
import type { IntervalRecord, RgmRecord, TelemetryRecord } from "../models/telemetry";
import { HOUR } from "../time-units";
import type { Counts } from "./energy-day";
import type { Slot } from "./energy-history";
import { hasHiddenSolar, type BatteryPlan, type SystemPlan } from "./sites";

export function telemetryRecord(system: SystemPlan, slot: Slot, includeInverter: boolean): TelemetryRecord {
  return {
    ...timesOf(slot),
    grid: {
      // Positive = import (service interface 2.5 rule 2), but for the inverter and the meter.
      ...energyAndPower(slot, slot.grown.imported - slot.grown.exported),
      ...exchanged(slot, "exported", "imported"),
      // Always null for PC1 (service interface 2.5).
      connectivityStatus: system.generation === "PC1" ? null : "CONNECTED",
    },
    solar: hasHiddenSolar(system) ? null : meterGroup(slot, "solar"),
    consumption: meterGroup(slot, "consumed"),
    storage: system.battery ? storageGroup(system.battery, slot) : null,
    ...(includeInverter && { inverter: inverterGroup(slot) }),
  };
}

export function rgmRecord(slot: Slot): RgmRecord {
  // The meter measures what the inverter does (service interface 2.5 rule 6).
  return { ...timesOf(slot), rgm: inverterGroup(slot) };
}

/** Percent, to two decimal places. */
export function stateOfCharge(battery: BatteryPlan, stored: number): number {
  return Math.round((stored / battery.totalEnergy) * 10_000) / 100;
}

function timesOf({ start, end }: Slot): IntervalRecord {
  return { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString() };
}

function meterGroup(slot: Slot, counter: keyof Counts) {
  return { ...energyAndPower(slot, slot.grown[counter]), lifetimeEnergy: slot.total[counter] };
}

function storageGroup(battery: BatteryPlan, slot: Slot) {
  const { grown, total } = slot;
  const percent = stateOfCharge(battery, slot.stored);
  return {
    // Positive = discharge (service interface 2.5 rule 2).
    ...energyAndPower(slot, grown.discharged - grown.charged),
    dischargeEnergy: grown.discharged,
    chargeEnergy: grown.charged,
    lifetimeDischargeEnergy: total.discharged,
    lifetimeChargeEnergy: total.charged,
    stateOfCharge: percent,
    remainingEnergy: Math.round(percent * battery.totalEnergy) / 100,
    totalEnergy: battery.totalEnergy,
    minimumReserve: battery.minimumReserve,
  };
}

/** The interface specifies no sign here: positive = AC output, so that it adds up with solar and storage. */
function inverterGroup(slot: Slot) {
  const { inverterOut, inverterIn } = slot.grown;
  return {
    ...energyAndPower(slot, inverterOut - inverterIn),
    ...exchanged(slot, "inverterOut", "inverterIn"),
  };
}

function exchanged({ grown, total }: Slot, exported: keyof Counts, imported: keyof Counts) {
  return {
    exportedEnergy: grown[exported],
    importedEnergy: grown[imported],
    lifetimeExportedEnergy: total[exported],
    lifetimeImportedEnergy: total[imported],
  };
}

/** The average power in W, from the Wh of an interval. */
function energyAndPower({ start, end }: Slot, energy: number) {
  return { energy, power: (energy * HOUR) / (end - start) };
}
