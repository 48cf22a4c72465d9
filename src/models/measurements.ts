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

/** The fields that are percentages, in whatever group or device. */
const PERCENTAGES: ReadonlySet<string> = new Set([
  ...Object.values(MEASUREMENTS)
    .flatMap((fields) => Object.entries(fields))
    .filter(([, unit]) => unit === "%")
    .map(([field]) => field),
  "stateOfHealth",
]);

/**
 * Whether a value is possible for a field such as `stateOfCharge`: percentages are out of 100 (service interface 4.4 rule 3).
 * Text that is wholly a number counts as one.
 */
export function isPlausible(field: string, value: unknown): boolean {
  if (!PERCENTAGES.has(field)) return true;
  const isNumeric = typeof value === "string" && value.trim() !== "";
  const number = isNumeric ? Number(value) : value;
  return typeof number !== "number" || Number.isNaN(number) || (number >= 0 && number <= 100);
}

/** The unit of each path such as `storage.stateOfCharge`. */
export const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries(MEASUREMENTS).flatMap(([group, fields]) =>
    Object.entries(fields).map(([field, unit]): [string, Unit] => [`${group}.${field}`, unit]),
  ),
);
