// How reading the service goes, in Home Assistant: the last successful run, the sites that fail, and whether all of them do.
import { setNewest } from "../../bounded-map";
import type { ErrorCode } from "../../errors";
import { MAX_DEVICES } from "../../limits";
import { energyOf, type FlowMessage } from "../../messages/reader";
import { isServiceObject } from "../../models/service-object";
import { isId } from "../../settings/rules";
import { isoTime, MINUTE } from "../../time-units";
import type { Device, Found } from "./device";
import { DIAGNOSTIC, type Entity, fieldEntity, MAX_LISTED, stateText } from "./entities";

const STATE = "bridge/state";

export const BRIDGE: readonly Entity[] = [
  fieldEntity("bridge_lastRun", STATE, "lastRun", { device_class: "timestamp", ...DIAGNOSTIC }),
  fieldEntity("bridge_failing", STATE, "failing", {
    ...DIAGNOSTIC,
    suggested_display_precision: 0,
    icon: "mdi:home-alert",
    json_attributes_template: "{{ {'sites': value_json.sites} | tojson }}",
  }),
  fieldEntity("bridge_problem", STATE, "problem", {
    platform: "binary_sensor",
    device_class: "problem",
    ...DIAGNOSTIC,
  }),
];

/** How often the last successful run is published while nothing else changes. */
const RUN_INTERVAL = MINUTE;

/** The kinds of messages from nodes that call the service. */
const KINDS: readonly unknown[] =
  "site-list site-info telemetry latest-value rgm alerts history totals".split(" ");

/** The faults of a message or of this machine, which say nothing about the service. */
const OTHER_FAULTS: readonly unknown[] = [
  "ENERGY_INPUT",
  "ENERGY_RANGE",
  "ENERGY_SYSTEM_REQUIRED",
  "ENERGY_STORE",
  "ENERGY_INTERNAL",
] satisfies ErrorCode[];

/** Whether a message is an error of this package, from a catch node. */
export function isFailure(message: FlowMessage): boolean {
  const { error } = energyOf(message);
  return isServiceObject(error) && typeof error["code"] === "string";
}

export class Bridge {
  /** The site of each read that has failed and not succeeded since, by kind, site and system. */
  readonly #failing = new Map<string, string>();

  /** Forgets the sites that no longer exist. */
  keep(exists: (siteId: string) => boolean): void {
    for (const [id, siteId] of this.#failing) if (!exists(siteId)) this.#failing.delete(id);
  }

  /**
   * What a message tells of how a read went, of one site or, without it, of the whole service: nothing before the first failure,
   * for the messages of failures may not be wired, and nothing that was published a moment ago. `now` in milliseconds.
   */
  found(message: FlowMessage, known: Device | undefined, now: number): Found[] {
    const { kind, error, reason } = energyOf(message);
    const hasFailed = isFailure(message);
    const isFault = isServiceObject(error) && OTHER_FAULTS.includes(error["code"]);
    if (!KINDS.includes(kind) || isFault || (!hasFailed && reason !== undefined)) return [];
    const { systemId } = message;
    const siteId = isId(message.siteId) ? message.siteId : undefined;
    const before = known?.states[STATE]?.payload;
    if (!before && !hasFailed) return [];
    const id = (system?: unknown): string => JSON.stringify([kind, siteId, system]);
    // It may have failed before its system was known.
    if (!hasFailed) for (const one of [id(), id(systemId)]) this.#failing.delete(one);
    else if (siteId !== undefined) setNewest(this.#failing, id(systemId), siteId, MAX_DEVICES);
    const isDown = hasFailed && (siteId === undefined || before?.["problem"] === "ON");
    const sites = [...new Set(this.#failing.values())];
    const payload = {
      lastRun: hasFailed ? (before?.["lastRun"] ?? null) : isoTime(now),
      failing: sites.length,
      problem: isDown ? "ON" : "OFF",
      sites: sites.slice(0, MAX_LISTED).map(stateText),
    };
    const last = Date.parse(String(before?.["lastRun"]));
    const isNews = JSON.stringify({ ...before, lastRun: 0 }) !== JSON.stringify({ ...payload, lastRun: 0 });
    if (!isNews && (hasFailed || Math.abs(now - last) < RUN_INTERVAL)) return [];
    return [{ profile: { entities: BRIDGE.map(({ key }) => key) }, states: { [STATE]: { payload } } }];
  }
}
