// An alert (service interface 4.6): its shape is not fixed, only that it carries a severity.
import type { ServiceObject } from "./site";

export interface Alert extends ServiceObject {
  severity?: string | null;
}

/** `OTHER` stands for every severity that this version does not know, and for none at all. */
export type SeverityClass = "LOW" | "MEDIUM" | "HIGH" | "OTHER";
