// Whether a group is measured on the AC or DC side, which depends on the generation (service interface 2.5 rule 5).
import type { IntervalRecord } from "./telemetry";

/** The side of the inverter on which a group is measured. */
export type Basis = "ac" | "dc";

const GROUPS = ["grid", "solar", "consumption", "storage", "inverter", "rgm"];
/** Groups that PC1 measures on the DC side; everything else is AC. */
const DC_OF_PC1 = new Set(["solar", "storage"]);

/** Returns the basis of each group in a record, as a new object each time; undefined for an unknown generation. */
export function basisReader(
  generation: string | undefined,
): (record: IntervalRecord) => Record<string, Basis> | undefined {
  if (generation !== "PC1" && generation !== "PC2") return () => undefined;
  // Most records of a system have the same groups.
  let known: Record<string, Basis> = {};
  let knownGroups = 0;
  return (record) => {
    const groups = groupsIn(record);
    if (groups !== knownGroups) known = basisOfGroups(groups, generation);
    knownGroups = groups;
    return { ...known };
  };
}

/** The groups that a record has, a bit each. */
function groupsIn(record: IntervalRecord): number {
  let groups = 0;
  for (const [index, group] of GROUPS.entries())
    if (record[group] !== undefined && record[group] !== null) groups |= 1 << index;
  return groups;
}

function basisOfGroups(groups: number, generation: string): Record<string, Basis> {
  const present = GROUPS.filter((_group, index) => (groups & (1 << index)) !== 0);
  const basisOf = (group: string): Basis => (generation === "PC1" && DC_OF_PC1.has(group) ? "dc" : "ac");
  return Object.fromEntries(present.map((group) => [group, basisOf(group)]));
}
