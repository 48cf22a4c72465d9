// What the package adds to messages in `msg.energy`: `kind` tells them apart.
import type { AlertChangeKind } from "../alerts/alert-changes";
import type { NoValueReason, RecordPhase } from "../decisions/freshness";
import type { Edge } from "../decisions/threshold";
import type { ErrorCode, ErrorDetails } from "../errors";
import type { SeverityClass } from "../models/alert";
import type { Basis } from "../models/basis";
import type { TelemetryRecord } from "../models/telemetry";

export interface SiteListEnergy {
  kind: "site-list";
  /** Sites, or systems where a message is sent for each. */
  count: number;
}

export interface SiteInfoEnergy {
  kind: "site-info";
  /** The different generations of the site's systems, as the service names them. */
  generations: string[];
  /** Whether a system has a revenue-grade meter. */
  hasRgm: boolean;
  systemIds: string[];
}

/** What is known of a record. Times are ISO 8601, as the service wrote them. */
export interface RecordInfo {
  phase: RecordPhase;
  /** Identifies the record in every run: use it as a key where a record must not be stored twice. */
  recordId: string;
  startTime: string;
  endTime: string;
  /** Where the next poll of this system starts. */
  cursor: string;
  /** In confirmed delivery: return it to the node that sent it. */
  delivery?: string;
  /** Whether each group is measured on the AC or the DC side; absent where the generation is not known. */
  basis?: Readonly<Record<string, Basis>>;
}

/** What is known of several records in one message. */
export interface RecordsInfo {
  records: RecordInfo[];
  cursor: string;
  delivery?: string;
}

export type TelemetryEnergy = { kind: "telemetry" } & (RecordInfo | RecordsInfo);

export interface LatestValueEnergy {
  kind: "latest-value";
  /** Path of the value in the record; "" for the record itself. */
  path: string;
  /** Only on output 2. */
  reason?: NoValueReason;
  /** The record that the value is from, and its times; absent where there is none. */
  record?: TelemetryRecord;
  startTime?: string;
  endTime?: string;
  /** Seconds from the end of the record to now. */
  ageSeconds?: number;
}

export type RgmEnergy = { kind: "rgm"; hasRgm: boolean } & (
  RecordInfo | RecordsInfo | { phase?: never; records?: never }
);

/** Output 1 as telemetry or rgm; output 2, which reports the progress, has only the kind. */
export type HistoryEnergy = { kind: "history" } & (
  RecordInfo | RecordsInfo | { phase?: never; records?: never }
);

export interface AlertInfo {
  severity: SeverityClass;
  /** Identifies the alert in every run. */
  alertKey: string;
}

export interface AlertsEnergy {
  kind: "alerts";
  count: number;
  /** In the order of the payload. */
  alerts: AlertInfo[];
}

/** Of one alert that was raised, changed or cleared; a cleared one is sent as it was last. */
export interface AlertChangeEnergy extends AlertInfo {
  kind: "alerts";
  change: AlertChangeKind;
}

export type ThresholdEnergy = {
  kind: "threshold";
  /** The value that was decided on; null where there is none. */
  value: number | null;
} & ({ edge: Edge; reason?: never } | { reason: NoValueReason; edge?: never });

/** What the record came with; `delivery` only on the last of the messages that were made of one incoming message. */
export type MqttEnergy = { kind: "mqtt" } & Partial<RecordInfo>;

export interface FailedEnergy {
  kind: string;
  /** What went wrong; a catch node has the text in `msg.error`. */
  error: ErrorDetails & { code: ErrorCode };
}

export type MessageEnergy =
  | SiteListEnergy
  | SiteInfoEnergy
  | TelemetryEnergy
  | LatestValueEnergy
  | RgmEnergy
  | HistoryEnergy
  | AlertsEnergy
  | AlertChangeEnergy
  | ThresholdEnergy
  | MqttEnergy
  | FailedEnergy;
