// The English names of the entities in Home Assistant, whose keys all languages share.

/** By entity key. */
export const ENGLISH = {
  stale: "Data stale",
  telemetry_endTime: "Data as of",
  rgm_endTime: "Revenue meter data as of",

  grid_power: "Grid power",
  grid_lifetimeImportedEnergy: "Grid energy imported",
  grid_lifetimeExportedEnergy: "Grid energy exported",
  grid_connectivityStatus: "Grid connectivity",
  solar_power: "Solar power",
  solar_lifetimeEnergy: "Solar energy",
  consumption_power: "Consumption power",
  consumption_lifetimeEnergy: "Consumption energy",
  storage_power: "Battery power",
  storage_lifetimeDischargeEnergy: "Battery energy discharged",
  storage_lifetimeChargeEnergy: "Battery energy charged",
  storage_stateOfCharge: "Battery state of charge",
  storage_remainingEnergy: "Battery energy remaining",
  storage_totalEnergy: "Battery energy capacity",
  storage_minimumReserve: "Battery minimum reserve",
  inverter_power: "Inverter power",
  inverter_lifetimeImportedEnergy: "Inverter energy imported",
  inverter_lifetimeExportedEnergy: "Inverter energy exported",
  rgm_power: "Revenue meter power",
  rgm_lifetimeImportedEnergy: "Revenue meter energy imported",
  rgm_lifetimeExportedEnergy: "Revenue meter energy exported",

  account: "Energy account",
  alerts_event: "Alert",
  alerts_open: "Open alerts",
  alerts_problem: "Alerts",
  alerts_severity: "Highest alert severity",

  device: "Device",
  device_GATEWAY: "Gateway",
  device_INVERTER: "Inverter",
  device_BATTERY: "Battery",
  device_PVLINK: "PV link",
  device_METER: "Meter",
  device_stateOfCharge: "State of charge",
  device_stateOfHealth: "State of health",
  device_moduleCount: "Modules",
  device_lastHeardAt: "Last heard at",
  device_deviceState: "Device state",
  device_enabledState: "Enabled state",
  device_highestAlertSeverity: "Highest alert severity",
} as const;

export type NameKey = keyof typeof ENGLISH;

/** A name for every entity key, in one language. */
export type Names = Readonly<Record<NameKey, string>>;
