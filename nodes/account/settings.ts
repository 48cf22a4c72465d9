// Settings of the account.
import {
  apiVersionFault,
  clientIdFault,
  clientSecretFault,
  DEFAULT_VERSION_HEADER,
  headerNameFault,
  PREVIEW_VERSION,
} from "../../src/settings/header";
import type { Settings } from "../../src/settings/setting";
import { baseUrlFault } from "../../src/settings/url";
import { NAMED, MIN_DURATION } from "../shared/settings";

/** Settings that the simulated service does not need; the dialog hides them. */
const LIVE = { service: "live" } as const;

export const ACCOUNT = {
  ...NAMED,
  service: {
    kind: "choice",
    label: "account:label.service",
    choices: ["live", "demo"],
    default: "live",
  },
  baseUrl: {
    kind: "text",
    label: "account:label.baseUrl",
    default: "",
    trimmed: true,
    variables: true,
    check: baseUrlFault,
    when: LIVE,
  },
  clientId: {
    kind: "text",
    label: "account:label.clientId",
    default: "",
    credential: "text",
    variables: true,
    check: clientIdFault,
    when: LIVE,
  },
  clientSecret: {
    kind: "text",
    label: "account:label.clientSecret",
    default: "",
    credential: "password",
    variables: true,
    check: clientSecretFault,
    when: LIVE,
  },
  apiVersion: {
    kind: "text",
    label: "account:label.otherVersion",
    // A new account reads all sites. Empty means PC2 only, in a flow that lacks it too.
    default: PREVIEW_VERSION,
    absent: "",
    variables: true,
    check: apiVersionFault,
    when: LIVE,
  },
  versionHeader: {
    kind: "text",
    label: "account:label.versionHeader",
    default: DEFAULT_VERSION_HEADER,
    mayBeEmpty: true,
    variables: true,
    check: headerNameFault,
    when: LIVE,
  },
  // At most an hour, so that a request that hangs does not block its node for longer.
  timeout: {
    kind: "number",
    label: "account:label.timeout",
    unit: "seconds",
    default: 30,
    min: MIN_DURATION,
    max: 3600,
    when: LIVE,
  },
  concurrency: {
    kind: "number",
    label: "account:label.concurrency",
    default: 4,
    min: 1,
    max: 64,
    whole: true,
    when: LIVE,
  },
  requestsPerMinute: {
    kind: "number",
    label: "account:label.requestsPerMinute",
    unit: "perMinute",
    default: 0,
    min: 0,
    max: 60_000,
    when: LIVE,
  },
  tls: { kind: "node", type: "tls-config", required: false, when: LIVE },
  proxy: { kind: "node", type: "http proxy", required: false, when: LIVE },
} as const satisfies Settings;
