// The readings of one system at any time since it was set up, without simulating what lies between.
import { promisify } from "node:util";
import { NOTHING, plus, type Counts } from "./counts";
import { DAY_START_HOUR, energyDay, type DayKind, type EnergyDay } from "./energy-day";
import type { SitePlan, SystemPlan } from "./sites";
import { seasonOf, weatherOf } from "./sun";
import { SLOT_MS, SLOTS_PER_DAY } from "./units";

const DAY_MS = SLOTS_PER_DAY * SLOT_MS;
const HOUR_MS = 3_600_000;
/** Days that are summed up at a stretch, some milliseconds, before other work gets its turn. */
const STRETCH = 16;
const nextTurn = promisify(setImmediate);
/** Days simulated in full that are kept: those that a request of 24 h touches, and some more. */
const DAYS_KEPT = 4;
/** The day before 2024-01-01, so that this one can be read whole in every zone. */
const FIRST_DAY = Date.UTC(2023, 11, 31);

/** One 5-minute slot: counts at its start and at its end (Wh), and what the battery holds at its end (Wh). */
export interface Reading {
  startMs: number;
  endMs: number;
  before: Counts;
  after: Counts;
  stored: number;
}

interface PastDay {
  kind: DayKind;
  /** Counts at the start of the day. */
  before: Counts;
}

/**
 * Days begin and end with the battery at its reserve, so they do not depend on each other: what a kind of day sums up to
 * is remembered, and a lifetime counter is the sum over the days before.
 */
export class EnergyHistory {
  private readonly origin: number;
  private readonly seed: number;
  private readonly clock: Intl.DateTimeFormat;
  private readonly past: PastDay[] = [];
  private readonly sums = new Map<string, Counts>();
  private readonly days = new Map<string, EnergyDay>();

  constructor(
    private readonly site: SitePlan,
    private readonly system: SystemPlan,
  ) {
    this.origin = FIRST_DAY + (DAY_START_HOUR - site.standardOffset) * HOUR_MS;
    this.seed = Math.round(site.latitude * 100);
    this.clock = new Intl.DateTimeFormat("en-GB", {
      timeZone: site.timezone,
      hour: "numeric",
      minute: "numeric",
    });
  }

  /** Sums up the days until then piece by piece, so that what is read afterwards is there at once. */
  async prepare(untilMs: number): Promise<void> {
    const last = Math.floor((untilMs - this.origin) / DAY_MS);
    while (this.past.length <= last) {
      this.pastDay(Math.min(last, this.past.length + STRETCH));
      await nextTurn();
    }
  }

  /** All slots that lie in or across the times, both edges exclusive, in order. */
  *between(startMs: number, endMs: number): Generator<Reading> {
    const first = Math.max(0, Math.floor((startMs - this.origin) / SLOT_MS));
    const end = Math.ceil((endMs - this.origin) / SLOT_MS);
    for (let slot = first; slot < end; slot++) yield this.reading(slot);
  }

  /** The newest slot that has ended; the very first one before any has. */
  newest(now: number): Reading {
    return this.reading(Math.max(0, Math.floor((now - this.origin) / SLOT_MS) - 1));
  }

  private reading(index: number): Reading {
    const dayIndex = Math.floor(index / SLOTS_PER_DAY);
    const slot = index % SLOTS_PER_DAY;
    const { kind, before } = this.pastDay(dayIndex);
    const day = this.day(kind);
    const startMs = this.origin + index * SLOT_MS;
    return {
      startMs,
      endMs: startMs + SLOT_MS,
      before: plus(before, day.counts[slot] ?? NOTHING),
      after: plus(before, day.counts[slot + 1] ?? NOTHING),
      stored: day.stored[slot + 1] ?? 0,
    };
  }

  private pastDay(index: number): PastDay {
    for (let next = this.past.length; next <= index; next++) {
      const last = this.past.at(-1);
      const before = last ? plus(last.before, this.sum(last.kind)) : NOTHING;
      this.past.push({ kind: this.kindOf(next), before });
    }
    const day = this.past[index];
    if (!day) throw new RangeError(`no day ${index}`);
    return day;
  }

  private kindOf(index: number): DayKind {
    const noon = this.origin + index * DAY_MS + (12 - DAY_START_HOUR) * HOUR_MS;
    const [hour = 12, minute = 0] = this.clock.format(noon).split(":").map(Number);
    const clockShift = hour + minute / 60 - 12;
    return { season: seasonOf(noon), weather: weatherOf(this.seed, index), clockShift };
  }

  private sum(kind: DayKind): Counts {
    const key = keyOf(kind);
    const known = this.sums.get(key) ?? this.day(kind).counts.at(-1) ?? NOTHING;
    this.sums.set(key, known);
    return known;
  }

  private day(kind: DayKind): EnergyDay {
    const key = keyOf(kind);
    const day = this.days.get(key) ?? energyDay(this.site, this.system, kind);
    // The day used last stays longest.
    this.days.delete(key);
    this.days.set(key, day);
    const [oldest] = this.days.keys();
    if (this.days.size > DAYS_KEPT && oldest !== undefined) this.days.delete(oldest);
    return day;
  }
}

function keyOf({ season, weather, clockShift }: DayKind): string {
  return `${season}/${weather}/${clockShift}`;
}
