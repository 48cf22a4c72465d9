// The energies of an interval: the equipment that a system has, what a record says of it, who fed whom, and what follows from that.
import { isServiceObject, objectOf, type ServiceObject } from "../models/service-object";
import type { KnownSite } from "../series/site-memory";
import { decimalOf } from "../settings/rules";

/** Each with a lifetime counter of its own. In order: sources and sinks as they are listed in messages. */
export const QUANTITIES = ["solar", "imported", "exported", "charged", "discharged", "consumed"] as const;
export type Quantity = (typeof QUANTITIES)[number];

/** Energies in Wh, never negative; null = unknown, which is not 0. */
export type Energies = Record<Quantity, number | null>;

export const GROUPS = ["grid", "solar", "storage", "consumption"] as const;
export type Group = (typeof GROUPS)[number];

export type SystemFacts = Readonly<ReturnType<typeof systemFacts>>;

/** Equipment that the capabilities do not list is absent; without capabilities, nothing is known (service interface 2.3). */
export function systemFacts({ systems }: KnownSite, systemId: string | undefined) {
  const { generation, equipment } = systems.find((system) => system.systemId === systemId) ?? {};
  const groups = ["solar", "storage"] as const;
  const installed: readonly Group[] = groups.filter((group) => equipment?.[group] !== undefined);
  const isSolarUnmeasured = equipment?.solar === "THIRD_PARTY";
  const absent: ReadonlySet<Group> = new Set(
    equipment ? groups.filter((group) => !installed.includes(group)) : [],
  );
  return {
    /** Groups without equipment: their energies are 0. */
    absent,
    /** Third-party solar that is not measured: what rests on solar energy is unknown. */
    isSolarUnmeasured,
    /** Groups that the capabilities say are there, whether or not records show them. */
    present: installed.filter((group) => group !== "solar" || !isSolarUnmeasured),
    /** PC1 measures solar and storage on the DC side. */
    basis: generation === "PC1" ? "mixed" : generation === "PC2" ? "ac" : null,
  } as const;
}

interface Source {
  readonly group: Group;
  readonly counter: string;
  /** What has the energy of the interval; without it, it is the energy of the group with this sign. */
  readonly field?: string;
  readonly sign?: -1;
}

/** Sign rules: service interface 2.5 semantics 2. */
export const SOURCES: Readonly<Record<Quantity, Source>> = {
  solar: { group: "solar", counter: "lifetimeEnergy" },
  imported: { group: "grid", counter: "lifetimeImportedEnergy", field: "importedEnergy" },
  exported: { group: "grid", counter: "lifetimeExportedEnergy", field: "exportedEnergy", sign: -1 },
  charged: { group: "storage", counter: "lifetimeChargeEnergy", field: "chargeEnergy", sign: -1 },
  discharged: { group: "storage", counter: "lifetimeDischargeEnergy", field: "dischargeEnergy" },
  consumed: { group: "consumption", counter: "lifetimeEnergy" },
};

/** What a record says of itself. */
export function energiesOf(record: ServiceObject, absent: ReadonlySet<Group>, share = 1) {
  const energies = unknown();
  for (const quantity of QUANTITIES) {
    const { group, field = "", sign = 1 } = SOURCES[quantity];
    const fields = record[group];
    if (!isServiceObject(fields)) continue;
    const energy = positive(fields[field]) ?? positive(fields["energy"], sign);
    energies[quantity] = energy === null ? null : energy * share;
  }
  return { energies, isDerived: completeEnergies(energies, absent) };
}

export function unknown(): Energies {
  return { solar: null, imported: null, exported: null, charged: null, discharged: null, consumed: null };
}

/** Absent equipment has no energy, and consumption follows from the rest. Returns whether it does. */
export function completeEnergies(energies: Energies, absent: ReadonlySet<Group>): boolean {
  if (absent.has("storage")) {
    energies.charged ??= 0;
    energies.discharged ??= 0;
  }
  if (absent.has("solar")) energies.solar ??= 0;
  const others = { ...energies, consumed: 0 };
  if (energies.consumed !== null || !isBalance(others)) return false;
  const { solar, imported, exported, charged, discharged } = others;
  energies.consumed = Math.max(0, imported + solar + discharged - exported - charged);
  return true;
}

/** The lifetime counter of a quantity. */
export function counterOf(quantity: Quantity, record: ServiceObject): number | null {
  const { group, counter } = SOURCES[quantity];
  return boundedEnergy(objectOf(record[group])[counter]);
}

