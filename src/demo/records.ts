// Builds telemetry and meter records from the slots of a system (service interface 2.5).
import type {
  GridGroup,
  InverterGroup,
  MeterGroup,
  RgmRecord,
  StorageGroup,
  TelemetryRecord,
} from "../models/telemetry";
import type { Slot } from "./energy-history";
import { hasHiddenSolar, type BatteryPlan, type SystemPlan } from "./sites";
import { SLOTS_PER_HOUR } from "./units";

export function telemetryRecord(system: SystemPlan, slot: Slot, includeInverter: boolean): TelemetryRecord {
  const { grown, total } = slot;
  const record: TelemetryRecord = {
    startTime: isoTime(slot.startMs),
    endTime: isoTime(slot.endMs),
    grid: gridGroup(system, slot),
    solar: hasHiddenSolar(system) ? null : meterGroup(grown.solar, total.solar),
    consumption: meterGroup(grown.consumed, total.consumed),
    storage: system.battery ? storageGroup(system.battery, slot) : null,
  };
  if (includeInverter) {
    record.inverter = inverterGroup(grown.inverterOut, grown.inverterIn, total.inverterOut, total.inverterIn);
  }
  return record;
}

export function rgmRecord({ startMs, endMs, grown, total }: Slot): RgmRecord {
  return {
    startTime: isoTime(startMs),
    endTime: isoTime(endMs),
    rgm: inverterGroup(grown.meterOut, grown.meterIn, total.meterOut, total.meterIn),
  };
}

/** Percent, to two decimal places. */
export function stateOfCharge(battery: BatteryPlan, { stored }: Slot): number {
  return Math.round((stored / battery.totalEnergy) * 10_000) / 100;
}

function gridGroup(system: SystemPlan, { grown, total }: Slot): GridGroup {
  // Positive = import (service interface 2.5 rule 2).
  const energy = grown.imported - grown.exported;
  return {
    energy,
    power: averagePower(energy),
    exportedEnergy: grown.exported,
    importedEnergy: grown.imported,
    lifetimeExportedEnergy: total.exported,
    lifetimeImportedEnergy: total.imported,
    // Always null for PC1 (service interface 2.5).
    connectivityStatus: system.generation === "PC1" ? null : "CONNECTED",
  };
}

function meterGroup(energy: number, lifetimeEnergy: number): MeterGroup {
  return { energy, power: averagePower(energy), lifetimeEnergy };
}

function storageGroup(battery: BatteryPlan, slot: Slot): StorageGroup {
  const { grown, total } = slot;
  // Positive = discharge (service interface 2.5 rule 2).
  const energy = grown.discharged - grown.charged;
  const percent = stateOfCharge(battery, slot);
  return {
    energy,
    power: averagePower(energy),
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
function inverterGroup(
  exportedEnergy: number,
  importedEnergy: number,
  lifetimeExportedEnergy: number,
  lifetimeImportedEnergy: number,
): InverterGroup {
  const energy = exportedEnergy - importedEnergy;
  return {
    energy,
    power: averagePower(energy),
    exportedEnergy,
    importedEnergy,
    lifetimeExportedEnergy,
    lifetimeImportedEnergy,
  };
}

/** W, from the Wh of a slot. */
function averagePower(energy: number): number {
  return energy * SLOTS_PER_HOUR;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
