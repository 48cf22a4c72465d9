// Compares the open alerts of two runs to find those raised, changed or cleared in between.
import { type Alert, isOver, newsOf, severityNameOf, severityOf } from "../models/alert";
import { alertKeys, type KnownAlert } from "./alert-keys";

/** An open alert as stored until the next run. */
export interface OpenAlert extends KnownAlert {
  /** Whether the flow was notified of it, and so must be notified when it is cleared. */
  readonly isNotified: boolean;
  /** Whether the last list was without it: one list may be too short. */
  readonly isMissing?: boolean;
}

export type AlertChangeKind = "raised" | "changed" | "cleared";

export interface AlertChange {
  change: AlertChangeKind;
  alertKey: string;
  /** As listed now; one that is no longer listed, as last seen. */
  alert: Alert;
}

/**
 * The changes to send, and the alerts that are open now. A known alert that is listed as over is cleared and forgotten, one that
 * is not listed only after two complete lists without it; one that is over and unknown is ignored. Raised and changed alerts are
 * in the service's order, those that were cleared come last.
 * @param passes whether to notify the flow of an alert that it does not know yet
 * @param now milliseconds since the epoch
 * @param isComplete whether every alert of the list could be read
 */
export function alertChanges(
  known: readonly OpenAlert[],
  listed: readonly Alert[],
  passes: (alert: Alert) => boolean,
  now: number,
  isComplete = true,
): { changes: AlertChange[]; open: OpenAlert[] } {
  const before = new Map(known.map((one) => [one.alertKey, one]));
  const keys = alertKeys(known, listed, now);
  const after = new Map(listed.map((alert, index) => [keys[index] ?? "", alert]));
  const changes: AlertChange[] = [];
  const open: OpenAlert[] = [];
  for (const [alertKey, alert] of after) {
    if (isOver(alert, now)) continue;
    const old = before.get(alertKey);
    const isNews = !old || newsOf(old.alert) !== newsOf(alert);
    const isNotified = old?.isNotified === true || (isNews && passes(alert));
    open.push({ alertKey, alert, isNotified });
    if (isNews && isNotified) changes.push({ change: old ? "changed" : "raised", alertKey, alert });
  }
  const stillOpen = new Set(open.map(({ alertKey }) => alertKey));
  for (const one of known) {
    const { alertKey, isNotified } = one;
    if (stillOpen.has(alertKey)) continue;
    const over = after.get(alertKey);
    const alert = over ?? one.alert;
    if (!over && !isComplete) open.push(one);
    else if (!over && one.isMissing !== true) open.push({ ...one, isMissing: true });
    else if (isNotified || passes(one.alert)) changes.push({ change: "cleared", alertKey, alert });
  }
  return { changes, open };
}

/**
 * Whether an alert passes a filter by severity. Unknown severities have a setting of their own, since the service may add more.
 * @param names of severities that pass, in any case; none = every known one
 * @param others whether unknown severities pass, too, and alerts without one
 */
export function passesSeverity(alert: Alert, names: readonly string[], others: boolean): boolean {
  const name = severityNameOf(alert)?.toUpperCase();
  if (names.some((passed) => passed.toUpperCase() === name)) return true;
  return severityOf(alert) === "OTHER" ? others : names.length === 0;
}
