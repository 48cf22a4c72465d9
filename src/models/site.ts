// A site, its systems and their devices (service interface 2.2 to 2.4), read wherever their fields may be.
import { isId } from "../settings/rules";
import { firstText, isServiceObject, objectOf, type ServiceObject } from "./service-object";

export interface Capabilities extends ServiceObject {
  solar?: ({ inverterType?: string | null; inverterCapacityPower?: number | null } & ServiceObject) | null;
  storage?:
    | ({
        capacityEnergy?: number | null;
        maxChargePower?: number | null;
        maxDischargePower?: number | null;
      } & ServiceObject)
    | null;
}

/** Its state may be flat or nested. */
export interface Device extends ServiceObject {
  /** A time, in whatever form. */
  lastHeardAt?: string | number | null;
  highestAlertSeverity?: string | null;
}

export interface System extends ServiceObject {
  systemId?: string;
  systemGeneration?: string;
  capabilities?: Capabilities | null;
  devices?: Device[] | null;
}

/** The systems include their devices if the site is from its details endpoint. */
export interface Site extends ServiceObject {
  siteId: string;
  siteName?: string;
  /** IANA zone, e.g. `Europe/Berlin`. */
  timezone?: string;
  siteAddress?: ({ city?: string; country?: string } & ServiceObject) | null;
  systems?: System[] | null;
}

/** A device with the name of the group that lists it ("" for none). */
export interface GroupedDevice {
  device: Device;
  group: string;
}

export const ID_FIELDS = { site: ["siteId", "id"], system: ["systemId", "id"] } as const;

const KNOWN_CLASSES: readonly string[] = ["GATEWAY", "INVERTER", "BATTERY", "PVLINK", "METER"];
const CLASS_FIELDS = ["deviceClass", "class", "deviceType", "type", "category", "kind"];
const DEVICE_LIST_FIELDS = ["devices", "deviceList", "equipment", "components"];

/** Fields that may hold the state as a nested object. */
const NESTED_STATES = ["state", "status", "deviceState"];

/** The id of a site; "" if it has no valid one. Sites from the client always have one. */
export function siteIdOf(site: Site): string {
  return validId(site, "site") ?? "";
}

export function siteNameOf(site: Site): string | undefined {
  return firstText(site, ["siteName", "name"]);
}

export function isSite(value: unknown): value is Site {
  return isServiceObject(value) && validId(value, "site") !== undefined;
}

/** As they are listed. What is in place of a list is one: a site whose systems cannot be read is not one without systems. */
export function listedSystemsOf({ systems }: Site): readonly System[] {
  return [systems ?? []].flat();
}

/** Without entries that are not objects. */
export function systemsOf(site: Site): System[] {
  return listedSystemsOf(site).filter(isServiceObject);
}

/** Those that can be told apart, each once: without an id only if no system of the site shows one. */
export function readableSystemsOf(site: Site): System[] {
  const systems = systemsOf(site);
  if (!systems.some(showsId)) return systems;
  // Of one that is listed twice, the first entry counts.
  const ids = new Set<string | undefined>([undefined]);
  return systems.filter((system) => ids.size < ids.add(systemIdOf(system)).size);
}

/** Whether there is an id, valid or not. */
function showsId(system: System): boolean {
  const isShown = (id: unknown): boolean =>
    typeof id === "string" ? id.trim() !== "" : id !== undefined && id !== null;
  return ID_FIELDS.system.some((field) => isShown(system[field]));
}

/** The id of a system; undefined if it has no valid one. */
export function systemIdOf(system: System): string | undefined {
  return validId(system, "system");
}

/** The interface names no such field (service interface 2.2): where there is one, people know the system by it. */
export function systemNameOf(system: System): string | undefined {
  return firstText(system, ["systemName", "name"]);
}

/** Without systems that have no valid id, and each once. */
export function systemIdsOf(site: Site): string[] {
  return readableSystemsOf(site).flatMap((system) => systemIdOf(system) ?? []);
}

/** The generation as the service spells it: PC1, PC2, or one that this version does not know. */
export function generationOf(system: System): string | undefined {
  return firstText(system, ["systemGeneration"]);
}

