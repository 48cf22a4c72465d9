// Compares what has arrived with what the service holds.
import assert from "node:assert/strict";
import type { TelemetryRecord } from "../../src/models/telemetry";
import type { HeldRecords } from "./held-records";

export interface Arrival {
  recordId: string;
  record: TelemetryRecord;
}

export interface Tally {
  /** How many records must arrive. */
  owed: number;
  /** How many of them have not. */
  lost: number;
  /** Arrivals of records that had arrived before. */
  repeated: number;
}

/** Fails when a record that has arrived is not the one that the service holds under its id. */
export function tally({ held, owed }: HeldRecords, arrivals: Arrival[]): Tally {
  const arrived = new Set<string>();
  for (const { recordId, record } of arrivals) {
    assert.deepEqual(record, held.get(recordId), recordId);
    arrived.add(recordId);
  }
  return {
    owed: owed.length,
    lost: owed.filter((id) => !arrived.has(id)).length,
    repeated: arrivals.length - arrived.size,
  };
}

export function tallyText(mode: string, { owed, lost, repeated }: Tally): string {
  return `      delivery ${mode}: ${owed - lost} of ${owed} records arrived, ${lost} lost, ${repeated} repeated`;
}
