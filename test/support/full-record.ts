// A record with every possible reading, each with a unique value, and the states that Home Assistant must show.

export const FULL = {
  grid: {
    energy: 11,
    power: 12,
    exportedEnergy: 13,
    importedEnergy: 14,
    lifetimeExportedEnergy: 15,
    lifetimeImportedEnergy: 16,
    connectivityStatus: "ON_GRID",
  },
  solar: { energy: 21, power: 22, lifetimeEnergy: 23 },
  consumption: { energy: 31, power: 32, lifetimeEnergy: 33 },
  storage: {
    energy: 41,
    power: -42,
    dischargeEnergy: 43,
    chargeEnergy: 44,
    lifetimeDischargeEnergy: 45,
    lifetimeChargeEnergy: 46,
    stateOfCharge: 57.5,
    remainingEnergy: 48,
    totalEnergy: 49,
    minimumReserve: 20,
  },
  inverter: { power: 61, lifetimeExportedEnergy: 62, lifetimeImportedEnergy: 63 },
};

/** The states of all entities of the system except `telemetry_endTime`. */
export const FULL_STATES = {
  stale: "OFF",
  grid_power: "12",
  grid_lifetimeImportedEnergy: "16",
  grid_lifetimeExportedEnergy: "15",
  grid_connectivityStatus: "ON_GRID",
  solar_power: "22",
  solar_lifetimeEnergy: "23",
  consumption_power: "32",
  consumption_lifetimeEnergy: "33",
  storage_power: "-42",
  storage_lifetimeDischargeEnergy: "45",
  storage_lifetimeChargeEnergy: "46",
  storage_stateOfCharge: "57.5",
  storage_remainingEnergy: "48",
  storage_totalEnergy: "49",
  storage_minimumReserve: "20",
  inverter_power: "61",
  inverter_lifetimeImportedEnergy: "63",
  inverter_lifetimeExportedEnergy: "62",
};
