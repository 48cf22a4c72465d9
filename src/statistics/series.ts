// The statistics of a system in Home Assistant: their ids, units and names, and the hours that totals has for them.
import { digestOf } from "../canonical-json";
import { MAX_SHOWN_NAME_LENGTH } from "../limits";
import { namesIn } from "../messages/reader";
import { arrayOf, objectOf, type ServiceObject } from "../models/service-object";
import { serviceTimeReader } from "../models/time";
import type { SeriesAddress } from "../series/identity";
import { shownName, slugOf, systemNameWith } from "../shown-text";
import { HOUR } from "../time-units";
import { boundedEnergy, QUANTITIES } from "../totals/energies";
import type { Hour } from "./rows";

/** In the order in which they are written. */
export const STATISTIC_NAMES = [...QUANTITIES, "cost", "compensation"] as const;
export type StatisticName = (typeof STATISTIC_NAMES)[number];
/** Of statistics of money, the field of the money that they add up. */
export const AMOUNTS: Partial<Record<StatisticName, string>> = { cost: "import", compensation: "revenue" };

/** What a node is set to keep. */
export interface SeriesRule {
  readonly prefix: string;
  readonly costs: boolean;
}

/** A statistic with the hours that a message has for it. */
export interface HourlySeries {
  /** `energy_sites:demo_house_demo_house_1_aff12b5f28_solar`. */
  readonly id: string;
  readonly quantity: StatisticName;
  readonly name: string;
  /** Wh, or the currency: an import converts nothing. */
  readonly unit: string;
  /** By the start of each UTC hour, in milliseconds. */
  readonly hours: ReadonlyMap<number, Hour>;
}

/** Characters of a site or system id in the id of a statistic. */
const MAX_SLUG = 60;
/** A time at which an hour of the site's clock begins. */
const FULL_HOUR = /T\d\d:00(?::00(?:\.0+)?)?(?:Z|[+-])/;
/** Of site and system: ids that look alike once they are cut and in lower case must not share a statistic. */
const DIGEST_LENGTH = 10;

/**
 * The statistics of a message from totals with hours. Hours that are not over are left out.
 * @param energy of the message: `counters` are the lifetime counters at the end of each part
 */
export function hourlySeries(
  payload: ServiceObject,
  address: SeriesAddress,
  { prefix, costs }: SeriesRule,
  energy: ServiceObject,
): HourlySeries[] {
  const { unit, counters } = energy;
  const parts = arrayOf(payload["parts"]).map(objectOf);
  const whole = wholeHours(parts);
  const states = arrayOf(counters);
  const scale = unit === "Wh" ? 1 : 1000;
  const { siteName = address.siteId, systemName = address.systemId } = namesIn(energy);
  const currency = shownName(parts.map(({ money }) => objectOf(money)["currency"]).find(Boolean));
  return STATISTIC_NAMES.flatMap((quantity) => {
    const amount = AMOUNTS[quantity];
    const hours = new Map<number, Hour>();
    for (const { part, index, start } of whole) {
      const given = amount ? objectOf(part["money"])[amount] : objectOf(part["energy"])[quantity];
      const value = boundedEnergy(given);
      if (value === null) continue;
      const state = boundedEnergy(objectOf(states[index])[quantity]) ?? undefined;
      hours.set(start, { energy: (amount ? value : value * scale) + (hours.get(start)?.energy ?? 0), state });
    }
    const seriesUnit = amount ? currency : "Wh";
    if (hours.size === 0 || seriesUnit === undefined || (amount && !costs)) return [];
    const id = statisticId(prefix, address, quantity);
    const room = MAX_SHOWN_NAME_LENGTH - quantity.length - 1;
    const name = `${systemNameWith(siteName, systemName, room)} ${quantity}`;
    return [{ id, quantity, name, unit: seriesUnit, hours }];
  });
}

/**
 * The parts that are whole hours and over, each with the UTC hour in which it begins. That gets all of it: where local hours begin
 * at :30, half of the next one may come with another day. Where clocks change by half an hour, two parts are one hour. An hour of
 * which the period has only a part is left out: it must not replace the whole one.
 */
function wholeHours(parts: readonly ServiceObject[]) {
  const timeOf = serviceTimeReader();
  return parts.flatMap((part, index) => {
    const isCut =
      (index === 0 && !FULL_HOUR.test(String(part["startTime"]))) ||
      (index === parts.length - 1 && !FULL_HOUR.test(String(part["endTime"])));
    const [start, end, until] = [part["startTime"], part["endTime"], part["until"]].map(timeOf);
    const isOver = start !== undefined && end !== undefined && (until === undefined || until >= end);
    return isOver && !isCut ? [{ part, index, start: Math.floor(start / HOUR) * HOUR }] : [];
  });
}

/** Slugs on both sides of the colon, as the prefix is one: anything else is refused. */
export function statisticId(prefix: string, { siteId, systemId }: SeriesAddress, of: StatisticName): string {
  const digest = digestOf([siteId, systemId]).slice(0, DIGEST_LENGTH);
  const slugs = [siteId, systemId ?? ""].map((id) => slugOf(id, MAX_SLUG));
  return `${prefix}:${[...slugs, digest, of].filter(Boolean).join("_")}`;
}
