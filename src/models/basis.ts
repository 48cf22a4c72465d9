// Whether a measurement is of the AC or of the DC side: the generation of the system tells (service interface 2.5 rule 5).
import type { IntervalRecord } from "./telemetry";

export type Basis = "ac" | "dc";

const GROUPS = ["grid", "solar", "consumption", "storage", "inverter", "rgm"];
/** Groups that PC1 measures on the DC side; all else is AC. */
const DC_OF_PC1 = new Set(["solar", "storage"]);

/** The basis of each group that a record holds; undefined where nothing is known of the generation. */
export function basisOf(
  record: IntervalRecord,
  generation: string | undefined,
): Record<string, Basis> | undefined {
  if (generation !== "PC1" && generation !== "PC2") return undefined;
  const basis: Record<string, Basis> = {};
  for (const group of GROUPS) {
    const isHeld = record[group] !== undefined && record[group] !== null;
    if (isHeld) basis[group] = generation === "PC1" && DC_OF_PC1.has(group) ? "dc" : "ac";
  }
  return basis;
}
