// Compares the open alerts of two runs to find those raised, changed or cleared in between: an alert that continues a known one has its key.
import { canonicalJson } from "../canonical-json";
import { inTurns } from "../loop-turns";
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
import { groupedBy } from "../objects";

/** An open alert as stored until the next run. */
export interface OpenAlert {
  readonly alertKey: string;
  readonly alert: Alert;
  /** Whether the flow was notified of it, and so must be notified when it is cleared. */
  readonly isNotified: boolean;
  /** Whether the last list was without it: one list may be too short. */
  readonly isMissing?: boolean;
}

export const ALERT_CHANGES = ["raised", "changed", "cleared"] as const;
export type AlertChangeKind = (typeof ALERT_CHANGES)[number];

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
export async function alertChanges(
  known: readonly OpenAlert[],
  listed: readonly Alert[],
  passes: (alert: Alert) => boolean,
  now: number,
  isComplete = true,
  signal?: AbortSignal,
): Promise<{ changes: AlertChange[]; open: OpenAlert[] }> {
  const before = new Map(known.map((one) => [one.alertKey, one]));
  const after = new Map(await keyedAlerts(known, listed, now, signal));
  const changes: AlertChange[] = [];
  const open: OpenAlert[] = [];
  const compare = ([alertKey, alert]: [string, Alert]): void => {
    if (isOver(alert, now)) return;
    const old = before.get(alertKey);
    const isNews = !old || newsOf(old.alert) !== newsOf(alert);
    const isNotified = old?.isNotified === true || (isNews && passes(alert));
    open.push({ alertKey, alert, isNotified });
    if (isNews && isNotified) changes.push({ change: old ? "changed" : "raised", alertKey, alert });
  };
  await inTurns(after, compare, signal);
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
 * The alerts in the same order, each with its key. A known alert keeps its key. An alert listed twice has one key; different
 * alerts with the same name are numbered, so that none is lost. One that is over takes no key from one that is open.
 * @param now milliseconds since the epoch
 */
export async function keyedAlerts(
  known: readonly OpenAlert[],
  listed: readonly Alert[],
  now: number,
  signal?: AbortSignal,
): Promise<[alertKey: string, alert: Alert][]> {
  const alerts = await comparable(listed, (alert) => alert, signal);
  // Sorted, so that alerts of one name have the same numbers in lists of another order.
  const unique = [...new Map(alerts.map((one) => [one.content, one])).values()].toSorted(byContent);
  // A known alert is continued by the most similar one; of equally similar ones, by one that is open.
  const open = new Set(unique.filter(({ item }) => !isOver(item, now)));
  const openFirst = [...open, ...unique.filter((one) => !open.has(one))];
  const keys = new Map<string, string>();
  // The last one first: a queue is taken from its end.
  const left = new Set((await comparable(known, ({ alert }) => alert, signal)).toReversed());
  for (const similarity of ["content", "lasting", "name"] as const) {
    const queues = groupedBy(left, (one) => one[similarity]);
    for (const one of openFirst) {
      const continued = keys.has(one.content) ? undefined : queues.get(one[similarity])?.pop();
      if (!continued) continue;
      keys.set(one.content, continued.item.alertKey);
      left.delete(continued);
    }
  }
  const taken = new Set(known.map(({ alertKey }) => alertKey));
  const numbers = new Map<string, number>();
  for (const { content, name } of openFirst) {
    if (keys.has(content)) continue;
    let number = numbers.get(name) ?? 1;
    const key = (): string => (number === 1 ? name : `${name}#${number}`);
    while (taken.has(key())) number += 1;
    keys.set(content, key());
    taken.add(key());
    numbers.set(name, number);
  }
  return alerts.map(({ content, item }) => [keys.get(content) ?? "", item]);
}

/** Alerts with the same text are similar; the more demanding kind of similarity comes first. */
interface Comparable<Item> {
  item: Item;
  content: string;
  lasting: string;
  name: string;
}

function byContent(one: Comparable<Alert>, other: Comparable<Alert>): number {
  if (one.lasting === other.lasting) return one.content < other.content ? -1 : 1;
  return one.lasting < other.lasting ? -1 : 1;
}

/** Makes the texts once, in turns: those of megabytes of alerts take seconds. */
async function comparable<Item>(
  items: readonly Item[],
  alertOf: (item: Item) => Alert,
  signal?: AbortSignal,
): Promise<Comparable<Item>[]> {
  const made: Comparable<Item>[] = [];
  const make = (item: Item): void => {
    const alert = alertOf(item);
    const name = alertNameOf(alert);
    const lasting = canonicalJson([name, lastingContentOf(alert)]);
    made.push({ item, content: contentOf(alert), lasting, name });
  };
  await inTurns(items, make, signal);
  return made;
}
