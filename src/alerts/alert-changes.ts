// Compares the open alerts of two runs to find those raised, changed or cleared in between.
import { isDeepStrictEqual } from "node:util";
import type { Alert } from "../models/alert";
import { alertNameOf } from "../models/alert-reader";

/** An open alert as stored until the next run. */
export interface OpenAlert {
  readonly alertKey: string;
  readonly alert: Alert;
  /** Whether the flow was notified of it, and so must be notified when it is cleared. */
  readonly isNotified: boolean;
}

export type AlertChangeKind = "raised" | "changed" | "cleared";

export interface AlertChange {
  change: AlertChangeKind;
  alertKey: string;
  /** The current alert, or a cleared one as last seen. */
  alert: Alert;
}

/**
 * The changes to send, and the alerts that are open now. Any difference counts as a change, except in the order of fields.
 * Raised and changed alerts are in the service's order.
 * @param passes whether to notify the flow of an alert that it does not know yet
 */
export function alertChanges(
  known: readonly OpenAlert[],
  present: readonly Alert[],
  passes: (alert: Alert) => boolean,
): { changes: AlertChange[]; open: OpenAlert[] } {
  const before = new Map(known.map((one) => [one.alertKey, one]));
  const keys = alertKeys(known, present);
  const now = new Map(present.map((alert, index) => [keys[index] ?? "", alert]));
  const changes: AlertChange[] = [];
  const notify = (change: AlertChangeKind, alertKey: string, alert: Alert): boolean => {
    const isNotified = before.get(alertKey)?.isNotified === true || passes(alert);
    if (isNotified) changes.push({ change, alertKey, alert });
    return isNotified;
  };
  const open = [...now].map(([alertKey, alert]): OpenAlert => {
    const old = before.get(alertKey);
    if (old && isDeepStrictEqual(old.alert, alert)) return old;
    return { alertKey, alert, isNotified: notify(old ? "changed" : "raised", alertKey, alert) };
  });
  for (const { alertKey, alert } of known) if (!now.has(alertKey)) notify("cleared", alertKey, alert);
  return { changes, open };
}

/**
 * The keys of the alerts, in the same order. A known alert keeps its key. An alert listed twice has one key; different
 * alerts with the same name are numbered, so that none is lost.
 */
export function alertKeys(known: readonly OpenAlert[], present: readonly Alert[]): string[] {
  const namesakes = new Map<string, OpenAlert[]>();
  for (const one of known) {
    const name = alertNameOf(one.alert);
    namesakes.set(name, [...(namesakes.get(name) ?? []), one]);
  }
  const taken = new Map<string, Alert>();
  const names = present.map(alertNameOf);
  // Unchanged alerts go first, so that no other alert takes their key.
  const unchanged = present.map((alert, index) => {
    const same = namesakes.get(names[index] ?? "")?.find((one) => isDeepStrictEqual(one.alert, alert));
    if (same) taken.set(same.alertKey, alert);
    return same?.alertKey;
  });
  return present.map((alert, index) => {
    const name = names[index] ?? "";
    const key = unchanged[index] ?? freeKey(alert, name, namesakes.get(name) ?? [], taken);
    taken.set(key, alert);
    return key;
  });
}

function freeKey(
  alert: Alert,
  name: string,
  namesakes: readonly OpenAlert[],
  taken: ReadonlyMap<string, Alert>,
): string {
  const isFree = (key: string): boolean => !taken.has(key) || isDeepStrictEqual(taken.get(key), alert);
  const changed = namesakes.find(({ alertKey }) => isFree(alertKey));
  if (changed) return changed.alertKey;
  let key = name;
  for (let number = 2; !isFree(key); number += 1) key = `${name}#${number}`;
  return key;
}
