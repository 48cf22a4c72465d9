// The messages that the nodes send, for authors of function nodes and of other packages: `msg.energy.kind` tells them apart.
import type { ErrorCode, ErrorDetails } from "../errors";
import type { Alert, SeverityClass } from "../models/alert";
import type { Site, SiteDetails, System } from "../models/site";
import type { IntervalRecord, RgmRecord, TelemetryRecord } from "../models/telemetry";
import type { AlertChange } from "../alerts/alert-changes";
import type { Basis } from "../models/basis";
import type { NoValueReason, RecordPhase } from "../decisions/freshness";
import type { ChartPoint, InfluxPoint } from "./points";
import type { Edge } from "../decisions/threshold";

export type { ChartPoint, InfluxPoint, NoValueReason };

/** What every message of a node that calls the service carries. */
export interface EnergyMessage<Payload, Energy> {
  payload: Payload;
  energy: Energy;
  /** siteId, or siteId/systemId. */
  topic?: string;
  siteId?: string;
  systemId?: string;
}

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

/** Where a record stands: times are ISO 8601 as the service wrote them. */
export interface RecordInfo {
  phase: RecordPhase;
  /** The same for the same record in every run: use it as a key where a record must not be stored twice. */
  recordId: string;
  startTime: string;
  endTime: string;
  /** Where the next poll of this system starts. */
  cursor: string;
  /** In confirmed delivery: hand it back to the node that sent it. */
  delivery?: string;
  /** Whether a group's measurements are of the AC or of the DC side; absent where the generation is not known. */
  basis?: Readonly<Record<string, Basis>>;
}

/** Of several records in one message. */
export interface RecordsInfo {
  records: RecordInfo[];
  cursor: string;
  delivery?: string;
}

export type TelemetryEnergy = { kind: "telemetry" } & (RecordInfo | RecordsInfo);

export interface LatestValueEnergy {
  kind: "latest-value";
  /** Path of the value in the record; "" = the record itself. */
  path: string;
  /** Only on output 2. */
  reason?: NoValueReason;
  /** The record that the value is from, with its times; absent where there is none. */
  record?: TelemetryRecord;
  startTime?: string;
  endTime?: string;
  /** Seconds from the record's end to the moment of reading. */
  ageSeconds?: number;
}

export type RgmEnergy = { kind: "rgm"; hasRgm: boolean } & (
  RecordInfo | RecordsInfo | { phase?: never; records?: never }
);

/** Output 1 as telemetry; output 2 tells the progress. */
export type HistoryEnergy = { kind: "history" } & (
  RecordInfo | RecordsInfo | { phase?: never; records?: never }
);

/** How far a history run has come, counted in requests. */
export interface HistoryProgress {
  done: number;
  total: number;
  /** Records sent so far. */
  records: number;
  percent: number;
  /** Everything was read. */
  finished: boolean;
  /** A message with `cancel` stopped the run. */
  cancelled: boolean;
}

export interface AlertInfo {
  severity: SeverityClass;
  /** The same for the same alert in every run. */
  alertKey: string;
}

export interface AlertsEnergy {
  kind: "alerts";
  count: number;
  /** In the order of the payload. */
  alerts: AlertInfo[];
}

/** Of one alert that was raised, has changed or is cleared; a cleared one is sent as it was last. */
export interface AlertChangeEnergy extends AlertInfo {
  kind: "alerts";
  change: AlertChange["change"];
}

export type ThresholdEnergy = {
  kind: "threshold";
  /** What was decided by; null where there is no value. */
  value: number | null;
} & ({ edge: Edge; reason?: never } | { reason: NoValueReason; edge?: never });

/** Beside the kind, what the record came with; `delivery` only on the last message of all that came in together. */
export type MqttEnergy = { kind: "mqtt" } & Partial<RecordInfo>;

export interface FailedEnergy {
  kind: string;
  /** What went wrong, beside the text that a catch node puts into `msg.error`. */
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

export type SiteListMessage = EnergyMessage<Site[] | Site | System, SiteListEnergy>;
export type SiteInfoMessage = EnergyMessage<SiteDetails, SiteInfoEnergy>;
export type TelemetryMessage = EnergyMessage<TelemetryRecord | TelemetryRecord[], TelemetryEnergy>;
export type LatestValueMessage = EnergyMessage<unknown, LatestValueEnergy>;
export type RgmMessage = EnergyMessage<RgmRecord | RgmRecord[] | null, RgmEnergy>;
export type HistoryMessage = EnergyMessage<
  IntervalRecord | IntervalRecord[] | HistoryProgress,
  HistoryEnergy
>;
export type AlertsMessage = EnergyMessage<Alert[], AlertsEnergy>;
export type AlertChangeMessage = EnergyMessage<Alert, AlertChangeEnergy>;
export type ThresholdMessage = EnergyMessage<unknown, ThresholdEnergy>;
/** For an mqtt out node whose own topic, QoS and retain are empty. */
export type MqttMessage = EnergyMessage<string, MqttEnergy> & {
  topic: string;
  qos: 0 | 1 | 2;
  retain: boolean;
};
export type PointsMessage = EnergyMessage<InfluxPoint[] | ChartPoint[], MessageEnergy>;
export type RecordMessage = EnergyMessage<IntervalRecord | IntervalRecord[], TelemetryEnergy | RgmEnergy>;
