// What has happened between two looks at the open alerts: which were raised, which have changed, which are cleared.
import { isDeepStrictEqual } from "node:util";
import type { Alert } from "../models/alert";
import { alertKeyOf } from "../models/alert-reader";

export interface AlertChange {
  change: "raised" | "changed" | "cleared";
  alertKey: string;
  /** As it is; a cleared one as it was last. */
  alert: Alert;
}

/** Any difference is a change, the order of fields is none. Raised and changed ones come in the order of the service. */
export function alertChanges(known: readonly Alert[], present: readonly Alert[]): AlertChange[] {
  const before = byKey(known);
  const now = byKey(present);
  const changes: AlertChange[] = [];
  for (const [alertKey, alert] of now) {
    const old = before.get(alertKey);
    if (!old) changes.push({ change: "raised", alertKey, alert });
    else if (!isDeepStrictEqual(old, alert)) changes.push({ change: "changed", alertKey, alert });
  }
  for (const [alertKey, alert] of before)
    if (!now.has(alertKey)) changes.push({ change: "cleared", alertKey, alert });
  return changes;
}

/** An alert that the service lists twice is one; different ones that share a key are numbered, so that none is lost. */
function byKey(alerts: readonly Alert[]): Map<string, Alert> {
  const keyed = new Map<string, Alert>();
  for (const alert of alerts) {
    const key = alertKeyOf(alert);
    let free = key;
    for (let number = 2; keyed.has(free) && !isDeepStrictEqual(keyed.get(free), alert); number += 1)
      free = `${key}#${number}`;
    keyed.set(free, alert);
  }
  return keyed;
}
