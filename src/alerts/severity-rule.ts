// Which alerts pass by their severity. Never by negation: a severity that is not known takes a branch of its own.
import type { Alert } from "../models/alert";
import { severityNameOf, severityOf } from "../models/alert-reader";

export interface SeverityRule {
  /** Names to pass; none = every known severity. */
  names: string[];
  /** Also pass severities that this version does not know, and alerts without one. */
  others: boolean;
}

export function passesSeverity(alert: Alert, { names, others }: SeverityRule): boolean {
  const name = severityNameOf(alert);
  if (name !== undefined && names.some((passed) => passed.toUpperCase() === name.toUpperCase())) return true;
  return severityOf(alert) === "OTHER" ? others : names.length === 0;
}
