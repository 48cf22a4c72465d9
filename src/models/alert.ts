// An alert (service interface 4.6). Only its severity is specified.
import type { ServiceObject } from "./site";

export interface Alert extends ServiceObject {
  severity?: string | null;
}

/** `OTHER` is any severity that this version does not know, or none. */
export type SeverityClass = "LOW" | "MEDIUM" | "HIGH" | "OTHER";
