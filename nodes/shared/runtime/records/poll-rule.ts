// Translates the settings of a poll into rules for the polling engine.
import type { Node, NodeAPI } from "node-red";
import { HOUR, MINUTE } from "../../../../src/time-units";
import type { ConfirmRule } from "../../../../src/polling/confirmed-delivery";
import type { PollRule } from "../../../../src/polling/poll-run";
import type { StoredSettings } from "../../../../src/settings/setting";
import { RECORD_POLL } from "../../settings";
import type { SystemDef } from "../series/address";
import type { ServiceNodeDef } from "../service/service-node";
import { readSettings } from "../base/settings";

export type RecordPollDef = ServiceNodeDef & SystemDef & StoredSettings<typeof RECORD_POLL>;

export interface PollSettings {
  rule: PollRule;
  /** Undefined if records count as delivered once they are sent. */
  confirmRule: ConfirmRule | undefined;
  /** The name of the store. */
  store: string;
  /** Whether the ledger travels in messages, so that nothing is stored. */
  isCarried: boolean;
}

/** Minutes: how often records come (service interface 4.4 rule 3). */
const USUAL_REPEAT = 5;

/** Throws ConfigError. */
export function pollSettings(RED: NodeAPI, node: Node, config: RecordPollDef): PollSettings {
  const settings = readSettings(RED, node, RECORD_POLL, config);
  // An invalid repeat is reported when the schedule starts.
  const repeat = Number(config.repeat) > 0 ? Number(config.repeat) : USUAL_REPEAT;
  const rule: PollRule = {
    maxAgeMinutes: settings.maxAge,
    lookBack: settings.lookBack * MINUTE,
    gapHorizon: settings.fillGaps ? settings.gapHours * HOUR : 0,
    gapRetryDelay: repeat * MINUTE,
    startBefore: settings.startFrom === "hours" ? settings.startHours * HOUR : undefined,
    isBatch: settings.output === "batch",
  };
  const { confirmTimeout, maxUnconfirmed } = settings;
  const isConfirmed = settings.delivery === "confirmed";
  const confirmRule = isConfirmed ? { confirmTimeoutMs: confirmTimeout * 1000, maxUnconfirmed } : undefined;
  return { rule, confirmRule, store: settings.store, isCarried: settings.store === "message" };
}
