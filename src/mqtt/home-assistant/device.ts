// A device in Home Assistant, of whatever kind: each has a discovery message, states, and a place in the list of sites.
import type { SeriesAddress } from "../../series/identity";
import type { Publication, PublishRule } from "../publications";
import { type AlertsDevice, alertsDiscovery, alertsOwnerId, alertsState } from "./alerts";
import type { Discovery } from "./discovery";
import { type EquipmentDevice, equipmentDiscovery, equipmentState, mergedEquipment } from "./equipment";
import {
  freshRecords,
  mergedReadings,
  type ReadingsDevice,
  readingsDiscovery,
  readingsState,
} from "./readings";
import { totalsStates } from "./totals";

export type Device = ReadingsDevice | AlertsDevice | EquipmentDevice;

/** Keyed by id. */
export type Devices = ReadonlyMap<string, Device>;

/** What other devices may be linked to comes first. */
const KINDS: readonly Device["kind"][] = ["readings", "alerts", "equipment"];

export function parentsFirst(devices: Iterable<Device>): Device[] {
  const all = [...devices];
  return KINDS.flatMap((kind) => all.filter((device) => device.kind === kind));
}

/** A known device with what a message adds to it. */
export function merged(known: Device | undefined, found: Device): Device {
  if (found.kind === "readings") return mergedReadings(known?.kind === "readings" ? known : undefined, found);
  return found.kind === "equipment" && known?.kind === "equipment" ? mergedEquipment(known, found) : found;
}

/** The site or system that the device belongs to; undefined for the account, which always exists. */
export function addressOf({ profile }: Device): SeriesAddress | undefined {
  const { siteId } = profile;
  return siteId === undefined ? undefined : { ...profile, siteId };
}

/** As Home Assistant counts devices. */
export function shownIdOf(prefix: string, device: Device): string {
  return device.kind === "alerts" ? alertsOwnerId(prefix, device.profile.siteId) : device.id;
}

/** @param parentId the device that equipment is linked to, if Home Assistant knows one */
export function discoveryOf(rule: PublishRule, device: Device, parentId: string | undefined): Discovery {
  if (device.kind === "readings") return readingsDiscovery(rule, device);
  if (device.kind === "alerts") return alertsDiscovery(rule, device);
  return equipmentDiscovery(rule, device, parentId);
}

/** Its present state, never retained. `now` in milliseconds. */
export function statesOf(rule: PublishRule, device: Device, now: number): Publication[] {
  if (device.kind === "readings")
    return [
      ...freshRecords(rule, device, now).map((last) => readingsState(rule, device, last)),
      ...totalsStates(rule, device, now),
    ];
  return [device.kind === "alerts" ? alertsState(rule, device) : equipmentState(rule, device, now)];
}