export function generationsOf(site: Site): string[] {
  return [...new Set(systemsOf(site).flatMap((system) => generationOf(system) ?? []))];
}

/**
 * The devices of each system that has an id, wherever the site's details list them, and last, without an id, those of no such
 * system. A device at site level belongs to the system that it names, or to the only one.
 */
export function devicesBySystem(site: Site): ReadonlyMap<string | undefined, GroupedDevice[]> {
  const systems = systemsOf(site);
  const bySystem = new Map<string | undefined, GroupedDevice[]>();
  for (const systemId of [...systemIdsOf(site), undefined]) bySystem.set(systemId, []);
  const add = (systemId: string | undefined, one: GroupedDevice): void =>
    void (bySystem.get(systemId) ?? bySystem.get(undefined))?.push(one);
  for (const system of systems) for (const one of devicesIn(system)) add(systemIdOf(system), one);
  const [onlySystem] = systems.length === 1 ? systemIdsOf(site) : [];
  for (const one of devicesIn(site)) add(firstText(one.device, ["systemId"]) ?? onlySystem, one);
  return bySystem;
}

/** The devices of a site or of one of its systems. What belongs to no system is of any that the site does not show. */
export function devicesOf(site: Site, systemId?: string): GroupedDevice[] {
  const bySystem = devicesBySystem(site);
  if (systemId === undefined) return [...bySystem.values()].flat();
  return bySystem.get(systemId) ?? bySystem.get(undefined) ?? [];
}

/**
 * Whether a site, or one of its systems, has a revenue-grade meter. Undefined if its details do not tell: without a list of
 * devices, only PC2 is known to have none (service interface 4.5).
 * @param devices of the site or system
 */
export function hasMeter(
  site: Site,
  systemId?: string,
  devices = devicesOf(site, systemId),
): boolean | undefined {
  if (devices.length > 0) return devices.some((device) => deviceClassOf(device) === "METER");
  const isPc2 =
    Array.isArray(site.systems) &&
    listedSystemsOf(site).every((system) => generationOf(objectOf(system)) === "PC2");
  return isPc2 ? false : undefined;
}

/**
 * The class of a device: in capitals if it is a known one, otherwise as the service spells it. If no usual field has one,
 * any field that equals a known class counts, else the name of its group; a name such as `Meter` does not.
 */
export function deviceClassOf({ device, group }: GroupedDevice): string | undefined {
  const classes = CLASS_FIELDS.map((field) => knownClassOf(device[field]));
  return (
    classes.find((known) => known !== undefined) ??
    firstText(device, CLASS_FIELDS) ??
    KNOWN_CLASSES.find((known) => Object.values(device).includes(known)) ??
    knownClassOf(group)
  );
}

/** A field of the state of a device, which may be flat or nested: null where it has no value. */
export function stateFieldOf(device: Device, field: string): unknown {
  const holders = [device, ...NESTED_STATES.map((name) => objectOf(device[name]))];
  const values = holders.map((holder) => holder[field] ?? null);
  return values.findLast((value) => value !== null && !isServiceObject(value)) ?? null;
}

/** The known class that a text names, ignoring case, also in the plural. */
function knownClassOf(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  const singular = name.trim().toUpperCase().replace(/IES$/, "Y").replace(/S$/, "");
  return KNOWN_CLASSES.find((known) => known === singular);
}

function devicesIn(owner: ServiceObject): GroupedDevice[] {
  const list = DEVICE_LIST_FIELDS.map((field) => owner[field]).find(
    (value) => typeof value === "object" && value !== null,
  );
  const groups: [string, unknown][] = Array.isArray(list) ? [["", list]] : Object.entries(objectOf(list));
  return groups.flatMap(([group, devices]) =>
    Array.isArray(devices) ? devices.filter(isServiceObject).map((device) => ({ device, group })) : [],
  );
}

function validId(object: ServiceObject, kind: keyof typeof ID_FIELDS): string | undefined {
  const id = firstText(object, ID_FIELDS[kind]);
  return isId(id) ? id : undefined;
}
