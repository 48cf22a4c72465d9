// What the simulated service holds: the records of each series, when each is first shown, revised or unreadable.
import { HOUR, MINUTE } from "../../src/time-units";
import { Chance } from "./chance";
import type { SoakPlan } from "./plan";

export interface Series {
  index: number;
  siteId: string;
  systemId: string;
  source: "telemetry" | "rgm";
}

export interface Site {
  siteId: string;
  systems: object[];
}

/** How many times a record has been revised. */
export type Version = 0 | 1;

const STEP = 5 * MINUTE;
/** Records before the start of the soak, for what reads back. */
const BACK = 26 * HOUR;
/** One of so many sites has two systems. */
const TWO_SYSTEMS_EVERY = 10;

/** The questions to chance. */
const [DELAY, LATE, LATENESS, REVISED, REVISION, BAD, BADNESS, OFFLINE, OFFLINE_AT, OFFLINE_FOR, POWER] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
] as const;

export class World {
  readonly sites: Site[] = [];
  readonly series: Series[] = [];
  /** Slots of five minutes, each with one record of each series. */
  readonly slots: number;
  readonly #first: number;
  /** When the soak begins, in milliseconds. */
  readonly start: number;
  readonly #chance: Chance;
  /** How often a system may be offline, in milliseconds. */
  readonly #offlineEvery: number;
  readonly #bySource = new Map<string, Series>();

  constructor({ seed, start, end, sites, hours }: SoakPlan) {
    this.#chance = new Chance(seed);
    this.start = start;
    this.#first = Math.floor((start - BACK) / STEP) * STEP;
    this.slots = Math.ceil((end + 2 * HOUR - this.#first) / STEP);
    this.#offlineEvery = Math.min(4, hours / 2) * HOUR;
    for (let index = 0; index < sites; index += 1) this.#addSite(index);
  }

  #addSite(index: number): void {
    const siteId = `site-${index}`;
    const systemIds = index % TWO_SYSTEMS_EVERY === 7 ? [`${siteId}-1`, `${siteId}-2`] : [`${siteId}-1`];
    const systems = systemIds.map((systemId) => ({ systemId, systemGeneration: "PC1", capabilities: {} }));
    this.sites.push({ siteId, systems });
    for (const systemId of systemIds) this.#addSeries(siteId, systemId, "telemetry");
    if (index === RGM_SITE) this.#addSeries(siteId, `${siteId}-1`, "rgm");
  }

  #addSeries(siteId: string, systemId: string, source: Series["source"]): void {
    const series: Series = { index: this.series.length, siteId, systemId, source };
    this.series.push(series);
    this.#bySource.set(`${siteId}/${systemId}/${source}`, series);
  }

  find(siteId: string, systemId: string | undefined, source: Series["source"]): Series | undefined {
    return this.#bySource.get(`${siteId}/${systemId ?? `${siteId}-1`}/${source}`);
  }

  /** The slot of a record by its start, in milliseconds; not a whole number if no record starts then. */
  slotOf(start: number): number {
    return (start - this.#first) / STEP;
  }

  startOf(slot: number): number {
    return this.#first + slot * STEP;
  }

  /** When the service first shows a record, in milliseconds. */
  shownAt({ index }: Series, slot: number): number {
    const end = this.startOf(slot) + STEP;
    const chance = this.#chance;
    const onTime = end + chance.between(5_000, 40_000, DELAY, index, slot);
    if (end <= this.start) return onTime;
    const offline = this.#offline(index, end);
    if (offline) {
      // Half of the systems report the newest records first.
      const isNewestFirst = index % 2 === 1;
      return (
        offline +
        (isNewestFirst ? (offline - end) / 2 : 0) +
        chance.between(5_000, 40_000, DELAY, index, slot)
      );
    }
    const isLate = chance.of(LATE, index, slot) < 0.015;
    return isLate ? end + chance.between(10 * MINUTE, 2 * HOUR, LATENESS, index, slot) : onTime;
  }

  /** When a record is revised, in milliseconds; Infinity = never. Only records that were shown in time are. */
  revisedAt(series: Series, slot: number): number {
    const { index } = series;
    const shown = this.shownAt(series, slot);
    const isRevised = this.#chance.of(REVISED, index, slot) < 0.03;
    if (!isRevised || shown > this.startOf(slot) + STEP + MINUTE) return Number.POSITIVE_INFINITY;
    return shown + this.#chance.between(2 * MINUTE, 25 * MINUTE, REVISION, index, slot);
  }

  /** Until when a record is shown with times that cannot be read, in milliseconds. */
  unreadableUntil(series: Series, slot: number): number {
    const isBad = this.startOf(slot) > this.start && this.#chance.of(BAD, series.index, slot) < 0.004;
    return isBad
      ? this.shownAt(series, slot) +
          this.#chance.between(8 * MINUTE, 50 * MINUTE, BADNESS, series.index, slot)
      : 0;
  }

  /** The version of a record that can be read at a time; undefined = none. */
  versionAt(series: Series, slot: number, now: number): Version | undefined {
    if (now < this.shownAt(series, slot) || now < this.unreadableUntil(series, slot)) return undefined;
    return now < this.revisedAt(series, slot) ? 0 : 1;
  }

  record({ index, source }: Series, slot: number, version: Version): Record<string, unknown> {
    const [startTime, endTime] = [this.startOf(slot), this.startOf(slot) + STEP].map((time) =>
      new Date(time).toISOString(),
    );
    const power = Math.floor(this.#chance.between(-5000, 5000, POWER, index, slot)) + version * 100_000;
    const interval = { startTime, endTime, "not of the interface": `${index}-${slot}` };
    if (source === "rgm") return { ...interval, rgm: { power, energy: power / 12 } };
    const phase = (slot % 288) / 288;
    return {
      ...interval,
      grid: { power, energy: power / 12, importedEnergy: Math.max(power, 0) / 12, connectivityStatus: null },
      solar: null,
      consumption: { power: Math.abs(power), lifetimeEnergy: slot * 1000 },
      storage: { power: -power, stateOfCharge: Math.round(50 + 45 * Math.sin(phase * 12 * Math.PI)) },
    };
  }

  /** The records that the service answers with: those that overlap the window, with what cannot be read. */
  records(series: Series, from: number, to: number, now: number): unknown[] {
    const first = Math.max(Math.floor(this.slotOf(from)), 0);
    const last = Math.min(Math.ceil(this.slotOf(to)) - 1, this.slots - 1);
    const records: unknown[] = [];
    for (let slot = first; slot <= last; slot += 1) {
      if (now < this.shownAt(series, slot)) continue;
      const version = this.versionAt(series, slot, now);
      records.push({
        ...this.record(series, slot, version ?? 0),
        ...(version === undefined && { startTime: "soon" }),
      });
    }
    return records;
  }

  /** The end of the outage in which a record ended; undefined = the system was online. */
  #offline(index: number, end: number): number | undefined {
    const block = Math.floor(end / this.#offlineEvery);
    if (this.#chance.of(OFFLINE, index, block) >= 0.25) return undefined;
    const duration = this.#chance.between(15 * MINUTE, HOUR, OFFLINE_FOR, index, block);
    const start =
      block * this.#offlineEvery +
      this.#chance.of(OFFLINE_AT, index, block) * (this.#offlineEvery - duration);
    return end >= start && end < start + duration ? start + duration : undefined;
  }
}

/** The sites that single nodes read. */
export const RGM_SITE = 2;
export const CONFIRMED_SITE = 7;
export const HISTORY_SITE = 4;
export const LATEST_SITE = 5;
