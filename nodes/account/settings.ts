// Settings of the account.
import { errorText } from "../../src/errors";
import { choice, inUseWhen, number, type Settings, text } from "../../src/settings/table";
import {
  apiVersionFault,
  baseUrlFault,
  clientIdFault,
  DEFAULT_VERSION_HEADER,
  headerNameFault,
  PREVIEW_VERSION,
} from "../../src/settings/rules";
import { NAMED, MIN_DURATION } from "../shared/settings";

/** The simulated service does not need these; the dialog hides them. */
const CONNECTION = {
  baseUrl: text("account:label.baseUrl", { trimmed: true, variables: true, check: baseUrlFault }),
  clientId: text("account:label.clientId", { credential: "text", variables: true, check: clientIdFault }),
  clientSecret: text("account:label.clientSecret", {
    credential: "password",
    variables: true,
    check: (secret) => (secret === "" ? errorText("clientSecretMissing") : undefined),
  }),
  /** "" = PC2 sites only. */
  apiVersion: text("account:label.otherVersion", {
    default: PREVIEW_VERSION,
    variables: true,
    check: apiVersionFault,
  }),
  versionHeader: text("account:label.versionHeader", {
    default: DEFAULT_VERSION_HEADER,
    mayBeEmpty: true,
    variables: true,
    check: headerNameFault,
  }),
  // At most an hour, so that a request that hangs does not block its node for longer.
  timeout: number("account:label.timeout", { unit: "seconds", default: 30, min: MIN_DURATION, max: 3600 }),
  concurrency: number("account:label.concurrency", { default: 4, min: 1, max: 64, whole: true }),
  requestsPerMinute: number("account:label.requestsPerMinute", {
    unit: "perMinute",
    default: 0,
    min: 0,
    max: 60_000,
  }),
  tls: { kind: "node", type: "tls-config", required: false },
  proxy: { kind: "node", type: "http proxy", required: false },
} as const satisfies Settings;

export const ACCOUNT = {
  ...NAMED,
  service: choice("account:label.service", ["live", "demo"]),
  ...inUseWhen({ service: "live" }, CONNECTION),
} as const satisfies Settings;
