// Gives each alert of a list its key: that of the known alert that it continues, or a new one.
import { canonicalJson } from "../canonical-json";
import { type Alert, alertNameOf, contentOf, isOver, lastingContentOf } from "../models/alert";

/** An alert of an earlier list, with its key. */
export interface KnownAlert {
  readonly alertKey: string;
  readonly alert: Alert;
}

/**
 * The keys of the alerts, in the same order. A known alert keeps its key. An alert listed twice has one key; different
 * alerts with the same name are numbered, so that none is lost. One that is over takes no key from one that is open.
 * @param now milliseconds since the epoch
 */
export function alertKeys(known: readonly KnownAlert[], listed: readonly Alert[], now: number): string[] {
  const byContent = listed.map((alert) => [contentOf(alert), alert] as const);
  // A known alert is continued by the most similar one; of equally similar ones, by one that is open.
  const openFirst = [...new Map(byContent)].toSorted(
    ([, one], [, other]) => Number(isOver(one, now)) - Number(isOver(other, now)),
  );
  const keys = new Map<string, string>();
  const left = new Set(known);
  for (const similarity of SIMILARITIES) {
    const queues = groupBy(left, ({ alert }) => similarity(alert));
    for (const [content, alert] of openFirst) {
      const continued = keys.has(content) ? undefined : queues.get(similarity(alert))?.next().value;
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

function groupBy<T>(items: Iterable<T>, textFor: (item: T) => string): Map<string, Iterator<T, undefined>> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const text = textFor(item);
    const group = groups.get(text);
    if (group) group.push(item);
    else groups.set(text, [item]);
  }
  return new Map([...groups].map(([text, group]) => [text, group.values()]));
}
