// Every setting of every node, with its default, unit, range and check, for both dialogs and runtime.
import { ACCOUNT } from "./account";
import { SITE_LIST } from "./site-list";
import { SITE_INFO } from "./site-info";
import { TELEMETRY_POLL } from "./telemetry-poll";
import { LATEST_VALUE } from "./latest-value";
import { RGM_READ } from "./rgm-read";
import { ALERTS } from "./alerts";
import { HISTORY } from "./history";
import { THRESHOLD } from "./threshold";
import { MQTT } from "./mqtt";
import { POINTS } from "./points";
import type { Settings } from "../setting";

/** Keyed by the node's short name. */
export const SETTINGS = {
  account: ACCOUNT,
  "site-list": SITE_LIST,
  "site-info": SITE_INFO,
  "telemetry-poll": TELEMETRY_POLL,
  "latest-value": LATEST_VALUE,
  "rgm-read": RGM_READ,
  alerts: ALERTS,
  history: HISTORY,
  threshold: THRESHOLD,
  mqtt: MQTT,
  points: POINTS,
} as const satisfies Record<string, Settings>;
