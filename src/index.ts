// The public face of the package: the client, the models, and the types of the messages that the nodes send.
export * from "./errors";
export {
  type ConnectionSettings,
  DEFAULT_VERSION_HEADER,
  PREVIEW_VERSION,
  type ProxyChoice,
} from "./client/connection";
export {
  createServiceClient,
  type RecordQuery,
  type RequestOptions,
  type ServiceClient,
  type TelemetryQuery,
} from "./client/service-client";
export type * from "./messages/messages";
export type * from "./models/alert";
export type * from "./models/site";
export type * from "./models/telemetry";
