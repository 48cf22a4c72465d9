// Finds out what an incoming message is to the node: records, a list of sites, or Home Assistant that has started.
import type { NodeMessage } from "node-red";
import { InputError } from "../../src/errors";
import { describe, isServiceObject } from "../../src/models/service-object";
import type { ServiceObject, Site } from "../../src/models/site";
import { siteIdOf } from "../../src/models/site-reader";
import type { IntervalRecord } from "../../src/models/telemetry";
import { parseServiceTime } from "../../src/models/time";
import type { Arrival } from "../../src/mqtt/arrival";
import type { PublishRule } from "../../src/mqtt/publication";
import { isTopicLevel } from "../../src/mqtt/topics";
import type { Basis } from "../../src/models/basis";

/** A record, and what its own messages carry in `msg.energy`. */
export interface ArrivedRecord {
  arrival: Arrival;
  energy: ServiceObject;
}

/** What Home Assistant says of itself, `online` or `offline`; undefined for other messages. */
export function homeAssistantStatus(
  { topic, payload, energy }: NodeMessage,
  { discoveryPrefix }: PublishRule,
): string | undefined {
  if (topic !== `${discoveryPrefix}/status` || energy !== undefined) return undefined;
  return Buffer.isBuffer(payload) || typeof payload === "string" ? String(payload) : undefined;
}

/** The id that confirms all records of a message. */
export function deliveryOf({ energy }: NodeMessage): unknown {
  return isServiceObject(energy) ? energy["delivery"] : undefined;
}

/**
 * The sites of a site-list message, undefined for other messages; only a list of all of them is complete. An empty one is
 * rather a mistake somewhere than the end of all sites.
 */
export function sitesOf({
  energy,
  payload,
}: NodeMessage): { sites: Site[]; isComplete: boolean } | undefined {
  if (!isServiceObject(energy) || energy["kind"] !== "site-list") return undefined;
  const listed: unknown[] = Array.isArray(payload) ? payload : [payload];
  // A message of a single system names no site in its payload: there is nothing to learn from it.
  const sites = listed.filter((site): site is Site => isServiceObject(site) && siteIdOf(site as Site) !== "");
  return { sites, isComplete: Array.isArray(payload) && sites.length > 0 };
}

/** The records of a message, in order. Throws InputError when there is none, or when one cannot be published. */
export function recordsOf(message: NodeMessage): ArrivedRecord[] {
  const { payload } = message;
  const energy = isServiceObject(message["energy"]) ? message["energy"] : {};
  if (energy["kind"] === "latest-value" && energy["reason"] !== undefined)
    throw new InputError("recordStale");
  // A site without a revenue-grade meter has no latest record, and that is no mistake.
  if (energy["kind"] === "rgm" && payload === null) return [];
  const { records: infos, record: whole, path, delivery, ...shared } = energy;
  const address = addressOf(message);
  const isSeveral = Array.isArray(payload);
  const records: unknown[] = isSeveral ? payload : [path ? whole : payload];
  return records.map((record, index) => {
    const info: unknown = Array.isArray(infos) ? infos[index] : undefined;
    const own = { ...shared, ...(isServiceObject(info) ? info : {}) };
    const { phase, basis } = own;
    return {
      arrival: {
        address,
        ...readRecord(record),
        // What came alone and carries no phase is of now.
        isLive: phase === undefined ? !isSeveral : phase === "live",
        basis: readBasis(basis),
        // Once for all records of the message.
        delivery: index === 0 ? delivery : undefined,
      },
      energy: own,
    };
  });
}

function addressOf({ siteId, systemId }: NodeMessage): Arrival["address"] {
  if (!isTopicLevel(siteId)) throw new InputError("messageSite");
  if (systemId === undefined || systemId === "") return { siteId };
  if (isTopicLevel(systemId)) return { siteId, systemId };
  throw new InputError("messageSystem");
}

function readRecord(record: unknown): { record: IntervalRecord; end: number } {
  if (!isServiceObject(record)) {
    throw new InputError("recordMissing", { kind: describe(record) });
  }
  const end = parseServiceTime(record["endTime"]);
  if (end === undefined || parseServiceTime(record["startTime"]) === undefined)
    throw new InputError("recordTimes");
  return { record: record as IntervalRecord, end };
}

function readBasis(basis: unknown): Record<string, Basis> {
  const groups = isServiceObject(basis) ? Object.entries(basis) : [];
  return Object.fromEntries(
    groups.filter((entry): entry is [string, Basis] => entry[1] === "ac" || entry[1] === "dc"),
  );
}
