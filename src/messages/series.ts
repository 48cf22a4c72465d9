// The record series of the service: how each is requested and recognized. Add new ones here.
import type { RequestOptions, ServiceClient, TelemetryQuery } from "../client/service-client";
import type { SourceName } from "../series/identity";
import type { RecordAnswer } from "../models/responses";
import type { IntervalRecord } from "../models/telemetry";

interface Series {
  /** Whether every request needs PC1 behavior. */
  needsPc1: boolean;
  /** Requests at most 24 hours of records. Rejects as the service client does. */
  read: (client: ServiceClient, query: TelemetryQuery, options?: RequestOptions) => Promise<RecordAnswer>;
}

export const SERIES: Readonly<Record<SourceName, Series>> = {
  telemetry: {
    needsPc1: false,
    read: (client, query, options) => client.telemetry(query, options),
  },
  rgm: {
    needsPc1: true,
    // The meter has no inverter to include.
    read: (client, { includeInverter: _unused, ...query }, options) => client.rgmTelemetry(query, options),
  },
};

/** The series that a record belongs to: only those of the meter have its group. */
export function sourceOf(record: IntervalRecord): SourceName {
  return "rgm" in record ? "rgm" : "telemetry";
}

/** The series whose records have this group. */
export function sourceOfGroup(group: string): SourceName {
  return group === "rgm" ? "rgm" : "telemetry";
}
