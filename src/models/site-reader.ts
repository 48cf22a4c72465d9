// Reads a site and its systems (service interface 2.2), tolerating missing fields.
import { isId } from "../settings/id";
import { deviceClassOf, type GroupedDevice, groupedDevices, knownClassOf } from "./device-reader";
import { firstText, isServiceObject } from "./service-object";
import type { Device, ServiceObject, Site, System } from "./site";

export { deviceClassOf, deviceStateOf } from "./device-reader";

/** Fields that may hold the id of a site or system. */
export const ID_FIELDS = { site: ["siteId", "id"], system: ["systemId", "id"] } as const;

/** The id of a site; "" if it has no valid one. Sites from the client always have one. */
export function siteIdOf(site: Site): string {
  return validId(site, "site") ?? "";
}

/** Without entries that are not objects. */
export function systemsOf(site: Site): System[] {
  return Array.isArray(site.systems) ? site.systems.filter(isServiceObject) : [];
}

/** The id of a system; undefined if it has no valid one. */
export function systemIdOf(system: System): string | undefined {
  return validId(system, "system");
}

/** Without systems that have no valid id. */
export function systemIdsOf(site: Site): string[] {
  return systemsOf(site).map(systemIdOf).filter(isKnown);
}

/** The generation as the service spells it: PC1, PC2, or one that this version does not know. */
export function generationOf(system: System): string | undefined {
  return firstText(system, ["systemGeneration"]);
}

/** The distinct generations of a site's systems, in the order of the systems. */
export function generationsOf(site: Site): string[] {
  return [...new Set(systemsOf(site).map(generationOf).filter(isKnown))];
}

/** The devices of a site or of one of its systems, wherever the site's details list them. */
export function devicesOf(site: Site, systemId?: string): Device[] {
  return groupedDevicesOf(site, systemId).map(({ device }) => device);
}

/** Whether there is a revenue-grade meter: a device of class METER (service interface 4.5). */
export function hasMeter(site: Site, systemId?: string): boolean {
  return groupedDevicesOf(site, systemId).some(
    ({ device, group }) => (deviceClassOf(device) ?? knownClassOf(group)) === "METER",
  );
}

/**
 * The devices of a site or of one of its systems, each with its group. A device at site level belongs to a system if it names
 * that system, or if there is no other.
 */
export function groupedDevicesOf(site: Site, systemId?: string): GroupedDevice[] {
  const systems = systemsOf(site);
  const chosen = systems.filter((system) => systemId === undefined || systemIdOf(system) === systemId);
  const onSite = groupedDevices(site).filter(({ device }) => {
    const owner = firstText(device, ["systemId"]);
    return systemId === undefined || (owner === undefined ? systems.length <= 1 : owner === systemId);
  });
  return [...chosen.flatMap(groupedDevices), ...onSite];
}

/** The same for every system that has an id, in one pass: a site may have many. */
export function groupedDevicesBySystem(site: Site): ReadonlyMap<string, GroupedDevice[]> {
  const systems = systemsOf(site);
  const bySystem = new Map<string, GroupedDevice[]>(systemIdsOf(site).map((systemId) => [systemId, []]));
  const add = (systemId: string | undefined, one: GroupedDevice): void => {
    if (systemId !== undefined) bySystem.get(systemId)?.push(one);
  };
  for (const system of systems) for (const one of groupedDevices(system)) add(systemIdOf(system), one);
  const [onlySystem] = systems.length === 1 ? systemIdsOf(site) : [];
  for (const one of groupedDevices(site)) add(firstText(one.device, ["systemId"]) ?? onlySystem, one);
  return bySystem;
}

function validId(object: ServiceObject, kind: keyof typeof ID_FIELDS): string | undefined {
  const id = firstText(object, ID_FIELDS[kind]);
  return isId(id) ? id : undefined;
}

function isKnown(text: string | undefined): text is string {
  return text !== undefined;
}
