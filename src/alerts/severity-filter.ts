// Filters alerts by severity. Unknown severities have a setting of their own, since the service may add more.
import { type Alert, severityNameOf, severityOf } from "../models/alert";

export interface SeverityFilter {
  /** Severities that pass; empty = every known one. */
  names: string[];
  /** Whether unknown severities pass too, and alerts without one. */
  others: boolean;
}

/** Ignores case. */
export function passesSeverity(alert: Alert, { names, others }: SeverityFilter): boolean {
  const name = severityNameOf(alert);
  if (name !== undefined && names.some((passed) => passed.toUpperCase() === name.toUpperCase())) return true;
  return severityOf(alert) === "OTHER" ? others : names.length === 0;
}
