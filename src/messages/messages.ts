// The types of the messages that the nodes send, and of their `msg.energy`, for function nodes and other packages.
import type { AlertChangeKind } from "../alerts/alert-changes";
import type { NoValueReason, RecordPhase } from "../decisions/freshness";
import type { Decision, Edge } from "../decisions/threshold";
import type { ErrorCode, ErrorDetails, HistoryRemaining } from "../errors";
import type { CarriedLedger } from "../ledger/stored-ledger";
import type { Alert, SeverityClass } from "../models/alert";
import type { Basis } from "../models/measurements";
import type { ServiceObject } from "../models/service-object";
import type { Site, System } from "../models/site";
import type { IntervalRecord, RgmRecord, TelemetryRecord } from "../models/telemetry";
import type { SeriesNames } from "../series/identity";
import type { Quantity } from "../totals/energies";
import type { TotalsPayload } from "../totals/payload";
import type { ChartPoint, InfluxPoint, Row } from "./points";

export type { AlertChangeKind, Basis, CarriedLedger, ChartPoint, Decision, Edge, InfluxPoint };
export type { NoValueReason, RecordPhase, Row, SeriesNames, TotalsPayload };
export type { StoredGap, StoredLedger, StoredRecords } from "../ledger/stored-ledger";
export type { Reading } from "../models/measurements";
export type { Energies, Flow, Flows, Quantity } from "../totals/energies";
export type { Quality, Shares, TotalsPart } from "../totals/payload";
export type { Money } from "../totals/period-money";

export interface SiteListEnergy {
  kind: "site-list";
  /** Number of sites, or of systems if each is sent as a message. */
  count: number;
}

export interface SiteInfoEnergy {
  kind: "site-info";
  /** The distinct generations of the site's systems, as the service spells them. */
  generations: string[];
  /** Whether any system has a revenue-grade meter; absent if the service lists no devices. */
  hasRgm?: boolean;
  systemIds: string[];
}

/** What is known about a record. Times are ISO 8601, as the service wrote them. */
export interface RecordInfo {
  phase: RecordPhase;
  /** The same in every run: use it as a key so that no record is stored twice. */
  recordId: string;
  startTime: string;
  endTime: string;
  /** Until when it may be acted on; in UTC. */
  validUntil: string;
  /** Where the next poll of this system starts. */
  cursor: string;
  /** In confirmed delivery: return it to the node that sent it to confirm the message. */
  delivery?: string;
  /** Where ledgers travel: the one that is true once this message is delivered. */
  ledger?: CarriedLedger;
  /** Whether each group is measured on the AC or DC side; absent if the generation is unknown. */
  basis?: Readonly<Record<string, Basis>>;
}

/** What is known about the records of one message, and about all of it. */
export interface RecordsInfo extends Pick<RecordInfo, "cursor" | "delivery" | "ledger"> {
  /** In the order of the payload. */
  records: RecordInfo[];
}

/** Of a message that is not about records sent in order. */
export interface NoRecordInfo {
  phase?: never;
  records?: never;
}

export type TelemetryEnergy = { kind: "telemetry" } & SeriesNames & (RecordInfo | RecordsInfo);

/** Where ledgers travel: of the message that triggered a run, when it is done. */
export interface DoneEnergy {
  kind: "telemetry" | "rgm";
  /** The ledger as the run leaves it. */
  ledger: CarriedLedger;
}

/** Of the latest record, which may be old. */
export interface RecordAge extends Pick<RecordInfo, "startTime" | "endTime" | "validUntil"> {
  /** Seconds from the end of the record to now. */
  ageSeconds: number;
}

/** Without a record, none of its times. */
export interface LatestValueEnergy extends SeriesNames, Partial<RecordAge> {
  kind: "latest-value";
  /** Path of the value in the record; "" = the record itself. */
  path: string;
  /** Only on output 2. */
  reason?: NoValueReason;
  /** The one that the value is from. */
  record?: TelemetryRecord;
}

/** `hasRgm` is absent while it is not known. */
export type RgmEnergy = { kind: "rgm"; hasRgm?: boolean } & SeriesNames &
  (RecordInfo | RecordsInfo | NoRecordInfo | (NoRecordInfo & RecordAge));

/** On output 1 as for telemetry or rgm; on output 2, for progress, only the kind and the names. */
export type HistoryEnergy = { kind: "history" } & SeriesNames & (RecordInfo | RecordsInfo | NoRecordInfo);

/** On output 1 with a request; on output 2 without. */
export interface StatisticsEnergy {
  kind: "statistics";
  /** What comes back with it is the answer of Home Assistant. */
  request?: string;
}

/** Hours that were written for one statistic of Home Assistant. */
export interface StatisticsWritten {
  /** Its id. */
  series: string;
  hours: number;
  from: string;
  to: string;
  /** Hours that had another energy, or amount, before. */
  corrected: number;
}

