// The responses of the demo service's endpoints (service interface 4), as plain objects.
import type { IntervalRecord } from "../models/telemetry";
import { listedAlerts, openAlerts } from "./alerts";
import { EnergyHistory, type Slot } from "./energy-history";
import { rgmRecord, stateOfCharge, telemetryRecord } from "./records";
import { badRequest, notFound, Refusal } from "./refusal";
import { siteDetailsView, siteView } from "./site-views";
import { SITES, type SitePlan, type SystemPlan } from "./sites";
import { SLOT_MS } from "./units";
import { inWindow, readWindow } from "./window";

/** Lets tests change what is published. */
export interface RecordHooks {
  /** Returns false to leave a record out, as if it did not exist (yet). */
  isPublished?: (
    siteId: string,
    systemId: string | undefined,
    record: { startTime: string; endTime: string },
  ) => boolean;
  /** Returns the record to publish; its times may move by up to an hour. */
  transformRecord?: (siteId: string, systemId: string, record: IntervalRecord) => IntervalRecord;
}

/** An authenticated request. */
export interface Call {
  query: URLSearchParams;
  /** Whether the version header opts in to PC1 (service interface 9). */
  pc1: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** How far `transformRecord` may move a record. */
const MOVE_MS = 12 * SLOT_MS;

export class Endpoints {
  readonly #hooks: RecordHooks;
  readonly #histories = new Map<string, EnergyHistory>();

  constructor(hooks: RecordHooks) {
    this.#hooks = hooks;
  }

  sites({ pc1 }: Call) {
    return { data: SITES.filter((site) => isVisible(site, pc1)).map(siteView) };
  }

  async site(siteId: string, { pc1, now }: Call) {
    const site = findSite(siteId, pc1);
    const charge = new Map<string, number>();
    for (const system of site.systems) {
      const history = await this.#history(site, system, now);
      if (system.battery) charge.set(system.systemId, stateOfCharge(system.battery, history.newest(now)));
    }
    return siteDetailsView(site, { now, alerts: openAlerts(site, now), stateOfCharge: charge });
  }

  telemetry(siteId: string, call: Call) {
    const includeInverter = readFlag(call.query, "includeInverter");
    return this.#records(siteId, call, (system, slot) => telemetryRecord(system, slot, includeInverter));
  }

  rgmTelemetry(siteId: string, call: Call) {
    if (!call.pc1) throw badRequest("rgm-telemetry needs the version header");
    // Only PC1 systems with a METER have meter records (service interface 4.5).
    return this.#records(siteId, call, ({ devices }, slot) =>
      devices["METER"] ? rgmRecord(slot) : undefined,
    );
  }

  alerts({ pc1, now }: Call) {
    return { data: SITES.filter((site) => isVisible(site, pc1)).flatMap((site) => listedAlerts(site, now)) };
  }

  siteAlerts(siteId: string, { pc1, now }: Call) {
    return { data: listedAlerts(findSite(siteId, pc1), now) };
  }

  async #records(
    siteId: string,
    call: Call,
    make: (system: SystemPlan, slot: Slot) => IntervalRecord | undefined,
  ) {
    const site = findSite(siteId, call.pc1);
    const window = readWindow(call.query);
    const system = chooseSystem(site, call.query.get("systemId"));
    if (!system) return { data: [] };
    const { isPublished, transformRecord } = this.#hooks;
    const move = transformRecord ? MOVE_MS : 0;
    const startMs = window.startMs - move;
    // No record exists before it has ended.
    const endMs = Math.min(window.endMs, call.now) + move;
    const history = await this.#history(site, system, endMs);
    const data: IntervalRecord[] = [];
    for (const slot of history.between(startMs, endMs)) {
      const made = make(system, slot);
      if (!made) continue;
      const record = transformRecord?.(siteId, system.systemId, made) ?? made;
      // A record whose times cannot be read is where it would be if they could.
      const { startTime, endTime } = Number.isNaN(Date.parse(record.endTime)) ? made : record;
      if (!inWindow({ startTime, endTime }, window) || Date.parse(endTime) > call.now) continue;
      if (isPublished?.(siteId, system.systemId, record) === false) continue;
      data.push(record);
    }
    return { data };
  }

  async #history(site: SitePlan, system: SystemPlan, untilMs: number): Promise<EnergyHistory> {
    const history = this.#histories.get(system.systemId) ?? new EnergyHistory(site, system);
    this.#histories.set(system.systemId, history);
    await history.prepare(untilMs);
    return history;
  }
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

function readFlag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name) ?? "false";
  if (text !== "true" && text !== "false") throw badRequest(`${name} must be true or false`);
  return text === "true";
}
