// Telemetry and revenue-grade meter records (service interface 2.5): energy in Wh, power in W, percentages from 0 to 100.
import type { ServiceObject } from "./site";

/** In the unit of its field; null = not measured, which is not 0. */
export type Measurement = number | null;

/** Positive = import, negative = export. */
export interface GridGroup extends ServiceObject {
  energy?: Measurement;
  power?: Measurement;
  exportedEnergy?: Measurement;
  importedEnergy?: Measurement;
  lifetimeExportedEnergy?: Measurement;
  lifetimeImportedEnergy?: Measurement;
  /** Always null for PC1. */
  connectivityStatus?: string | null;
}

/** Solar or consumption. PC1 measures solar on the DC side. */
export interface MeterGroup extends ServiceObject {
  energy?: Measurement;
  power?: Measurement;
  lifetimeEnergy?: Measurement;
}

/** Positive = discharge, negative = charge. PC1 measures storage on the DC side. */
export interface StorageGroup extends ServiceObject {
  energy?: Measurement;
  power?: Measurement;
  dischargeEnergy?: Measurement;
  chargeEnergy?: Measurement;
  lifetimeDischargeEnergy?: Measurement;
  lifetimeChargeEnergy?: Measurement;
  stateOfCharge?: Measurement;
  remainingEnergy?: Measurement;
  totalEnergy?: Measurement;
  minimumReserve?: Measurement;
}

/** AC-side measurement of a PC1 inverter; the revenue-grade meter has the same fields. */
export interface InverterGroup extends ServiceObject {
  energy?: Measurement;
  power?: Measurement;
  exportedEnergy?: Measurement;
  importedEnergy?: Measurement;
  lifetimeExportedEnergy?: Measurement;
  lifetimeImportedEnergy?: Measurement;
}

/** One interval of a time series; both times are ISO 8601. */
export interface IntervalRecord extends ServiceObject {
  startTime: string;
  endTime: string;
}

/** A group is null if the equipment is absent. */
export interface TelemetryRecord extends IntervalRecord {
  grid?: GridGroup | null;
  solar?: MeterGroup | null;
  consumption?: MeterGroup | null;
  storage?: StorageGroup | null;
  /** Only if requested with includeInverter. */
  inverter?: InverterGroup | null;
}

export interface RgmRecord extends IntervalRecord {
  rgm?: InverterGroup | null;
}
