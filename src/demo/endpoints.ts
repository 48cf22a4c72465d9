// The responses of the demo service's endpoints (service interface 4), as plain objects.
import type { IncomingMessage } from "node:http";
import { PREVIEW_VERSION } from "../settings/rules";
import { MAX_WINDOW, type TimeWindow } from "../time-units";
import { parseUserTime } from "../models/time";
import type { IntervalRecord } from "../models/telemetry";
import { listedAlerts, openAlerts } from "./alerts";
import { EnergyHistory, SLOT, type Slot, slotBetween } from "./energy-history";
import { SITES, type SitePlan, type SystemPlan } from "./sites";
import { deviceViews, rgmRecord, siteView, stateOfCharge, telemetryRecord } from "./views";

/** A response with another status than 200. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const badRequest = (message: string) => new Refusal(400, "BAD_REQUEST", message);
const notFound = (message: string) => new Refusal(404, "NOT_FOUND", message);

/** A request for the records of a system, and how they are made. Times in milliseconds. */
export interface DemoQuery {
  siteId: string;
  systemId: string;
  window: TimeWindow;
  now: number;
  history: EnergyHistory;
  make: (slot: Slot) => IntervalRecord;
}

export type DemoRecords = (query: DemoQuery) => IntervalRecord[];

/** Every five minutes, by the clock, as soon as they have ended (service interface 4.4 rule 3). */
const endedRecords: DemoRecords = ({ window, now, history, make }) => {
  const records: IntervalRecord[] = [];
  let start = Math.floor(window.start / SLOT) * SLOT;
  let before = history.at(start);
  for (let end = start + SLOT; start < window.end && end <= now; end += SLOT) {
    const after = history.at(end);
    const slot = slotBetween({ start, end }, before, after);
    if (slot) records.push(make(slot));
    [start, before] = [end, after];
  }
  return records;
};

/** The only one. */
export const TOKEN = "demo-token";

/** Resolves to the body of the response; does not check tokens. Rejects with Refusal. */
export async function answerTo(
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
  now: number,
  recordsOf = endedRecords,
): Promise<unknown> {
  // Not parsed as a URL, which would resolve dots that a client forgot to encode.
  const [path = "", search] = url.split("?", 2);
  const [, version, resource, siteId, detail, ...rest] = path.split("/").map(decodeURIComponent);
  if (version !== "v1" || rest.length > 0) throw notFound("No such endpoint");
  const query = new URLSearchParams(search);
  // Without the version header, only PC2 sites and sites without systems are visible (service interface 4.2).
  const isPc1 = headers["vendorapi-version"] === PREVIEW_VERSION;
  const visible = SITES.filter(
    ({ systems }) => isPc1 || systems.every(({ generation }) => generation === "PC2"),
  );
  if (siteId === undefined) return ofAccount(resource, visible, now);
  const site = visible.find((candidate) => candidate.siteId === siteId);
  if (resource !== "sites" || !site) throw notFound("No such site");
  for (const system of site.systems) await historyOf(site, system).prepare(now);

  const records = (make: (system: SystemPlan) => DemoQuery["make"] | undefined) => {
    const window = readWindow(query);
    const system = chooseSystem(site, query.get("systemId"));
    const makeRecord = system && make(system);
    if (!makeRecord) return { data: [] };
    const { systemId } = system;
    const history = historyOf(site, system);
    return { data: recordsOf({ siteId, systemId, window, now, history, make: makeRecord }) };
  };
  switch (detail) {
    case undefined:
      return siteView(site, (system) => {
        const { stored } = historyOf(site, system).at(now) ?? { stored: 0 };
        const charge = system.battery ? stateOfCharge(system.battery, stored) : 0;
        return deviceViews(system, now, openAlerts(site, now), charge);
      });
    case "alerts":
      return { data: listedAlerts(site, now) };
    case "telemetry": {
      const withInverter = query.get("includeInverter") === "true";
      return records((system) => (slot) => telemetryRecord(system, slot, withInverter));
    }
    case "rgm-telemetry":
      // Only PC1 systems with a METER have meter records (service interface 4.5).
      return records(({ devices }) => (devices["METER"] ? rgmRecord : undefined));
    default:
      throw notFound("No such endpoint");
  }
}

function ofAccount(resource: string | undefined, visible: readonly SitePlan[], now: number): unknown {
  switch (resource) {
    case "auth":
      return { access_token: TOKEN, token_type: "Bearer", expires_in: 3600 };
    case "sites":
      return { data: visible.map((site) => siteView(site)) };
    case "alerts":
      return { data: visible.flatMap((site) => listedAlerts(site, now)) };
    default:
      throw notFound("No such endpoint");
  }
}

/** The time window of a request (service interface 4.4). */
function readWindow(query: URLSearchParams): TimeWindow {
  const [start, end] = ["startTime", "endTime"].map((name) => parseUserTime(query.get(name)));
  if (start === undefined || end === undefined)
    throw badRequest("startTime and endTime must be ISO 8601 timestamps with an offset");
  if (end <= start) throw badRequest("endTime must be after startTime");
  if (end - start > MAX_WINDOW) throw badRequest("The range is longer than 24 hours");
  return { start, end };
}

/** By system: the same in every service, and long to compute. */
const histories = new Map<string, EnergyHistory>();

function historyOf(site: SitePlan, system: SystemPlan): EnergyHistory {
  const history = histories.get(system.systemId) ?? new EnergyHistory(site, system);
  histories.set(system.systemId, history);
  return history;
}

/** Undefined if the site has no systems. */
function chooseSystem({ systems }: SitePlan, systemId: string | null): SystemPlan | undefined {
  if (systemId === null && systems.length > 1)
    throw new Refusal(422, "SYSTEM_REQUIRED", "The site has several systems: specify a systemId");
  if (systemId === null) return systems[0];
  const system = systems.find((candidate) => candidate.systemId === systemId);
  if (!system) throw notFound("The site has no such system");
  return system;
}
