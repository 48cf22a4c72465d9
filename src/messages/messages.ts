// The types of the messages that the nodes send, for function nodes and other packages.
import type { Alert } from "../models/alert";
import type { Site, SiteDetails, System } from "../models/site";
import type { IntervalRecord, RgmRecord, TelemetryRecord } from "../models/telemetry";
import type {
  AlertChangeEnergy,
  AlertsEnergy,
  HistoryEnergy,
  LatestValueEnergy,
  MessageEnergy,
  MqttEnergy,
  RgmEnergy,
  SiteInfoEnergy,
  SiteListEnergy,
  TelemetryEnergy,
  ThresholdEnergy,
} from "./energy";
import type { ChartPoint, InfluxPoint } from "./points";

export type * from "./energy";
export type { ChartPoint, InfluxPoint } from "./points";
export type { AlertChangeKind } from "../alerts/alert-changes";
export type { NoValueReason, RecordPhase } from "../decisions/freshness";
export type { CarriedLedger } from "../ledger/carried-ledger";
export type { StoredLedger } from "../ledger/stored-ledger";
export type { Edge } from "../decisions/threshold";
export type { Basis, Reading } from "../models/measurements";

/** The properties of every message from a node that calls the service, besides those of the incoming message. */
export interface EnergyMessage<Payload, Energy> {
  payload: Payload;
  energy: Energy;
  /** siteId, or siteId/systemId. */
  topic?: string;
  siteId?: string;
  systemId?: string;
}

export type SiteListMessage = EnergyMessage<Site[] | Site | System, SiteListEnergy>;
export type SiteInfoMessage = EnergyMessage<SiteDetails, SiteInfoEnergy>;
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
}

export type HistoryMessage = EnergyMessage<
  IntervalRecord | IntervalRecord[] | HistoryProgress,
  HistoryEnergy
>;
export type AlertsMessage = EnergyMessage<Alert[], AlertsEnergy>;
export type AlertChangeMessage = EnergyMessage<Alert, AlertChangeEnergy>;
export type ThresholdMessage = EnergyMessage<unknown, ThresholdEnergy>;
/** For an mqtt out node with its topic, QoS and retain left empty. */
export type MqttMessage = EnergyMessage<string, MqttEnergy> & {
  topic: string;
  qos: 0 | 1 | 2;
  retain: boolean;
};
export type PointsMessage = EnergyMessage<InfluxPoint[] | ChartPoint[], MessageEnergy>;
export type RecordMessage = EnergyMessage<IntervalRecord | IntervalRecord[], TelemetryEnergy | RgmEnergy>;
