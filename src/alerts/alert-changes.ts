// Compares the open alerts of two runs: which were raised, changed or cleared in between.
import { isDeepStrictEqual } from "node:util";
import type { Alert } from "../models/alert";
import { alertNameOf } from "../models/alert-reader";

/** An open alert as it is stored until the next run. */
export interface OpenAlert {
  readonly alertKey: string;
  readonly alert: Alert;
  /** Whether the flow was notified of it; only then it is notified of the end. */
  readonly isNotified: boolean;
}

export type AlertChangeKind = "raised" | "changed" | "cleared";

export interface AlertChange {
  change: AlertChangeKind;
  alertKey: string;
  /** The present alert; a cleared one as it was last. */
  alert: Alert;
}

/**
 * The changes to notify the flow of, and what is open now. Any difference is a change, except for the order of fields.
 * Raised and changed alerts are in the order of the service.
 * @param passes whether a flow that was not notified of an alert yet is to be
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
 * The keys of the alerts, in their order. A known alert keeps its key. An alert that the service lists twice has one key;
 * different alerts of the same name are numbered, so that none is lost.
 */
export function alertKeys(known: readonly OpenAlert[], present: readonly Alert[]): string[] {
  const namesakes = new Map<string, OpenAlert[]>();
  for (const one of known) {
    const name = alertNameOf(one.alert);
    namesakes.set(name, [...(namesakes.get(name) ?? []), one]);
  }
  const taken = new Map<string, Alert>();
  const names = present.map(alertNameOf);
  // Unchanged alerts come first, so that no other takes their key.
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
