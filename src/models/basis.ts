// Whether a group is measured on the AC or DC side, which depends on the generation (service interface 2.5 rule 5).
import type { IntervalRecord } from "./telemetry";

/** The side of the inverter on which a group is measured. */
export type Basis = "ac" | "dc";

const GROUPS = ["grid", "solar", "consumption", "storage", "inverter", "rgm"];
/** Groups that PC1 measures on the DC side; everything else is AC. */
const DC_OF_PC1 = new Set(["solar", "storage"]);

/** The basis of each group in a record; undefined for an unknown generation. */
export function basisOf(
  record: IntervalRecord,
  generation: string | undefined,
): Record<string, Basis> | undefined {
  if (generation !== "PC1" && generation !== "PC2") return undefined;
  const basis: Record<string, Basis> = {};
  for (const group of GROUPS) {
    const isPresent = record[group] !== undefined && record[group] !== null;
    if (isPresent) basis[group] = generation === "PC1" && DC_OF_PC1.has(group) ? "dc" : "ac";
  }
  return basis;
}
