// Periods and their parts by the local calendar of a site: weeks begin on Monday, and days have 23 to 25 hours where clocks change.
import type { DateTime } from "luxon";
import { firstMoment, localTime, zoneOf } from "../models/local-time";
import { HOUR, MINUTE } from "../time-units";
import type { Part } from "./sums";

export const PERIODS = [
  "today",
  "yesterday",
  "week",
  "lastWeek",
  "month",
  "lastMonth",
  "year",
  "lastYear",
] as const;
export type PeriodName = (typeof PERIODS)[number];

export type Split = "none" | "hour" | "day" | "month";

/** Milliseconds since the epoch. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A local day with its date, YYYY-MM-DD. */
export interface LocalDay extends Part {
  readonly date: string;
}

const UNITS = {
  today: ["day", 0],
  yesterday: ["day", 1],
  week: ["week", 0],
  lastWeek: ["week", 1],
  month: ["month", 0],
  lastMonth: ["month", 1],
  year: ["year", 0],
  lastYear: ["year", 1],
} as const satisfies Record<PeriodName, readonly [string, number]>;

/** The calendar of a site. Throws InputError for an unknown zone. */
export class SiteCalendar {
  /** IANA zone. */
  readonly zone: string;

  constructor(zone: unknown) {
    this.zone = zoneOf(zone);
  }

  period(name: PeriodName, now: number): Span {
    const [unit, back] = UNITS[name];
    const start = this.#at(now)
      .startOf(unit)
      .minus({ [`${unit}s`]: back });
    return {
      start: firstMoment(start.startOf(unit)),
      end: firstMoment(start.plus({ [`${unit}s`]: 1 }).startOf(unit)),
    };
  }

  /** The local days of a span, each cut to it. */
  days({ start, end }: Span): LocalDay[] {
    const days: LocalDay[] = [];
    let midnight = this.#at(start).startOf("day");
    while (firstMoment(midnight) < end) {
      const next = midnight.plus({ days: 1 }).startOf("day");
      const whole = { start: firstMoment(midnight), end: firstMoment(next) };
      const part = cut(whole, { start, end });
      // Time zones have skipped whole days.
      if (part.start < part.end)
        days.push({ ...this.#part(part, whole, midnight), date: midnight.toFormat("yyyy-MM-dd") });
      midnight = next;
    }
    return days;
  }

  /** The hours of a local day, by its clock; where that changes by half an hour, one of them is half an hour. */
  hours(day: LocalDay): Part[] {
    const hours: Part[] = [];
    const midnight = this.#at(day.start).startOf("day");
    const whole = {
      start: firstMoment(midnight),
      end: firstMoment(midnight.plus({ days: 1 }).startOf("day")),
    };
    for (let { start } = day; start < day.end;) {
      const end = Math.min(this.#hourAfter(start), day.end);
      hours.push({ ...this.#part({ start, end }, whole, midnight), offset: this.#offset(start) });
      start = end;
    }
    return hours;
  }

  /** Equal for days of one local month, or year. */
  unitOf(time: number, unit: "month" | "year"): string {
    return this.#at(time).toFormat(unit === "month" ? "yyyy-MM" : "yyyy");
  }

  /** A time as ISO 8601 with the local offset. */
  iso(time: number): string {
    return this.#at(time).toISO({ suppressMilliseconds: true }) ?? new Date(time).toISOString();
  }

  #part(part: Span, day: Span, midnight: DateTime): Part {
    const days = (part.end - part.start) / (day.end - day.start);
    return { ...part, days, months: days / (midnight.daysInMonth ?? 30), offset: this.#offset(part.start) };
  }

  #hourAfter(time: number): number {
    const offset = this.#offset(time);
    for (let next = time + 15 * MINUTE; ; next += 15 * MINUTE) {
      const own = this.#offset(next);
      if (own !== offset || (next + own) % HOUR === 0) return next;
    }
  }

  #offset(time: number): number {
    return this.#at(time).offset * MINUTE;
  }

  #at(time: number): DateTime {
    return localTime(this.zone, time);
  }
}

function cut(whole: Span, to: Span): Span {
  return { start: Math.max(whole.start, to.start), end: Math.min(whole.end, to.end) };
}
