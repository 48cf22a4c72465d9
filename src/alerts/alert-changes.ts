// Compares the open alerts of two runs to find those raised, changed or cleared in between.
import { isDeepStrictEqual } from "node:util";
import { type Alert, isOver, severityNameOf, severityOf } from "../models/alert";
import { alertKeys, type KnownAlert } from "./alert-keys";

/** An open alert as stored until the next run. */
export interface OpenAlert extends KnownAlert {
  /** Whether the flow was notified of it, and so must be notified when it is cleared. */
  readonly isNotified: boolean;
}

export type AlertChangeKind = "raised" | "changed" | "cleared";

export interface AlertChange {
  change: AlertChangeKind;
  alertKey: string;
  /** As listed now; one that is no longer listed, as last seen. */
  alert: Alert;
}

/**
 * The changes to send, and the alerts that are open now. Any difference counts as a change, except in the order of fields.
 * A known alert that is listed as over is cleared and forgotten; an unknown one is ignored. Raised and changed alerts are in
 * the service's order, those that were cleared come last.
 * @param passes whether to notify the flow of an alert that it does not know yet
 * @param now milliseconds since the epoch
 */
export function alertChanges(
  known: readonly OpenAlert[],
  listed: readonly Alert[],
  passes: (alert: Alert) => boolean,
  now: number,
): { changes: AlertChange[]; open: OpenAlert[] } {
  const before = new Map(known.map((one) => [one.alertKey, one]));
  const keys = alertKeys(known, listed, now);
  const after = new Map(listed.map((alert, index) => [keys[index] ?? "", alert]));
  const changes: AlertChange[] = [];
  const open: OpenAlert[] = [];
  for (const [alertKey, alert] of after) {
    if (isOver(alert, now)) continue;
    const old = before.get(alertKey);
    if (old && isDeepStrictEqual(old.alert, alert)) {
      open.push(old);
      continue;
    }
    const isNotified = old?.isNotified === true || passes(alert);
    open.push({ alertKey, alert, isNotified });
    if (isNotified) changes.push({ change: old ? "changed" : "raised", alertKey, alert });
  }
  const stillOpen = new Set(open.map(({ alertKey }) => alertKey));
  for (const { alertKey, alert, isNotified } of known) {
    if (stillOpen.has(alertKey) || !(isNotified || passes(alert))) continue;
    changes.push({ change: "cleared", alertKey, alert: after.get(alertKey) ?? alert });
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
