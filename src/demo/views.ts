// Builds what the service returns (service interface 2): sites, in the details with devices as well, and the records of a slot.
import type { Alert } from "../models/alert";
import type { Device, Site, System } from "../models/site";
import type { RgmRecord, TelemetryRecord } from "../models/telemetry";
import { HOUR, isoRange } from "../time-units";
import { minuteOf } from "./alerts";
import type { Counts } from "./energy-day";
import type { Slot } from "./energy-history";
import { type BatteryPlan, devicesOf, hasHiddenSolar, type SitePlan, type SystemPlan } from "./sites";

const SEVERITIES = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];

/** @param devices those of a system, for the details of a site */
export function siteView(
  { siteId, siteName, timezone, siteAddress, systems }: SitePlan,
  devices?: (system: SystemPlan) => Device[],
): Site {
  const view = (system: SystemPlan): System => ({
    ...systemView(system),
    ...(devices && { devices: devices(system) }),
  });
  return { siteId, siteName, timezone, siteAddress, systems: systems.map(view) };
}

/** Capacities in W and Wh. */
function systemView({ systemId, generation, inverterType, solarPeak, battery }: SystemPlan): System {
  return {
    systemId,
    systemGeneration: generation,
    capabilities: {
      // Always null for PC1: it has no solar inverter of its own (service interface 2.3).
      solar: { inverterType, inverterCapacityPower: generation === "PC1" ? null : solarPeak },
      storage: battery
        ? {
            capacityEnergy: battery.totalEnergy,
            maxChargePower: battery.maxPower,
            maxDischargePower: battery.maxPower,
          }
        : null,
    },
  };
}

/** By how many percent the first of two batteries is above the charge of their system, and the second below. */
const BATTERY_SPREAD = 1.5;

/**
 * @param alerts the open ones of the site
 * @param charge percent
 */
export function deviceViews(
  system: SystemPlan,
  now: number,
  alerts: readonly Alert[],
  charge: number,
): Device[] {
  const isPc1 = system.generation === "PC1";
  const spread = system.devices["BATTERY"] === 2 ? Math.min(BATTERY_SPREAD, charge, 100 - charge) : 0;
  return devicesOf(system).map(({ deviceId, deviceClass }) => {
    const own = alerts.filter((alert) => alert["deviceId"] === deviceId);
    const highest = SEVERITIES.findLast((severity) => own.some((alert) => alert.severity === severity));
    return {
      deviceId,
      deviceClass,
      lastHeardAt: new Date(minuteOf(now)).toISOString(),
      highestAlertSeverity: highest ?? null,
      // Other classes have only the common state (service interface 2.4).
      ...(deviceClass !== "PVLINK" &&
        deviceClass !== "METER" && {
          deviceState: isPc1 ? null : "OPERATIONAL",
          enabledState: isPc1 ? null : "ENABLED",
        }),
      ...(deviceClass === "BATTERY" && {
        stateOfCharge: charge + (deviceId.endsWith("-1") ? spread : -spread),
        stateOfHealth: 98,
        moduleCount: system.battery?.moduleCount,
      }),
    };
  });
}

export function telemetryRecord(system: SystemPlan, slot: Slot, includeInverter: boolean): TelemetryRecord {
  const { grown } = slot;
  const { startTime, endTime } = isoRange(slot);
  const record: TelemetryRecord = {
    startTime,
    endTime,
    // Positive = import (service interface 2.5 rule 2), but for the inverter and the meter.
    grid: Object.assign(exchangeGroup(slot, grown.imported - grown.exported, "exported", "imported"), {
      // Always null for PC1 (service interface 2.5).
      connectivityStatus: system.generation === "PC1" ? null : "CONNECTED",
    }),
    solar: hasHiddenSolar(system) ? null : meterGroup(slot, "solar"),
    consumption: meterGroup(slot, "consumed"),
    storage: system.battery ? storageGroup(system.battery, slot) : null,
  };
  if (includeInverter) record.inverter = inverterGroup(slot);
  return record;
}

export function rgmRecord(slot: Slot): RgmRecord {
  // The meter measures what the inverter does (service interface 2.5 rule 6).
  return { ...isoRange(slot), rgm: inverterGroup(slot) };
}

/** Percent, to two decimal places. */
export function stateOfCharge(battery: BatteryPlan, stored: number): number {
  return Math.round((stored / battery.totalEnergy) * 10_000) / 100;
}

function meterGroup(slot: Slot, counter: keyof Counts) {
  const energy = slot.grown[counter];
  return { energy, power: powerOf(slot, energy), lifetimeEnergy: slot.total[counter] };
}

// Field by field: each spread into one of these objects takes longer than all the rest of a record.
function storageGroup(battery: BatteryPlan, slot: Slot) {
  const { grown, total } = slot;
  const percent = stateOfCharge(battery, slot.stored);
  return {
    // Positive = discharge (service interface 2.5 rule 2).
    energy: grown.discharged - grown.charged,
    power: powerOf(slot, grown.discharged - grown.charged),
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
  return exchangeGroup(slot, slot.grown.inverterOut - slot.grown.inverterIn, "inverterOut", "inverterIn");
}

/** What flows both ways; `energy` is the difference, with the sign of its group. */
function exchangeGroup(slot: Slot, energy: number, exported: keyof Counts, imported: keyof Counts) {
  const { grown, total } = slot;
  return {
    energy,
    power: powerOf(slot, energy),
    exportedEnergy: grown[exported],
    importedEnergy: grown[imported],
    lifetimeExportedEnergy: total[exported],
    lifetimeImportedEnergy: total[imported],
  };
}

/** The average power in W, from the Wh of an interval. */
function powerOf({ start, end }: Slot, energy: number): number {
  return (energy * HOUR) / (end - start);
}
