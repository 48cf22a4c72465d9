// Prices as step functions of time, read from the messages of the price nodes that people have.
import { InputError } from "../errors";
import { arrayOf, isServiceObject, objectOf } from "../models/service-object";
import { number, readerOf, type Shaped } from "../models/shape";
import { parseUserTime } from "../models/time";
import type { StateForm } from "../stored-state";
import { HOUR, type TimeWindow } from "../time-units";

/** A price in money per kWh, which may be negative, from `start` to `end` in milliseconds. */
const STEP = { start: number, end: number, price: number };

export type PriceStep = Shaped<typeof STEP>;

/** The price at each instant, as far as it is known: steps in order that do not overlap. */
export type PriceCurve = readonly PriceStep[];

export const CURVE_FORM: StateForm<PriceCurve> = { read: readerOf([STEP]) };

/** Fields of an object that hold a list of prices. */
const LISTS = ["priceData", "data", "results", "priceInfo"];
const STARTS = ["start", "startsAt", "start_timestamp", "valid_from", "startTime", "from"];
const ENDS = ["end", "endsAt", "end_timestamp", "valid_to", "endTime", "to"];
/** Fields of a price, and how many of its units are one per kWh: aWATTar has EUR/MWh, Octopus pence. */
const VALUES: readonly (readonly [field: string, divisor: number])[] = [
  ["value_inc_vat", 100],
  ["marketprice", 1000],
  ["value", 1],
  ["total", 1],
  ["price", 1],
];

/** Steps of one message. */
const MAX_STEPS = 20_000;
/** Per kWh, in any currency: amounts of larger numbers could be infinite, which no store keeps. */
export const MAX_PRICE = 1e9;

/** Whether a payload is prices, readable or not: everything else triggers a run. */
export function isPriceList(payload: unknown): boolean {
  return Array.isArray(payload) || (isServiceObject(payload) && LISTS.some((name) => name in payload));
}

/** The prices of a payload, in order. Throws InputError if it cannot be read as prices. */
export function readPrices(payload: unknown): PriceStep[] {
  const items = itemsOf(payload, 0);
  if (items.length === 0 || items.length > MAX_STEPS) throw new InputError("pricesUnreadable");
  const ordered = items.map(stepOf).toSorted((one, other) => one.start - other.start);
  // Of several prices for the same time, such as one for each way to pay, the first counts.
  const steps = ordered.filter(({ start }, index) => start !== ordered[index - 1]?.start);
  return corrected(
    steps.map(({ start, end, price }, index) => {
      const next = steps[index + 1];
      const before = steps[index - 1];
      // A last step without an end is as long as the one before.
      const length = before ? Math.min(before.end ?? start, start) - before.start : HOUR;
      const until = end ?? next?.start ?? (steps.length === 1 && end === null ? Infinity : start + length);
      return { start, end: until, price };
    }),
  );
}

/** Steps in order of which a later one corrects those that it overlaps: peak hours within the price of a day. */
function corrected(steps: PriceStep[]): PriceStep[] {
  if (steps.every(({ end }, index) => end <= (steps[index + 1]?.start ?? Infinity))) return steps;
  const middle = steps.length >> 1;
  return withPrices(corrected(steps.slice(0, middle)), corrected(steps.slice(middle)));
}

function itemsOf(payload: unknown, depth: number): unknown[] {
  if (Array.isArray(payload)) return payload;
  if (!isServiceObject(payload) || depth > 2) throw new InputError("pricesUnreadable");
  const { today, tomorrow } = payload;
  if (Array.isArray(today)) return [...today, ...arrayOf(tomorrow)];
  const name = LISTS.find((list) => payload[list] !== undefined && payload[list] !== null);
  return itemsOf(name && payload[name], depth + 1);
}

/** A step of which the end may be absent; null = the service says that there is none yet. */
function stepOf(item: unknown) {
  const fields = objectOf(item);
  const first = (names: readonly string[]): unknown =>
    names.map((name) => fields[name]).find((value) => value !== undefined);
  const [name = "", divisor = 1] = VALUES.find(([field]) => fields[field] !== undefined) ?? [];
  const [start, value, until] = [timeOf(first(STARTS)), fields[name], first(ENDS)];
  const end = until === undefined || until === null ? until : (timeOf(until) ?? Number.NaN);
  const isOrdered = typeof end !== "number" || (start !== undefined && end > start);
  if (start === undefined || !isOrdered || typeof value !== "number" || !(Math.abs(value) <= MAX_PRICE))
    throw new InputError("pricesUnreadable");
  return { start, end, price: value / divisor };
}

/** Milliseconds since the epoch, a Date, or a text with an offset. */
function timeOf(value: unknown): number | undefined {
  if (value instanceof Date) return timeOf(value.getTime());
  if (typeof value === "number") return Number.isFinite(value) && value > 1e11 ? value : undefined;
  return parseUserTime(value);
}

/** Known prices with new ones, which correct what they overlap. Both in order. */
export function withPrices(known: PriceCurve, added: PriceCurve): PriceStep[] {
  const kept = known.flatMap(({ start, end, price }) =>
    pricesBetween(added, start, end).flatMap((part) =>
      part.price === undefined ? [{ ...part, price }] : [],
    ),
  );
  return [...kept, ...added].toSorted((one, other) => one.start - other.start);
}

/** One price for all time; undefined = unknown. */
export function constantPrice(price: number | undefined): PriceCurve {
  return price === undefined ? [] : [{ start: -Infinity, end: Infinity, price }];
}

/** The parts of an interval, in order and without gaps, each with its price; undefined = unknown. */
export function pricesBetween(curve: PriceCurve, start: number, end: number) {
  const parts: (TimeWindow & { price: number | undefined })[] = [];
  for (let from = start; from < end;) {
    const { price, until } = priceAt(curve, from);
    parts.push({ start: from, end: Math.min(until, end), price });
    from = until;
  }
  return parts;
}

/** The price at a time, and until when that is so; undefined = unknown. */
export function priceAt(curve: PriceCurve, time: number): { price: number | undefined; until: number } {
  let [low, high] = [0, curve.length];
  // The first step that ends after the time.
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((curve[middle]?.end ?? Infinity) > time) high = middle;
    else low = middle + 1;
  }
  const { start = Infinity, end = Infinity, price } = curve[low] ?? {};
  return start > time ? { price: undefined, until: start } : { price, until: end };
}

/** The mean price over an interval, by time: what has no price has no worth. */
export function meanPrice(curve: PriceCurve, start: number, end: number): number {
  const parts = pricesBetween(curve, start, end);
  return parts.reduce((sum, part) => sum + (part.price ?? 0) * (part.end - part.start), 0) / (end - start);
}
