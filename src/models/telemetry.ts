// Telemetry and revenue-grade meter records (service interface 2.5): energy in Wh, power in W, percentages out of 100.
import type { ServiceObject } from "./site";

/** In the unit of its group; null where it was not measured, which is never 0. */
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

/** Solar and consumption alike. Solar of PC1 is measured in DC. */
export interface MeterGroup extends ServiceObject {
  energy?: Measurement;
  power?: Measurement;
  lifetimeEnergy?: Measurement;
}

/** Positive = discharge, negative = charge. Storage of PC1 is measured in DC. */
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

/** An interval of a time series; both times are ISO 8601. */
export interface IntervalRecord extends ServiceObject {
  startTime: string;
  endTime: string;
}

/** A group is null when the equipment is absent. */
export interface TelemetryRecord extends IntervalRecord {
  grid?: GridGroup | null;
  solar?: MeterGroup | null;
  consumption?: MeterGroup | null;
  storage?: StorageGroup | null;
  /** Only when asked for with includeInverter. */
  inverter?: InverterGroup | null;
}

export interface RgmRecord extends IntervalRecord {
  rgm?: InverterGroup | null;
}
