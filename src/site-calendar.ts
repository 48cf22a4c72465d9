// Periods and their parts by the local calendar of a site: weeks begin on Monday, and days have 23 to 25 hours where clocks change.
import type { DateTime } from "luxon";
import { setNewest } from "./bounded-map";
import { InputError } from "./errors";
import { commonPart, DAY, HOUR, MINUTE, type TimeWindow } from "./time-units";

/** A part of a period, such as a local day: times in milliseconds, with its share of local days. */
export interface Part extends TimeWindow {
  readonly days: number;
}

/** A local day, or the requested part of it. */
export interface LocalDay extends Part {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly whole: Part;
}

/** The unit of each, and how many units before the current one it is. */
export const PERIODS = {
  today: ["day", 0],
  yesterday: ["day", 1],
  week: ["week", 0],
  lastWeek: ["week", 1],
  month: ["month", 0],
  lastMonth: ["month", 1],
  year: ["year", 0],
  lastYear: ["year", 1],
} as const;

/** All zones of today are whole quarters of an hour away from UTC, and change their clocks at one. */
export const QUARTER = 15 * MINUTE;

export type PeriodName = keyof typeof PERIODS;

export const PERIOD_NAMES = Object.keys(PERIODS) as [PeriodName, ...PeriodName[]];

/** False for `message`, which can be any period. */
export function isPeriodName(name: string): name is PeriodName {
  return Object.hasOwn(PERIODS, name);
}

export type Split = "none" | "hour" | "day" | "month";

/** Zones take their time: what a calendar has found out serves all sites of its zone. */
const calendars = new Map<string, SiteCalendar>();
/** Of zones, and of offsets of each. */
const MAX_KNOWN = 10_000;

/** Loaded on first use, so that it does not slow down the start of Node-RED. */
function luxon(): typeof import("luxon") {
  return require("luxon");
}

/** The calendar of a site. Throws InputError if it has no IANA zone. */
export function calendarOf(zone: unknown): SiteCalendar {
  if (typeof zone !== "string") throw new InputError("zoneMissing");
  const known = calendars.get(zone);
  if (known) return known;
  if (!luxon().IANAZone.isValidZone(zone)) throw new InputError("zoneUnknown");
  const calendar = new SiteCalendar(zone);
  setNewest(calendars, zone, calendar, MAX_KNOWN);
  return calendar;
}

export class SiteCalendar {
  /** At the start of each UTC day, and of each quarter of an hour of those on which clocks change. */
  readonly #offsets = new Map<number, number>();

  /** @param zone IANA zone */
  constructor(readonly zone: string) {}

  period(name: PeriodName, now: number): TimeWindow {
    const [unit, back] = PERIODS[name];
    const current = this.#at(now).startOf(unit);
    const start = firstMoment(current);
    if (back === 0) return { start, end: firstMoment(current.plus({ [unit]: 1 }).startOf(unit)) };
    // Time zones have skipped whole days.
    return { start: firstMoment(this.#at(start - 1).startOf(unit)), end: start };
  }

  /** The local day `date` (YYYY-MM-DD), from midnight to midnight. Throws InputError if the zone has no such day. */
  day(date: string): TimeWindow {
    const start = luxon().DateTime.fromFormat(date, "yyyy-MM-dd", { zone: this.zone }).toMillis();
    const [day] = this.days({ start, end: start + 1 });
    if (day?.date !== date) throw new InputError("dayUnknown", { day: date, zone: this.zone });
    return day.whole;
  }

  /** The local days of a span, each cut to it. */
  days(span: TimeWindow): LocalDay[] {
    const days: LocalDay[] = [];
    let start = firstMoment(this.#at(span.start).startOf("day"));
    while (start < span.end) {
      const date = this.iso(start).slice(0, 10);
      const whole = { start, end: this.#dayAfter(start), days: 1 };
      if (Math.max(start, span.start) < whole.end) days.push({ ...cut(whole, span), date, whole });
      start = whole.end;
    }
    return days;
  }

  #dayAfter(start: number): number {
    const day = Math.floor(start / DAY) * DAY;
    const offset = this.#offsetAt(day);
    const isSame = [day + DAY, day + 2 * DAY].every((time) => this.#offsetAt(time) === offset);
    // Clocks change on few days, and on some of these at midnight.
    if (isSame && (start + offset) % DAY === 0) return start + DAY;
    let next = this.#at(start);
    // Time zones have skipped whole days.
    do next = next.plus({ days: 1 }).startOf("day");
    while (firstMoment(next) <= start);
    return firstMoment(next);
  }

  /** The hours of a local day, by its clock; where that changes by half an hour, one of them is half an hour. */
  hours(day: LocalDay): Part[] {
    const hours: Part[] = [];
    for (let { start } = day; start < day.end;) {
      const end = Math.min(this.blockEnd(start, HOUR), day.end);
      hours.push(cut(day.whole, { start, end }));
      start = end;
    }
    return hours;
  }

  /** Equal for days of one local month, or year. */
  unitOf(time: number, unit: "month" | "year"): string {
    return this.iso(time).slice(0, unit === "month" ? 7 : 4);
  }

  daysInMonth(time: number): number {
    return this.#at(time).daysInMonth ?? 30;
  }

  /** A time as ISO 8601 with the local offset. */
  iso(time: number): string {
    const offset = this.#offset(time);
    const local = new Date(time + offset).toISOString().replace(/(?:\.000)?Z$/, "");
    const [hours, minutes] = [Math.abs(offset) / HOUR, (Math.abs(offset) / MINUTE) % 60];
    const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
    return offset === 0 ? `${local}Z` : `${local}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
  }

  /** Of the block of so many milliseconds by the local clock, an hour at most, in which a time lies. */
  blockEnd(time: number, length: number): number {
    const offset = this.#offset(time);
    const next = (Math.floor((time + offset) / length) + 1) * length - offset;
    if (this.#offset(next - 1) === offset) return next;
    let change = Math.floor(time / QUARTER) * QUARTER + QUARTER;
    while (this.#offset(change) === offset) change += QUARTER;
    return change;
  }

  /** Local time minus UTC. */
  #offset(time: number): number {
    const day = Math.floor(time / DAY) * DAY;
    const first = this.#offsetAt(day);
    return first === this.#offsetAt(day + DAY) ? first : this.#offsetAt(Math.floor(time / QUARTER) * QUARTER);
  }

  /** The zone is asked once for each time, because ten years of days must not hold the event loop. */
  #offsetAt(time: number): number {
    const known = this.#offsets.get(time);
    if (known !== undefined) return known;
    const offset = luxon().IANAZone.create(this.zone).offset(time) * MINUTE;
    setNewest(this.#offsets, time, offset, MAX_KNOWN);
    return offset;
  }

  #at(time: number): DateTime {
    return luxon().DateTime.fromMillis(time, { zone: this.zone });
  }
}

/** Where clocks go back at midnight there are two midnights; the day begins with the first. In milliseconds. */
function firstMoment(midnight: DateTime): number {
  return Math.min(...midnight.getPossibleOffsets().map((moment) => moment.toMillis()));
}

/** The part of a part that lies in a span, with its share of the day by time. */
export function cut<P extends Part>(part: P, span: TimeWindow): P {
  const { start, end } = commonPart(part, span);
  const share = (end - start) / (part.end - part.start);
  return { ...part, start, end, days: part.days * share };
}
