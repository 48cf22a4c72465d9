// What is published: MQTT messages and their topics, the settings that decide which and how, and the messages of a record.
import type { SeriesAddress } from "../series/identity";
import type { MessageRecord } from "../messages/reader";
import { type Reading, readingsOf } from "../models/measurements";
import type { ServiceObject } from "../models/service-object";
import type { IntervalRecord } from "../models/telemetry";

/** One MQTT message. An empty payload with `retain` removes a retained message from the broker. */
export interface Publication {
  topic: string;
  payload: string;
  retain: boolean;
  /** The `msg.energy` of the record or totals that it carries. */
  energy?: ServiceObject | undefined;
}

/** Of the names of entities in Home Assistant. */
export const LANGUAGES = ["en", "de", "fr", "es", "ja", "zh-CN"] as const;
export type Language = (typeof LANGUAGES)[number];

export interface PublishRule {
  prefix: string;
  /** One message per record, or one per number in it. */
  layout: "json" | "values";
  /** Whether Home Assistant discovers the devices. */
  discovery: boolean;
  discoveryPrefix: string;
  language: Language;
  /** How old a record that counts as current may be at least, in milliseconds; it may be valid for longer. */
  expireAfter: number;
  retain: boolean;
  qos: 0 | 1 | 2;
}

export interface IncomingRecord extends MessageRecord {
  address: SeriesAddress;
  /** In confirmed delivery: a record that is resent has the same id. */
  delivery?: unknown;
}

/** How many messages a record becomes. */
export function publicationCount({ layout }: PublishRule, record: IntervalRecord): number {
  return layout === "json" ? 1 : Math.max(1, numbersIn(record).length);
}

function numbersIn(record: IntervalRecord): Reading[] {
  return readingsOf(record).filter(({ value }) => typeof value === "number");
}

/**
 * One message with the record as JSON, or one for each of its numbers. A record without numbers is published as its end
 * time, so that every record has a last message for the broker to confirm.
 */
export function recordPublications(
  { prefix, layout, retain }: PublishRule,
  incoming: Pick<IncomingRecord, "address" | "record" | "isLive"> & Pick<Publication, "energy">,
): Publication[] {
  const { address, record, isLive, energy } = incoming;
  const topic = `${seriesTopic(prefix, address)}/${isLive ? "live" : "backlog"}`;
  if (layout === "json") return [{ topic, payload: JSON.stringify(record), retain, energy }];
  const numbers = numbersIn(record);
  if (numbers.length === 0) return [{ topic: `${topic}/endTime`, payload: record.endTime, retain, energy }];
  return numbers.map(({ group, field, value }) => ({
    topic: `${topic}/${encodeURIComponent(group)}/${encodeURIComponent(field)}`,
    payload: String(value),
    retain,
    energy,
  }));
}

/** Stands for the system where there is none. */
const NO_SYSTEM = "site";

/** PREFIX/SITE/SYSTEM. A system whose id is `site` is escaped to tell it from no system. */
export function seriesTopic(prefix: string, { siteId, systemId }: SeriesAddress): string {
  const system = systemId === NO_SYSTEM ? "%73ite" : encodeURIComponent(systemId ?? NO_SYSTEM);
  return `${prefix}/${encodeURIComponent(siteId)}/${system}`;
}