/** What the Energy dashboard would get, in its own form; once saved, what Home Assistant finds wrong with it. */
export type DashboardSources =
  | { sources: readonly ServiceObject[] }
  | { saved: true; validation: ServiceObject };

export interface TotalsEnergy extends SeriesNames {
  kind: "totals";
  /** Such as `yesterday`, as the node is set; `day` for an earlier day that a schedule sends again. */
  period: string;
  /** What the parts are: `hour`, `day` or `month`; `none` for one total. */
  split: string;
  /** Of all energies: `kWh` or `Wh`. */
  unit: string;
  startTime: string;
  endTime: string;
  /** With hours: the lifetime counters at the end of each part, in Wh; absent are those that are not known. */
  counters?: Partial<Record<Quantity, number>>[];
  /** Rises when a period that was sent before comes again with other numbers. */
  revision: number;
}

export interface AlertInfo {
  severity: SeverityClass;
  /** The same in every run. */
  alertKey: string;
  /** False for an alert that is cleared, or listed as over: with a closing time, or a status that says so. */
  isOpen: boolean;
}

export interface AlertsEnergy {
  kind: "alerts";
  count: number;
  /** In the order of the payload. */
  alerts: AlertInfo[];
}

/** For one alert that was raised, changed or cleared. A cleared alert that is no longer listed is sent as last seen. */
export interface AlertChangeEnergy extends AlertInfo {
  kind: "alerts";
  change: AlertChangeKind;
}

/** An edge on output 1 or 2, a reason on output 3; `delivery` as on the incoming record. */
export type ThresholdEnergy = { kind: "threshold"; delivery?: string } & Decision;

/** As on the incoming record or totals; `delivery` only on the last message made from it. */
export type MqttEnergy = { kind: "mqtt"; hasRgm?: boolean } & SeriesNames &
  Partial<RecordInfo & RecordAge & Omit<TotalsEnergy, "kind">>;

export interface FailedEnergy {
  kind: string;
  /** What went wrong; `msg.error` has the text. */
  error: ErrorDetails & { code: ErrorCode };
}

export type MessageEnergy =
  | SiteListEnergy
  | SiteInfoEnergy
  | TelemetryEnergy
  | DoneEnergy
  | LatestValueEnergy
  | RgmEnergy
  | HistoryEnergy
  | TotalsEnergy
  | StatisticsEnergy
  | AlertsEnergy
  | AlertChangeEnergy
  | ThresholdEnergy
  | MqttEnergy
  | FailedEnergy;

/** The properties of every message from a node that calls the service, in addition to those of the incoming message. */
export interface EnergyMessage<Payload, Energy> {
  payload: Payload;
  energy: Energy;
  /** siteId, or siteId/systemId. */
  topic?: string;
  siteId?: string;
  systemId?: string;
}

export type SiteListMessage = EnergyMessage<Site[] | Site | System, SiteListEnergy>;
export type SiteInfoMessage = EnergyMessage<Site, SiteInfoEnergy>;
export type TelemetryMessage = EnergyMessage<TelemetryRecord | TelemetryRecord[], TelemetryEnergy>;
export type LatestValueMessage = EnergyMessage<unknown, LatestValueEnergy>;
export type RgmMessage = EnergyMessage<RgmRecord | RgmRecord[] | null, RgmEnergy>;

/** Progress of a history run; `done` and `total` count requests. */
export interface HistoryProgress {
  done: number;
  total: number;
  /** Records sent so far. */
  records: number;
  percent: number;
  /** The whole range was read. */
  finished: boolean;
  /** A message with `cancel: true` stopped the run. */
  cancelled: boolean;
  /** What a run that did not finish has left: pass it as `msg.payload` to go on there. With the system, where a run reads several. */
  remaining?: HistoryRemaining;
}

export type HistoryMessage = EnergyMessage<
  IntervalRecord | IntervalRecord[] | HistoryProgress,
  HistoryEnergy
>;
export type TotalsMessage = EnergyMessage<TotalsPayload, TotalsEnergy>;
/** Output 1: a command for the api node of Home Assistant's nodes; its answer comes back with `energy.request`. */
export type StatisticsMessage = EnergyMessage<{ protocol: "websocket"; data: object }, StatisticsEnergy>;
/** Output 2: what was written; for the topic `setup`, what the Energy dashboard would get, or has got. */
export type StatisticsWrittenMessage = EnergyMessage<StatisticsWritten | DashboardSources, StatisticsEnergy>;
export type AlertsMessage = EnergyMessage<Alert[], AlertsEnergy>;
export type AlertChangeMessage = EnergyMessage<Alert, AlertChangeEnergy>;
export type ThresholdMessage = EnergyMessage<unknown, ThresholdEnergy>;
/** For an mqtt out node with its topic, QoS and retain left empty. */
export type MqttMessage = EnergyMessage<string, MqttEnergy> & {
  topic: string;
  qos: 0 | 1 | 2;
  retain: boolean;
};
export type PointsMessage = EnergyMessage<InfluxPoint[] | string | Row[] | ChartPoint[], MessageEnergy>;
