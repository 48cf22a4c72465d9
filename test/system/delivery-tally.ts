// Compares arriving records with those that the service holds.
import { isDeepStrictEqual } from "node:util";
import type { TelemetryRecord } from "../../src/models/telemetry";
import type { ServiceRecords } from "../support/service-records";

export class Tally {
  /** The number of repeated arrivals. */
  repeated = 0;
  /** Ids whose record differs from the service's. */
  readonly wrong: string[] = [];
  readonly #arrived = new Set<string>();
  readonly #missing: Set<string>;

  constructor(private readonly expected: ServiceRecords) {
    this.#missing = new Set(expected.required);
  }

  /** The number of records that must still arrive. */
  get missing(): number {
    return this.#missing.size;
  }

  /** The total number of arrivals. */
  get count(): number {
    return this.#arrived.size + this.repeated;
  }

  add(recordId: string, record: TelemetryRecord): void {
    if (!isDeepStrictEqual(record, this.expected.all.get(recordId))) this.wrong.push(recordId);
    if (this.#arrived.has(recordId)) this.repeated += 1;
    this.#arrived.add(recordId);
    this.#missing.delete(recordId);
  }

  toString(): string {
    const { length } = this.expected.required;
    return `${length - this.missing} of ${length} records arrived, ${this.missing} missing, ${this.repeated} repeated`;
  }
}
