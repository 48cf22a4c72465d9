// A record that is to be published, and the messages of the record itself.
import type { SeriesAddress } from "../ledger/record-id";
import type { Basis } from "../models/basis";
import { type Reading, readingsOf } from "../models/readings";
import type { IntervalRecord } from "../models/telemetry";
import type { Publication, PublishRule } from "./publication";
import { isTopicLevel, seriesTopic, topicLevel } from "./topics";

export interface IncomingRecord {
  address: SeriesAddress;
  record: IntervalRecord;
  /** When the record ended, in milliseconds. */
  end: number;
  /** Whether it is current; anything else is backlog. */
  isLive: boolean;
  /** AC or DC for each group where it is known. */
  basis?: Readonly<Record<string, Basis>>;
  /** The same id comes with a record that is sent again because nothing confirmed it. */
  delivery?: unknown;
}

/**
 * The record as JSON, or a message for each of its numbers. A record without numbers is published by its end, so that every
 * record has a last message that a broker can confirm.
 */
export function recordPublications(
  { prefix, layout, retain }: PublishRule,
  { address, record, isLive }: IncomingRecord,
): Publication[] {
  const topic = `${seriesTopic(prefix, address)}/${isLive ? "live" : "backlog"}`;
  if (layout === "json") return [{ topic, payload: JSON.stringify(record), retain }];
  const numbers = readingsOf(record).filter(isPublishable);
  if (numbers.length === 0) return [{ topic: `${topic}/endTime`, payload: record.endTime, retain }];
  return numbers.map(({ group, field, value }) => ({
    topic: `${topic}/${topicLevel(group)}/${topicLevel(field)}`,
    payload: String(value),
    retain,
  }));
}

function isPublishable({ group, field, value }: Reading): boolean {
  return typeof value === "number" && isTopicLevel(group) && isTopicLevel(field);
}
