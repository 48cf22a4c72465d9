// A record as it arrives at the forwarder, and the messages of its own that it makes.
import type { IntervalRecord } from "../models/telemetry";
import type { Basis } from "../models/basis";
import type { RecordSource, SeriesAddress } from "../ledger/record-id";
import type { Publication, PublishRule } from "./publication";
import { readingsOf } from "./readings";
import { seriesTopic, topicLevel } from "./topics";

export interface Arrival {
  address: SeriesAddress;
  record: IntervalRecord;
  /** When the record ended, in milliseconds. */
  end: number;
  /** Whether it is of now; anything else is backlog. */
  isLive: boolean;
  /** AC or DC for each group, where it is known. */
  basis?: Readonly<Record<string, Basis>>;
  /** Comes again with a record of which nobody has said that it arrived. */
  delivery?: unknown;
}

export function sourceOf({ record }: Arrival): RecordSource {
  return "rgm" in record ? "rgm" : "telemetry";
}

/**
 * The record itself, or its numbers. A record without any is told by its end: so there is a last message for every
 * record, which a broker can confirm.
 */
export function recordPublications(
  { prefix, layout, retain }: PublishRule,
  { address, record, isLive }: Arrival,
): Publication[] {
  const topic = `${seriesTopic(prefix, address)}/${isLive ? "live" : "backlog"}`;
  if (layout === "json") return [{ topic, payload: JSON.stringify(record), retain }];
  const numbers = readingsOf(record).filter(({ value }) => typeof value === "number");
  if (numbers.length === 0) return [{ topic: `${topic}/endTime`, payload: record.endTime, retain }];
  return numbers.map(({ group, field, value }) => ({
    topic: `${topic}/${topicLevel(group)}/${topicLevel(field)}`,
    payload: String(value),
    retain,
  }));
}
