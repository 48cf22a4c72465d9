// What has happened between two looks at the open alerts: which were raised, which have changed, which are cleared.
import { isDeepStrictEqual } from "node:util";
import type { Alert } from "../models/alert";
import { alertNameOf } from "../models/alert-reader";

/** An open alert as it is kept until the next look. */
export interface OpenAlert {
  readonly alertKey: string;
  readonly alert: Alert;
  /** Whether the flow has heard of it: then it hears of its end, too. */
  readonly isTold: boolean;
}

export interface AlertChange {
  change: "raised" | "changed" | "cleared";
  alertKey: string;
  /** As it is; a cleared one as it was last. */
  alert: Alert;
}

/**
 * The changes to be told, and what is open now. Any difference is a change, the order of fields is none. Raised and changed
 * ones come in the order of the service.
 * @param passes whether an alert is told to a flow that has not heard of it yet
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
  const tell = (change: AlertChange["change"], alertKey: string, alert: Alert): boolean => {
    const isTold = before.get(alertKey)?.isTold === true || passes(alert);
    if (isTold) changes.push({ change, alertKey, alert });
    return isTold;
  };
  const open = [...now].map(([alertKey, alert]): OpenAlert => {
    const old = before.get(alertKey);
    if (old && isDeepStrictEqual(old.alert, alert)) return old;
    return { alertKey, alert, isTold: tell(old ? "changed" : "raised", alertKey, alert) };
  });
  for (const { alertKey, alert } of known) if (!now.has(alertKey)) tell("cleared", alertKey, alert);
  return { changes, open };
}

/**
 * The keys of the alerts, in their order. An alert keeps the key that it was known by. One that the service lists twice is
 * one; different ones of the same name are numbered, so that none is lost.
 */
export function alertKeys(known: readonly OpenAlert[], present: readonly Alert[]): string[] {
  const namesakes = new Map<string, OpenAlert[]>();
  for (const one of known) {
    const name = alertNameOf(one.alert);
    namesakes.set(name, [...(namesakes.get(name) ?? []), one]);
  }
  const taken = new Map<string, Alert>();
  const names = present.map(alertNameOf);
  // Those that are as they were come first, so that no other takes their key.
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