/** Wh in the battery, by what it reports, or by its state of charge. */
export function storedEnergy({ storage }: ServiceObject): number | null {
  const { remainingEnergy, stateOfCharge, totalEnergy } = objectOf(storage);
  const remaining = positive(remainingEnergy);
  if (remaining !== null) return remaining;
  const [percent, total] = [positive(stateOfCharge), positive(totalEnergy)];
  return percent === null || total === null ? null : (Math.min(percent, 100) / 100) * total;
}

function positive(value: unknown, sign = 1): number | null {
  const number = boundedEnergy(value);
  return number === null ? null : Math.max(0, sign * number);
}

/** Wh: far more than any meter has counted. Sums of larger numbers could be infinite. */
const MAX_ENERGY = 1e15;

export function boundedEnergy(value: unknown): number | null {
  const number = decimalOf(value);
  return number !== null && Math.abs(number) <= MAX_ENERGY ? number : null;
}

/** What to serve first with solar energy. */
export type SolarPriority = "house" | "battery";

/** A balance with every energy known, in Wh. */
export type Balance = Readonly<Record<Quantity, number>>;

/** Whether it is known who fed whom. */
export function isBalance(energies: Energies): energies is Energies & Balance {
  return Object.values(energies).every((energy) => energy !== null);
}

/** Each from a source to a use. */
export const FLOWS = [
  "solarToHome",
  "solarToBattery",
  "solarToGrid",
  "batteryToHome",
  "batteryToGrid",
  "gridToHome",
  "gridToBattery",
  // Phases that are not netted within a record.
  "gridToGrid",
  // Sources that no one used.
  "loss",
  // Uses that no source covers.
  "unexplained",
] as const;
export type Flow = (typeof FLOWS)[number];

/** In Wh, never negative. */
export type Flows = Readonly<Record<Flow, number>>;

/**
 * Export is never grid energy while there is a source of our own, and solar goes first. Sources and `unexplained` together
 * equal uses and `loss`.
 */
export function flowsOf(balance: Balance, priority: SolarPriority): Flows {
  const { solar, imported, exported, charged, discharged, consumed } = balance;
  const solarToGrid = Math.min(solar, exported);
  const batteryToGrid = Math.min(discharged, exported - solarToGrid);
  const batteryToHome = Math.min(discharged - batteryToGrid, consumed);
  const reserved = priority === "battery" ? Math.min(solar - solarToGrid, charged) : 0;
  const solarToHome = Math.min(solar - solarToGrid - reserved, consumed - batteryToHome);
  const solarToBattery = Math.min(solar - solarToGrid - solarToHome, charged);
  const gridToBattery = Math.min(imported, charged - solarToBattery);
  const gridToHome = Math.min(imported - gridToBattery, consumed - batteryToHome - solarToHome);
  const gridToGrid = Math.min(imported - gridToBattery - gridToHome, exported - solarToGrid - batteryToGrid);
  const flows = {
    solarToHome,
    solarToBattery,
    solarToGrid,
    batteryToHome,
    batteryToGrid,
    gridToHome,
    gridToBattery,
    gridToGrid,
  };
  const moved = Object.values(flows).reduce((sum, flow) => sum + flow, 0);
  return {
    ...flows,
    // Differences of equal numbers may be a tiny bit below zero.
    loss: Math.max(0, solar + imported + discharged - moved),
    unexplained: Math.max(0, exported + charged + consumed - moved),
  };
}

/**
 * Values that a record has only between the lines, by path: null if it does not say enough. null is never 0, but a battery that a
 * site lacks does nothing.
 */
export const DERIVED: ReadonlyMap<string, (record: ServiceObject) => number | null> = new Map([
  ["derived.surplus", surplus],
  ["derived.selfUse", selfUse],
]);

/** Solar power that home and battery do not use, in W. */
function surplus(record: ServiceObject): number | null {
  const [solar, used] = [powerOf(record, "solar"), powerOf(record, "consumption")];
  const battery = hasBattery(record) ? powerOf(record, "storage") : 0;
  if (solar === null || used === null || battery === null) return null;
  // Positive = discharge (service interface 2.5 rule 2).
  return Math.max(0, solar - used - Math.max(0, -battery));
}

/** The share of the home's use that solar and battery cover, in percent: what the grid does not send to the home. */
function selfUse(record: ServiceObject): number | null {
  const absent = new Set<Group>(hasBattery(record) ? [] : ["storage"]);
  const { energies } = energiesOf(record, absent);
  if (!isBalance(energies) || energies.consumed <= 0) return null;
  return 100 * (1 - flowsOf(energies, "house").gridToHome / energies.consumed);
}

function hasBattery(record: ServiceObject): boolean {
  return isServiceObject(record["storage"]);
}

function powerOf(record: ServiceObject, group: Group): number | null {
  return decimalOf(objectOf(record[group])["power"]);
}
