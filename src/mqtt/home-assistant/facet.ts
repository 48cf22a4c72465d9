// A facet: a part of a device in Home Assistant that has a discovery message and states of its own, besides its readings.
import type { SeriesAddress } from "../../ledger/record-id";
import type { Publication, PublishRule } from "../publications";
import type { Discovery } from "./discovery-message";
import { type AlertsFacet, alertsId, hasSameAlerts, isAlertsFacet, ownerId } from "./alerts-facet";
import { alertsDiscovery, alertsState } from "./alerts-messages";
import { type DeviceFacet, deviceDiscovery, deviceFacetId, deviceState, isDeviceFacet } from "./device-facet";

export type Facet = AlertsFacet | DeviceFacet;

/** Keyed by facet id. */
export type Facets = ReadonlyMap<string, Facet>;

/** The id of the facet's discovery message. */
export function facetId(prefix: string, facet: Facet): string {
  return facet.kind === "alerts" ? alertsId(prefix, facet.siteId) : deviceFacetId(prefix, facet.profile);
}

/** The id of the device that the facet is a part of. */
export function ownerIdOf(prefix: string, facet: Facet): string {
  return facet.kind === "alerts" ? ownerId(prefix, facet.siteId) : deviceFacetId(prefix, facet.profile);
}

/** The site or system that the facet belongs to; undefined for the account. */
export function facetAddress(facet: Facet): SeriesAddress | undefined {
  if (facet.kind === "device") return facet.profile;
  return facet.siteId === undefined ? undefined : { siteId: facet.siteId };
}

/** `parentId`: the id of the device that it is linked to, if Home Assistant knows one. */
export function facetDiscovery(rule: PublishRule, facet: Facet, parentId: string | undefined): Discovery {
  return facet.kind === "alerts"
    ? alertsDiscovery(rule, facet)
    : deviceDiscovery(rule, facet.profile, parentId);
}

/** Its present state, never retained. `now` in milliseconds. */
export function facetState(rule: PublishRule, facet: Facet, now: number): Publication {
  return facet.kind === "alerts" ? alertsState(rule, facet) : deviceState(rule, facet, now);
}

/** Whether two versions of a facet differ in nothing but what its next message brings again. */
export function differsOnlyInState(one: Facet, other: Facet): boolean {
  if (one.kind === "alerts") return other.kind === "alerts" && hasSameAlerts(one, other);
  return other.kind === "device" && one.profile === other.profile && one.absence === other.absence;
}

/** A stored facet; undefined if it is not valid. */
export function readFacet(stored: unknown): Facet | undefined {
  return isAlertsFacet(stored) || isDeviceFacet(stored) ? stored : undefined;
}
