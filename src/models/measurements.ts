// The known measurements of records, with their units (service interface 2.5). The service may add more.

type Unit = "Wh" | "W" | "%";

const ENERGY_AND_POWER = { energy: "Wh", power: "W" } as const;
const EXCHANGED = {
  exportedEnergy: "Wh",
  importedEnergy: "Wh",
  lifetimeExportedEnergy: "Wh",
  lifetimeImportedEnergy: "Wh",
} as const;

/** Units by group and field. */
const MEASUREMENTS: Readonly<Record<string, Readonly<Record<string, Unit>>>> = {
  storage: {
    stateOfCharge: "%",
    ...ENERGY_AND_POWER,
    dischargeEnergy: "Wh",
    chargeEnergy: "Wh",
    lifetimeDischargeEnergy: "Wh",
    lifetimeChargeEnergy: "Wh",
    remainingEnergy: "Wh",
    totalEnergy: "Wh",
    minimumReserve: "%",
  },
  solar: { ...ENERGY_AND_POWER, lifetimeEnergy: "Wh" },
  consumption: { ...ENERGY_AND_POWER, lifetimeEnergy: "Wh" },
  grid: { ...ENERGY_AND_POWER, ...EXCHANGED },
  inverter: { ...ENERGY_AND_POWER, ...EXCHANGED },
};

/** The unit of each path such as `storage.stateOfCharge`. */
export const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries(MEASUREMENTS).flatMap(([group, fields]) =>
    Object.entries(fields).map(([field, unit]): [string, Unit] => [`${group}.${field}`, unit]),
  ),
);
