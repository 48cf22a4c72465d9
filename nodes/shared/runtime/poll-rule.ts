// What the properties of a poll mean to the engine.
import { HOUR, MINUTE } from "../../../src/ledger/window";
import type { ConfirmRule } from "../../../src/polling/confirmed-delivery";
import type { PollRule } from "../../../src/polling/series-poller";
import type { SystemDef } from "./address";
import type { ServiceNodeDef } from "./service-node";
import { LONGEST_TIMER, numberSetting } from "./settings";

export interface RecordPollDef extends ServiceNodeDef, SystemDef {
  startFrom?: "now" | "hours";
  startHours?: number | string;
  output?: "record" | "batch";
  maxAge?: number | string;
  lookBack?: number | string;
  fillGaps?: boolean;
  gapHours?: number | string;
  store?: string;
  delivery?: "sent" | "confirmed";
  confirmTimeout?: number | string;
  maxUnconfirmed?: number | string;
}

/** Minutes: how often records come (service interface 4.4 rule 3). */
const USUAL_REPEAT = 5;
/** Ten years, in hours. */
const LONGEST_START = 3653 * 24;

/** Throws ConfigError. */
export function pollRule(config: RecordPollDef): PollRule {
  const hours = { label: "Start (hours before now)", fallback: 24, min: 0, max: LONGEST_START };
  const gapHours = numberSetting(config.gapHours, { label: "Ask again for (hours)", fallback: 72, min: 0 });
  // One that cannot be read is reported where the schedule begins.
  const repeat = Number(config.repeat) > 0 ? Number(config.repeat) : USUAL_REPEAT;
  return {
    maxAgeMinutes: numberSetting(config.maxAge, { label: "Fresh for (minutes)", fallback: 15, min: 0 }),
    lookBack: numberSetting(config.lookBack, { label: "Read again (minutes)", fallback: 0, min: 0 }) * MINUTE,
    gapHorizon: config.fillGaps === false ? 0 : gapHours * HOUR,
    gapPause: repeat * MINUTE,
    startBefore: config.startFrom === "hours" ? numberSetting(config.startHours, hours) * HOUR : undefined,
    isBatch: config.output === "batch",
  };
}

/** Undefined where what the flow has counts as delivered. Throws ConfigError. */
export function confirmRule(config: RecordPollDef): ConfirmRule | undefined {
  if (config.delivery !== "confirmed") return undefined;
  const seconds = numberSetting(config.confirmTimeout, {
    label: "Send again after (seconds)",
    fallback: 60,
    min: 0.001,
    max: LONGEST_TIMER,
  });
  const maxUnconfirmed = numberSetting(config.maxUnconfirmed, {
    label: "Wait at (unconfirmed records)",
    fallback: 100,
    min: 1,
  });
  return { confirmTimeoutMs: seconds * 1000, maxUnconfirmed };
}
