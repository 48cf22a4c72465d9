// The settings of all nodes.
import { ACCOUNT } from "../../nodes/account/settings";
import { SITE_LIST } from "../../nodes/site-list/settings";
import { SITE_INFO } from "../../nodes/site-info/settings";
import { TELEMETRY_POLL } from "../../nodes/telemetry-poll/settings";
import { LATEST_VALUE } from "../../nodes/latest-value/settings";
import { RGM_READ } from "../../nodes/rgm-read/settings";
import { ALERTS } from "../../nodes/alerts/settings";
import { HISTORY } from "../../nodes/history/settings";
import { STATISTICS } from "../../nodes/statistics/settings";
import { TOTALS } from "../../nodes/totals/settings";
import { THRESHOLD } from "../../nodes/threshold/settings";
import { MQTT } from "../../nodes/mqtt/settings";
import { POINTS } from "../../nodes/points/settings";
import type { Settings } from "../../src/settings/table";

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
  totals: TOTALS,
  statistics: STATISTICS,
  threshold: THRESHOLD,
  mqtt: MQTT,
  points: POINTS,
} as const satisfies Record<string, Settings>;
