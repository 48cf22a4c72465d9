// Filters alerts by severity. Unknown severities are a branch of their own, never the negation of known ones.
import type { Alert } from "../models/alert";
import { severityNameOf, severityOf } from "../models/alert-reader";

export interface SeverityRule {
  /** Names to pass; empty for every known severity. */
  names: string[];
  /** Also pass severities that this version does not know, and alerts without one. */
  others: boolean;
}

export function passesSeverity(alert: Alert, { names, others }: SeverityRule): boolean {
  const name = severityNameOf(alert);
  if (name !== undefined && names.some((passed) => passed.toUpperCase() === name.toUpperCase())) return true;
  return severityOf(alert) === "OTHER" ? others : names.length === 0;
}
