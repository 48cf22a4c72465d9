// Compares the open alerts of two runs to find those raised, changed or cleared in between: an alert that continues a known one has its key.
import { canonicalJson } from "../canonical-json";
import {
  type Alert,
  alertNameOf,
  contentOf,
  isOver,
  lastingContentOf,
  newsOf,
  severityNameOf,
  severityOf,
} from "../models/alert";

/** An open alert as stored until the next run. */
export interface OpenAlert {
  readonly alertKey: string;
  readonly alert: Alert;
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

/**
 * The keys of the alerts, in the same order. A known alert keeps its key. An alert listed twice has one key; different
 * alerts with the same name are numbered, so that none is lost. One that is over takes no key from one that is open.
 * @param now milliseconds since the epoch
 */
export function alertKeys(known: readonly OpenAlert[], listed: readonly Alert[], now: number): string[] {
  const byContent = listed.map((alert) => [contentOf(alert), alert] as const);
  // A known alert is continued by the most similar one; of equally similar ones, by one that is open.
  const openFirst = [...new Map(byContent)].toSorted(
    ([, one], [, other]) => Number(isOver(one, now)) - Number(isOver(other, now)),
  );
  const keys = new Map<string, string>();
  // The last one first: a queue is taken from its end.
  const left = new Set(known.toReversed());
  for (const similarity of SIMILARITIES) {
    const queues = new Map<string, OpenAlert[]>();
    for (const one of left) {
      const text = similarity(one.alert);
      const queue = queues.get(text);
      if (queue) queue.push(one);
      else queues.set(text, [one]);
    }
    for (const [content, alert] of openFirst) {
      const continued = keys.has(content) ? undefined : queues.get(similarity(alert))?.pop();
      if (!continued) continue;
      keys.set(content, continued.alertKey);
      left.delete(continued);
    }
  }
  addNewKeys(openFirst, keys, new Set(known.map(({ alertKey }) => alertKey)));
  return byContent.map(([content]) => keys.get(content) ?? "");
}

/** Alerts with the same text are similar; the more demanding kind of similarity comes first. */
const SIMILARITIES: readonly ((alert: Alert) => string)[] = [
  contentOf,
  (alert) => canonicalJson([alertNameOf(alert), lastingContentOf(alert)]),
  alertNameOf,
];

/** @param known keys that no new alert may have */
function addNewKeys(
  alerts: readonly (readonly [content: string, alert: Alert])[],
  keys: Map<string, string>,
  known: ReadonlySet<string>,
): void {
  const taken = new Set([...known, ...keys.values()]);
  const numbers = new Map<string, number>();
  for (const [content, alert] of alerts) {
    if (keys.has(content)) continue;
    const name = alertNameOf(alert);
    let number = numbers.get(name) ?? 1;
    const key = (): string => (number === 1 ? name : `${name}#${number}`);
    while (taken.has(key())) number += 1;
    keys.set(content, key());
    taken.add(key());
    numbers.set(name, number);
  }
}
