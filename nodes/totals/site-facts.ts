// What totals need to know of a system: the time zone of its site, and what equipment it has.
import type { KnownSite, KnownSystem } from "../../src/series/known-site";
import type { Equipment, Group } from "../../src/totals/balance";
import type { Quality } from "../../src/totals/payload";

export interface SystemFacts {
  readonly timezone: string | undefined;
  readonly equipment: Equipment;
  /** Groups that the capabilities say are there. */
  readonly present: readonly Group[];
  readonly basis: Quality["basis"];
}

export function factsOf({ timezone, systems }: KnownSite, systemId: string | undefined): SystemFacts {
  const [only, ...others] = systems;
  const system = systems.find((one) => one.systemId === systemId) ?? (others.length === 0 ? only : undefined);
  return { timezone, ...systemFacts(system) };
}

/** Equipment that the capabilities do not list is absent; without capabilities, nothing is known (service interface 2.3). */
function systemFacts({ generation, equipment }: KnownSystem = {}): Omit<SystemFacts, "timezone"> {
  const basis = generation === "PC1" ? "mixed" : generation === "PC2" ? "ac" : null;
  if (!equipment) return { equipment: { absent: new Set(), isSolarUnmeasured: false }, present: [], basis };
  const groups = ["solar", "storage"] as const;
  const isSolarUnmeasured = equipment.solar === "THIRD_PARTY";
  return {
    equipment: {
      absent: new Set(groups.filter((group) => equipment[group] === undefined)),
      isSolarUnmeasured,
    },
    present: groups.filter(
      (group) => equipment[group] !== undefined && !(group === "solar" && isSolarUnmeasured),
    ),
    basis,
  };
}
