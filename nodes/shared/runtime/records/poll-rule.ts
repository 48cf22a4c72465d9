// Translates the settings of a poll into rules for the polling engine.
import { HOUR, MINUTE } from "../../../../src/time-units";
import type { ConfirmRule } from "../../../../src/polling/confirmed-delivery";
import type { PollRule } from "../../../../src/polling/poll-run";
import type { SettingValues } from "../../../../src/settings/kinds";
import type { RECORD_POLL, SCHEDULE } from "../../settings";
import type { SystemSettings } from "../series/selection";

export type RecordPollSettings = SystemSettings & SettingValues<typeof RECORD_POLL & typeof SCHEDULE>;

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

export function pollSettings(settings: RecordPollSettings): PollSettings {
  const rule: PollRule = {
    maxAgeMinutes: settings.maxAge,
    lookBack: settings.lookBack * MINUTE,
    gapHorizon: settings.fillGaps ? settings.gapHours * HOUR : 0,
    gapRetryDelay: (settings.repeat || USUAL_REPEAT) * MINUTE,
    startBefore: settings.startFrom === "hours" ? settings.startHours * HOUR : undefined,
    isBatch: settings.output === "batch",
  };
  const { confirmTimeout, maxUnconfirmed } = settings;
  const isConfirmed = settings.delivery === "confirmed";
  const confirmRule = isConfirmed ? { confirmTimeoutMs: confirmTimeout * 1000, maxUnconfirmed } : undefined;
  return { rule, confirmRule, store: settings.store, isCarried: settings.store === "message" };
}
