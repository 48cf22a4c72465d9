// What is known of a site: its systems, their names and equipment, and how an answer changes that.
import { matches, number, oneOf, optional, readerOf, text } from "../models/shape";
import { isServiceObject } from "../models/service-object";
import {
  generationOf,
  readableSystemsOf,
  type Site,
  siteIdOf,
  siteNameOf,
  type System,
  systemIdOf,
  systemNameOf,
} from "../models/site";
import { isId } from "../settings/rules";
import { shownName } from "../shown-text";

/** By capabilities (service interface 2.3): what is not listed is not there. */
export interface Equipment {
  /** The type of the inverter, as the service spells it; "" if it does not say. */
  readonly solar?: string | undefined;
  readonly storage?: true | undefined;
}

export interface KnownSystem {
  /** Absent if no system of the site has a valid one. */
  readonly systemId?: string | undefined;
  /** As the service spells it. */
  readonly generation?: string | undefined;
  readonly name?: string | undefined;
  /** Absent if the service shows no capabilities. */
  readonly equipment?: Equipment | undefined;
  /** When the last answer without it was read, in milliseconds, if it appeared after another. */
  readonly since?: number | undefined;
}

/** Plain data, stored as JSON. Absent is what no answer has shown. */
export interface KnownSite {
  readonly siteId: string;
  /** Empty if it shows none. */
  readonly systems: readonly KnownSystem[];
  readonly name?: string | undefined;
  readonly timezone?: string | undefined;
  /** When its details last showed these systems, in milliseconds, if lists do not show them. */
  readonly readAt?: number | undefined;
  /** Not in the last list. */
  readonly isUnlisted?: true | undefined;
}

const OPTIONAL = { text: optional(text), number: optional(number), true: optional(oneOf([true])) };

export const readKnownSite = readerOf((stored): stored is KnownSite =>
  matches(stored, {
    siteId: isId,
    systems: [
      {
        systemId: optional(isId),
        generation: OPTIONAL.text,
        name: OPTIONAL.text,
        equipment: optional({ solar: OPTIONAL.text, storage: OPTIONAL.true }),
        since: OPTIONAL.number,
      },
    ],
    name: OPTIONAL.text,
    timezone: OPTIONAL.text,
    readAt: OPTIONAL.number,
    isUnlisted: OPTIONAL.true,
  }),
);

/** A site as an answer shows it. */
export function shownSite(site: Site): KnownSite {
  const { timezone } = site;
  return {
    siteId: siteIdOf(site),
    systems: systemsIn(site),
    name: shownName(siteNameOf(site)),
    timezone: typeof timezone === "string" ? shownName(timezone) : undefined,
  };
}

/** Each once. */
function systemsIn(site: Site): KnownSystem[] {
  const systems = readableSystemsOf(site).map((system) => ({
    systemId: systemIdOf(system),
    generation: generationOf(system),
    name: shownName(systemNameOf(system)),
    equipment: equipmentOf(system),
  }));
  const named = new Map(systems.filter(hasId).map((system) => [system.systemId, system]));
  return named.size > 0 ? [...named.values()] : systems;
}

function equipmentOf({ capabilities }: System): Equipment | undefined {
  if (!isServiceObject(capabilities)) return undefined;
  const { solar, storage } = capabilities;
  const inverter = isServiceObject(solar) ? (solar["inverterType"] ?? "") : undefined;
  return {
    ...(inverter !== undefined && { solar: typeof inverter === "string" ? (shownName(inverter) ?? "") : "" }),
    ...(isServiceObject(storage) && { storage: true }),
  };
}

export function hasId({ systemId }: KnownSystem): boolean {
  return systemId !== undefined;
}

/**
 * The site as it is known after an answer. One without ids, or without systems, takes nothing away, and neither does one without a
 * name.
 * @param since when the last answer about the site was read that would have shown its systems
 */
export function afterAnswer(
  known: KnownSite | undefined,
  shown: KnownSite,
  since: number | undefined,
): Omit<KnownSite, "readAt" | "isUnlisted"> {
  const { siteId, systems, name = known?.name, timezone = known?.timezone } = shown;
  const before = known?.systems ?? [];
  const isLess = known && (systems.length === 0 || (before.some(hasId) && !systems.some(hasId)));
  const merged = isLess ? before : systems.map((system) => systemAfter(before, system, since));
  return { siteId, systems: merged, name, timezone };
}

function systemAfter(before: readonly KnownSystem[], shown: KnownSystem, first?: number): KnownSystem {
  const { systemId } = shown;
  const known = before.find((system) => system.systemId === systemId);
  const { generation = known?.generation, name = known?.name, equipment = known?.equipment } = shown;
  // Not spread: each of thousands of spread objects would have a hidden class of its own.
  return { systemId, generation, name, equipment, since: known ? known.since : first };
}
