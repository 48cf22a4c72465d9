// What totals need to know of a system, from what the account remembers of its site: what equipment it has, and on which side it measures.
import type { KnownSite } from "../series/site-memory";
import type { Equipment, Group } from "./balance";
import type { Quality } from "./payload";

export interface SystemFacts {
  readonly equipment: Equipment;
  /** Groups that the capabilities say are there. */
  readonly present: readonly Group[];
  readonly basis: Quality["basis"];
}

/** Equipment that the capabilities do not list is absent; without capabilities, nothing is known (service interface 2.3). */
export function systemFacts({ systems }: KnownSite, systemId: string | undefined): SystemFacts {
  const [only, ...others] = systems;
  const named = systems.find((system) => system.systemId === systemId);
  const { generation, equipment } = named ?? (others.length === 0 ? only : undefined) ?? {};
  const basis = generation === "PC1" ? "mixed" : generation === "PC2" ? "ac" : null;
  if (!equipment) return { equipment: { absent: new Set(), isSolarUnmeasured: false }, present: [], basis };
  const isSolarUnmeasured = equipment.solar === "THIRD_PARTY";
  const groups = ["solar", "storage"] as const;
  const present = groups.filter((group) => equipment[group] !== undefined);
  return {
    equipment: { absent: new Set(groups.filter((group) => !present.includes(group))), isSolarUnmeasured },
    present: present.filter((group) => group === "storage" || !isSolarUnmeasured),
    basis,
  };
}
