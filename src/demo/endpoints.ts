// The responses of the demo service's endpoints (service interface 4), as plain objects.
import { isInWindow } from "../ledger/window";
import type { IntervalRecord } from "../models/telemetry";
import { HOUR, MINUTE } from "../time-units";
import { listedAlerts, openAlerts } from "./alerts";
import { EnergyHistory, type Intervals, type Slot } from "./energy-history";
import { rgmRecord, stateOfCharge, telemetryRecord } from "./records";
import { badRequest, type Call, notFound, readFlag, readWindow, Refusal } from "./request";
import { siteView } from "./site-views";
import { SITES, type SitePlan, type SystemPlan } from "./sites";

/** Returns the record to publish, whose times may move by up to an hour; undefined if it does not exist (yet). */
export type Publish = (
  siteId: string,
  systemId: string,
  record: IntervalRecord,
) => IntervalRecord | undefined;

/** What records a site has. Durations in milliseconds. */
export interface RecordForm extends Intervals {
  /** From the end of a record until it can be read. */
  lag: number;
  /** Whether the record that is in progress is shown. */
  showsCurrent: boolean;
}

/** Every five minutes, by the clock (service interface 4.4 rule 3). */
const USUAL: RecordForm = { length: 5 * MINUTE, offset: 0, lag: 0, showsCurrent: false };

/** What a test changes. */
export interface EndpointOptions {
  publish?: Publish | undefined;
  /** How the records of a site differ from the usual ones. */
  records?: ((siteId: string) => Partial<RecordForm>) | undefined;
}

/** How far `publish` may move a record. */
const MAX_MOVE = HOUR;

/** Throws Refusal. */
export function answerTo(call: Call, options: EndpointOptions): unknown {
  const { path, pc1, now } = call;
  const [resource, id, detail] = path;
  if (path.length <= 3 && resource === "sites" && id !== undefined) return ofSite(id, detail, call, options);
  const visible = SITES.filter((site) => isVisible(site, pc1));
  if (path.length === 1 && resource === "sites") return { data: visible.map((site) => siteView(site)) };
  if (path.length === 1 && resource === "alerts")
    return { data: visible.flatMap((site) => listedAlerts(site, now)) };
  throw notFound("No such endpoint");
}

function ofSite(siteId: string, detail: string | undefined, call: Call, options: EndpointOptions): unknown {
  const { query, pc1, now } = call;
  switch (detail) {
    case undefined:
      return detailsOf(findSite(siteId, pc1), now);
    case "alerts":
      return { data: listedAlerts(findSite(siteId, pc1), now) };
    case "telemetry": {
      const includeInverter = readFlag(query, "includeInverter");
      return records(siteId, call, options, (system, slot) => telemetryRecord(system, slot, includeInverter));
    }
    case "rgm-telemetry":
      if (!pc1) throw badRequest("rgm-telemetry needs the version header");
      // Only PC1 systems with a METER have meter records (service interface 4.5).
      return records(siteId, call, options, ({ devices }, slot) =>
        devices["METER"] ? rgmRecord(slot) : undefined,
      );
    default:
      throw notFound("No such endpoint");
  }
}

async function detailsOf(site: SitePlan, now: number) {
  const charge = new Map<string, number>();
  for (const system of site.systems) {
    const history = await historyOf(site, system, now);
    if (system.battery) charge.set(system.systemId, stateOfCharge(system.battery, history.stored(now)));
  }
  return siteView(site, { now, alerts: openAlerts(site, now), stateOfCharge: charge });
}

async function records(
  siteId: string,
  { query, pc1, now }: Call,
  { publish, records: formOf }: EndpointOptions,
  make: (system: SystemPlan, slot: Slot) => IntervalRecord | undefined,
) {
  const site = findSite(siteId, pc1);
  const window = readWindow(query);
  const system = chooseSystem(site, query.get("systemId"));
  if (!system) return { data: [] };
  const form = { ...USUAL, ...formOf?.(siteId) };
  const move = publish ? MAX_MOVE : 0;
  // Nothing is known of the future.
  const known = { start: window.start - move, end: Math.min(window.end, now) + move };
  const history = await historyOf(site, system, Math.min(known.end + form.length, now + move));
  const data: IntervalRecord[] = [];
  for (const slot of history.between(known, form, now + move)) {
    const made = make(system, slot);
    const record = made && publish ? publish(siteId, system.systemId, made) : made;
    if (!record) continue;
    const times = { start: Date.parse(record.startTime), end: Date.parse(record.endTime) };
    // A record whose times cannot be read is where it would be if they could.
    const at = Number.isNaN(times.end) ? slot : times;
    const isCurrent = form.showsCurrent && at.start <= now && at.end > now;
    if (isInWindow(at, window) && (at.end + form.lag <= now || isCurrent)) data.push(record);
  }
  return { data };
}

/** By system: the same in every service, and long to compute. */
const histories = new Map<string, EnergyHistory>();

/** The history of a system, which can be read up to a time. */
async function historyOf(site: SitePlan, system: SystemPlan, until: number): Promise<EnergyHistory> {
  const history = histories.get(system.systemId) ?? new EnergyHistory(site, system);
  histories.set(system.systemId, history);
  await history.prepare(until);
  return history;
}

/** Without the version header, only PC2 sites and sites without systems are visible (service interface 4.2). */
function isVisible(site: SitePlan, pc1: boolean): boolean {
  return pc1 || site.systems.every(({ generation }) => generation === "PC2");
}

function findSite(siteId: string, pc1: boolean): SitePlan {
  const site = SITES.find((candidate) => candidate.siteId === siteId && isVisible(candidate, pc1));
  if (!site) throw notFound("No such site");
  return site;
}

/** Undefined if the site has no systems. */
function chooseSystem({ systems }: SitePlan, systemId: string | null): SystemPlan | undefined {
  if (systemId === null) {
    if (systems.length > 1)
      throw new Refusal(422, "SYSTEM_REQUIRED", "The site has several systems: specify a systemId");
    return systems[0];
  }
  const system = systems.find((candidate) => candidate.systemId === systemId);
  if (!system) throw notFound("The site has no such system");
  return system;
}
