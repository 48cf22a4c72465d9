// The statistics of a system in Home Assistant: their ids, units and names, and the hours that totals has for them.
import { digestOf } from "../canonical-json";
import { isServiceObject, type ServiceObject } from "../models/service-object";
import { parseServiceTime } from "../models/time";
import type { SeriesAddress } from "../series/identity";
import { shownText } from "../shown-text";
import { HOUR } from "../time-units";

/** In the order in which they are written. */
const ENERGIES = ["solar", "imported", "exported", "charged", "discharged", "consumed"] as const;
const AMOUNTS = ["cost", "compensation"] as const;
export type Quantity = (typeof ENERGIES)[number] | (typeof AMOUNTS)[number];

/** A statistic with the hours that a message has for it. */
export interface HourlySeries {
  /** `energy_sites:demo_house_demo_house_1_1a2b3c_solar`. */
  readonly id: string;
  readonly quantity: Quantity;
  readonly name: string;
  /** Wh, or the currency: never another one, because an import converts nothing. */
  readonly unit: string;
  /** By the start of each UTC hour, in milliseconds. */
  readonly hours: ReadonlyMap<number, number>;
}

const MAX_NAME = 100;
/** Characters of a site or system id in the id of a statistic. */
const MAX_SLUG = 60;
/** Of site and system: ids that look alike once they are cut and in lower case must not share a statistic. */
const DIGEST_LENGTH = 6;

/** The statistics of a message from totals with hours. Hours that are not over are left out. */
export function hourlySeries(
  payload: ServiceObject,
  address: SeriesAddress,
  { prefix, costs, unit }: { prefix: string; costs: boolean; unit: unknown },
): HourlySeries[] {
  const parts = Array.isArray(payload["parts"]) ? payload["parts"].filter(isServiceObject) : [];
  const scale = unit === "Wh" ? 1 : 1000;
  const series: HourlySeries[] = [];
  const add = (quantity: Quantity, seriesUnit: string, valueOf: (part: ServiceObject) => unknown): void => {
    const hours = hoursOf(parts, valueOf);
    if (hours.size === 0) return;
    series.push({
      id: statisticId(prefix, address, quantity),
      quantity,
      name: shownText([address.siteId, address.systemId, quantity].filter(Boolean).join(" "), MAX_NAME),
      unit: seriesUnit,
      hours,
    });
  };
  for (const quantity of ENERGIES)
    add(quantity, "Wh", ({ energy }) => {
      const value = isServiceObject(energy) ? energy[quantity] : undefined;
      return typeof value === "number" ? value * scale : undefined;
    });
  const currency = parts
    .map(({ money }) => (isServiceObject(money) ? money["currency"] : undefined))
    .find(isText);
  if (!costs || currency === undefined) return series;
  for (const [quantity, field] of [
    ["cost", "import"],
    ["compensation", "revenue"],
  ] as const)
    add(quantity, currency, ({ money }) => (isServiceObject(money) ? money[field] : undefined));
  return series;
}

/** The energy of each whole UTC hour. In a zone of half hours, an hour has its share of two local ones. */
function hoursOf(
  parts: readonly ServiceObject[],
  valueOf: (part: ServiceObject) => unknown,
): Map<number, number> {
  const sums = new Map<number, { value: number; time: number }>();
  for (const part of parts) {
    const value = valueOf(part);
    const [start, end, until] = [part["startTime"], part["endTime"], part["until"]].map(parseServiceTime);
    const isOver =
      start !== undefined && end !== undefined && end > start && (until === undefined || until >= end);
    if (!isOver || typeof value !== "number" || !Number.isFinite(value)) continue;
    for (let hour = Math.floor(start / HOUR) * HOUR; hour < end; hour += HOUR) {
      const time = Math.min(hour + HOUR, end) - Math.max(hour, start);
      const known = sums.get(hour) ?? { value: 0, time: 0 };
      sums.set(hour, { value: known.value + (value * time) / (end - start), time: known.time + time });
    }
  }
  return new Map([...sums].filter(([, { time }]) => time >= HOUR).map(([hour, { value }]) => [hour, value]));
}

/** Lower case, digits and single underscores, none at an end: anything else is refused. */
export function statisticId(prefix: string, { siteId, systemId }: SeriesAddress, quantity: Quantity): string {
  const digest = digestOf([siteId, systemId ?? null]).slice(0, DIGEST_LENGTH);
  const parts = [slug(siteId), systemId === undefined ? "" : slug(systemId), digest, quantity];
  return `${slug(prefix)}:${parts.filter(Boolean).join("_")}`;
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\da-z]+/g, "_")
    .slice(0, MAX_SLUG)
    .replaceAll(/^_+|_+$/g, "");
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
