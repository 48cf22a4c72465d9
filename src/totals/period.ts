// Periods and their parts by the local calendar of a site: weeks begin on Monday, and days have 23 to 25 hours where clocks change.
import type { DateTime } from "luxon";
import { firstMoment, localTime, zoneOf } from "../models/local-time";
import { HOUR, MINUTE } from "../time-units";
import type { Part } from "./sums";

/** Milliseconds since the epoch. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A local day, or the part of it that is asked for. */
export interface LocalDay extends Part {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly whole: Part;
}

/** How far back each begins, in what. */
const UNITS = {
  today: ["day", 0],
  yesterday: ["day", 1],
  week: ["week", 0],
  lastWeek: ["week", 1],
  month: ["month", 0],
  lastMonth: ["month", 1],
  year: ["year", 0],
  lastYear: ["year", 1],
} as const;

const QUARTER = 15 * MINUTE;

export type PeriodName = keyof typeof UNITS;
export type Split = "none" | "hour" | "day" | "month";

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
  days(span: Span): LocalDay[] {
    const days: LocalDay[] = [];
    let midnight = this.#at(span.start).startOf("day");
    while (firstMoment(midnight) < span.end) {
      const next = midnight.plus({ days: 1 }).startOf("day");
      const [start, end] = [firstMoment(midnight), firstMoment(next)];
      // Time zones have skipped whole days.
      if (Math.max(start, span.start) < Math.min(end, span.end)) {
        const months = 1 / (midnight.daysInMonth ?? 30);
        const whole = { start, end, days: 1, months, offset: this.#offset(start) };
        days.push({ ...this.#partOf(whole, span), date: midnight.toFormat("yyyy-MM-dd"), whole });
      }
      midnight = next;
    }
    return days;
  }

  /** The hours of a local day, by its clock; where that changes by half an hour, one of them is half an hour. */
  hours(day: LocalDay): Part[] {
    const hours: Part[] = [];
    for (let { start } = day; start < day.end;) {
      const end = Math.min(this.#hourAfter(start), day.end);
      hours.push(this.#partOf(day.whole, { start, end }));
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

  #partOf(day: Part, span: Span): Part {
    const { start, end, days, months } = cut(day, span);
    return { start, end, days, months, offset: this.#offset(start) };
  }

  #hourAfter(time: number): number {
    const offset = this.#offset(time);
    // All zones of today are whole quarters of an hour away from UTC.
    for (let next = Math.floor(time / QUARTER) * QUARTER + QUARTER; ; next += QUARTER) {
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

/** The part of a part that lies in a span, with its share of the day and month by time. */
export function cut<P extends Part>(part: P, span: Span): P {
  const [start, end] = [Math.max(part.start, span.start), Math.min(part.end, span.end)];
  const share = (end - start) / (part.end - part.start);
  return { ...part, start, end, days: part.days * share, months: part.months * share };
}
