// What a record measures: its readings, their units and bounds, on which side of the inverter, and how people read them.
import { isId } from "../settings/rules";
import { isServiceObject, type ServiceObject } from "./service-object";

/** One field of one group. `value` is in the unit of the field: power in W, energy in Wh, percentages from 0 to 100. */
export interface Reading {
  group: string;
  field: string;
  value: number | string | boolean;
}

type Unit = "Wh" | "W" | "%";

const ENERGY_AND_POWER = { energy: "Wh", power: "W" } as const;
const METER = { ...ENERGY_AND_POWER, lifetimeEnergy: "Wh" } as const;
const EXCHANGE = {
  ...ENERGY_AND_POWER,
  exportedEnergy: "Wh",
  importedEnergy: "Wh",
  lifetimeExportedEnergy: "Wh",
  lifetimeImportedEnergy: "Wh",
} as const;

/** Units of the known measurements by group and field (service interface 2.5). The service may add more. */
export const MEASUREMENTS = {
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
  solar: METER,
  consumption: METER,
  grid: EXCHANGE,
  inverter: EXCHANGE,
} as const;

/** In the unit of its field; null = not measured, which is not 0. */
export type Measurement = number | null;

/** The measurements of a group, of which any may be missing. */
export type MeasuredGroup<Group extends keyof typeof MEASUREMENTS> = ServiceObject & {
  -readonly [Field in keyof (typeof MEASUREMENTS)[Group]]?: Measurement;
};

/** What is derived from a record, as if it were a group of it. */
const DERIVED = { surplus: "W", selfUse: "%" } as const;

export const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries({ ...MEASUREMENTS, derived: DERIVED }).flatMap(([group, fields]) =>
    Object.entries(fields).map(([field, unit]): [string, Unit] => [`${group}.${field}`, unit]),
  ),
);

/** Fields in percent, in whatever group or device. */
const PERCENTAGES: ReadonlySet<string> = new Set([
  ...[...UNITS].flatMap(([path, unit]) => (unit === "%" ? path.split(".").slice(-1) : [])),
  "stateOfHealth",
]);

/** The side of the inverter on which a group is measured. */
export type Basis = "ac" | "dc";

/** The groups that this version knows. */
export const RECORD_GROUPS: readonly string[] = [...Object.keys(MEASUREMENTS), "rgm"];
/** Groups that PC1 measures on the DC side (service interface 2.5 rule 5); everything else is AC. */
const DC_OF_PC1 = new Set(["solar", "storage"]);

/**
 * The readings in the order of the record, unknown groups and fields included. Null is not a reading. Names follow the rules
 * for ids: others are too long for a topic, or a line break in them would start another line for a database.
 */
export function readingsOf(record: ServiceObject): Reading[] {
  return Object.entries(record).flatMap(([group, fields]) =>
    isServiceObject(fields) && isId(group)
      ? Object.entries(fields).flatMap(([field, value]) =>
          isReadingValue(value) && isId(field) ? [{ group, field, value }] : [],
        )
      : [],
  );
}

function isReadingValue(value: unknown): value is Reading["value"] {
  return Number.isFinite(value) || typeof value === "string" || typeof value === "boolean";
}

/** Null for everything but a finite number: JSON has some that are too large, such as 1e999. */
export function finiteOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A path without calculation, and the name at its end, of which it may be an item. */
const PATH = /^(?:[\w$.:#()[\]"']*[.:"'])?(\w+)["'\]]*(?:\[\d+\])*$/;

/** Whether a path is of the group that has to be requested. */
export function isOfInverter(path: string): boolean {
  return /^inverter(?![\w$])/.test(path);
}

/**
 * Whether a value is possible for a field, such as `storage.stateOfCharge`: percentages are out of 100 (service interface 2.5).
 * Text that is wholly a number counts as one.
 */
export function isPlausible(path: string, value: unknown): boolean {
  if (!PERCENTAGES.has(PATH.exec(path)?.[1] ?? "")) return true;
  const isNumeric = typeof value === "string" && value.trim() !== "";
  const number = isNumeric ? Number(value) : value;
  return typeof number !== "number" || Number.isNaN(number) || (number >= 0 && number <= 100);
}

/** Returns the basis of each group in a record, as a new object each time; undefined for an unknown generation. */
export function basisReader(
  generation: string | undefined,
): (record: ServiceObject) => Record<string, Basis> | undefined {
  if (generation !== "PC1" && generation !== "PC2") return () => undefined;
  const sides = RECORD_GROUPS.map((group): [group: string, basis: Basis] => [
    group,
    generation === "PC1" && DC_OF_PC1.has(group) ? "dc" : "ac",
  ]);
  let basis: Record<string, Basis> = {};
  let known = 0;
  return (record) => {
    const present = groupsIn(record);
    // Nearly all records of a system have the same groups.
    if (present !== known)
      basis = Object.fromEntries(sides.filter((_side, at) => (present & (1 << at)) !== 0));
    known = present;
    return { ...basis };
  };
}

/** Those of `RECORD_GROUPS` that a record has, a bit each. */
function groupsIn(record: ServiceObject): number {
  let bits = 0;
  let bit = 1;
  for (const group of RECORD_GROUPS) {
    const value = record[group];
    if (value !== undefined && value !== null) bits |= bit;
    bit <<= 1;
  }
  return bits;
}

const PREFIXES = ["", "k", "M", "G"];
/** The units that are written with a prefix. */
const SCALED = ["W", "Wh"];

/** Such as "18 %", "850 W", "3.2 kW"; without a unit, the number rounded. */
export function shownMeasurement(value: number, unit?: string): string {
  if (unit === undefined) return shownNumber(value);
  if (!SCALED.includes(unit)) return `${Math.round(value)} ${unit}`;
  let scaled = Math.round(value) || 0;
  let prefix = 0;
  // A number that rounds up to 1000 is the next unit.
  while (Math.abs(Math.round(scaled)) >= 1000 && prefix < PREFIXES.length - 1) {
    scaled /= 1000;
    prefix += 1;
  }
  // Three digits are as many as people read: 3.2, 12.4, 230.
  const shown = prefix > 0 && Math.abs(scaled) < 99.95 ? scaled.toFixed(1) : Math.round(scaled);
  return `${shown} ${PREFIXES[prefix]}${unit}`;
}

/** At most one decimal, or two digits for numbers below 1. */
export function shownNumber(value: number): string {
  const rounded = Math.abs(value) < 1 ? Number(value.toPrecision(2)) : Math.round(value * 10) / 10;
  return String(rounded);
}

/** How many decimals amounts in a currency have: yen none. Two where it is no ISO 4217 code, such as a symbol. */
export function decimalsOf(currency: string): number {
  try {
    const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", {
      style: "currency",
      currency,
    }).resolvedOptions();
    return maximumFractionDigits;
  } catch {
    return 2;
  }
}
