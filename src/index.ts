// The public API of the package: the client, the models, and the types of the messages that the nodes send.
export type { Clock, RuntimeClock, TimeSource } from "./clock";
export {
  AbortedError,
  AuthError,
  ConfigError,
  EnergyError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorKey,
  type ErrorText,
  type HistoryRemaining,
  HttpError,
  InputError,
  NetworkError,
  RateLimitError,
  ResponseError,
  StoreError,
  SystemRequiredError,
  type TextValue,
  TimeoutError,
  type TimeRange,
  TimeRangeError,
} from "./errors";
export type { ConnectionSettings, ProxyChoice } from "./client/connection";
export type { RequestOptions } from "./client/auth/session";
export { DEFAULT_VERSION_HEADER, PREVIEW_VERSION } from "./settings/rules";
export {
  type ClientDiagnostics,
  createServiceClient,
  type ListOptions,
  type RecordQuery,
  type ServiceClient,
  type TelemetryQuery,
} from "./client/service-client";
export type * from "./messages/messages";
export type { Alert, SeverityClass } from "./models/alert";
export type { MeasuredGroup, Measurement } from "./models/measurements";
export type { RecordAnswer, UnreadableItem } from "./models/responses";
export type { ServiceObject } from "./models/service-object";
export type { Capabilities, Device, Site, System } from "./models/site";
export type {
  GridGroup,
  InverterGroup,
  IntervalRecord,
  MeterGroup,
  RgmRecord,
  StorageGroup,
  TelemetryRecord,
  TimedRecord,
} from "./models/telemetry";
