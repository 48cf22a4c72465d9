// The slots of one system at any time since it was installed, without simulating all the time before.
import { promisify } from "node:util";
import { minus, NOTHING, plus, type Counts } from "./counts";
import { DAY_START_HOUR, energyDay, type DayKind, type EnergyDay } from "./energy-day";
import type { SitePlan, SystemPlan } from "./sites";
import { seasonOf, weatherOf } from "./sun";
import { SLOT_MS, SLOTS_PER_DAY } from "./units";

const DAY_MS = SLOTS_PER_DAY * SLOT_MS;
const HOUR_MS = 3_600_000;
/** Days summed up before yielding to the event loop: a few milliseconds. */
const DAYS_PER_TURN = 4;
const nextTurn = promisify(setImmediate);
/** Fully simulated days to cache: a request for 24 h needs two. */
const CACHED_DAYS = 4;
/** The day before 2024-01-01, which is then complete in every time zone. */
const FIRST_DAY = Date.UTC(2023, 11, 31);

/** One 5-minute slot. */
export interface Slot {
  startMs: number;
  endMs: number;
  /** Wh counted during the slot. */
  grown: Counts;
  /** Wh counted up to its end. */
  total: Counts;
  /** Wh in the battery at its end. */
  stored: number;
}

interface PastDay {
  /** The same for all days of one kind. */
  key: string;
  kind: DayKind;
  /** Counts at the start of the day. */
  before: Counts;
}

/**
 * Days begin and end with the battery at its reserve, so they are independent: the totals of each kind of day are cached,
 * and a lifetime counter is the sum of the days before.
 */
export class EnergyHistory {
  readonly #site: SitePlan;
  readonly #system: SystemPlan;
  readonly #origin: number;
  readonly #seed: number;
  readonly #clock: Intl.DateTimeFormat;
  readonly #past: PastDay[] = [];
  readonly #sums = new Map<string, Counts>();
  readonly #days = new Map<string, EnergyDay>();

  constructor(site: SitePlan, system: SystemPlan) {
    this.#site = site;
    this.#system = system;
    this.#origin = FIRST_DAY + (DAY_START_HOUR - site.standardOffset) * HOUR_MS;
    this.#seed = Math.round(site.latitude * 100);
    this.#clock = new Intl.DateTimeFormat("en-GB", {
      timeZone: site.timezone,
      hour: "numeric",
      minute: "numeric",
    });
  }

  /** Sums up the days until then without blocking the event loop, so that reading them is fast. */
  async prepare(untilMs: number): Promise<void> {
    const last = Math.floor((untilMs - this.#origin) / DAY_MS);
    while (this.#past.length <= last) {
      this.#pastDay(Math.min(last, this.#past.length + DAYS_PER_TURN - 1));
      await nextTurn();
    }
  }

  /** All slots that overlap a window, both edges exclusive, in order. */
  *between(startMs: number, endMs: number): Generator<Slot> {
    const first = Math.max(0, Math.floor((startMs - this.#origin) / SLOT_MS));
    const end = Math.ceil((endMs - this.#origin) / SLOT_MS);
    for (let slot = first; slot < end; slot++) yield this.#slot(slot);
  }

  /** The newest slot that has ended, or the very first one. */
  newest(now: number): Slot {
    return this.#slot(Math.max(0, Math.floor((now - this.#origin) / SLOT_MS) - 1));
  }

  #slot(index: number): Slot {
    const dayIndex = Math.floor(index / SLOTS_PER_DAY);
    const slot = index % SLOTS_PER_DAY;
    const { key, kind, before } = this.#pastDay(dayIndex);
    const { counts, stored } = this.#day(key, kind);
    const end = counts[slot + 1] ?? NOTHING;
    const startMs = this.#origin + index * SLOT_MS;
    return {
      startMs,
      endMs: startMs + SLOT_MS,
      grown: minus(end, counts[slot] ?? NOTHING),
      total: plus(before, end),
      stored: stored[slot + 1] ?? 0,
    };
  }

  #pastDay(index: number): PastDay {
    for (let next = this.#past.length; next <= index; next++) {
      const last = this.#past.at(-1);
      const before = last ? plus(last.before, this.#sum(last)) : NOTHING;
      const kind = this.#kindOf(next);
      this.#past.push({ key: Object.values(kind).join("/"), kind, before });
    }
    const day = this.#past[index];
    if (!day) throw new RangeError(`no day ${index}`);
    return day;
  }

  #kindOf(index: number): DayKind {
    const noon = this.#origin + index * DAY_MS + (12 - DAY_START_HOUR) * HOUR_MS;
    const [hour = 12, minute = 0] = this.#clock.format(noon).split(":").map(Number);
    const clockShift = hour + minute / 60 - 12;
    return { season: seasonOf(noon), weather: weatherOf(this.#seed, index), clockShift };
  }

  #sum({ key, kind }: PastDay): Counts {
    const sum = this.#sums.get(key) ?? this.#day(key, kind).counts.at(-1) ?? NOTHING;
    this.#sums.set(key, sum);
    return sum;
  }

  #day(key: string, kind: DayKind): EnergyDay {
    const known = this.#days.get(key);
    if (known) return known;
    const [oldest] = this.#days.keys();
    if (this.#days.size === CACHED_DAYS && oldest !== undefined) this.#days.delete(oldest);
    const day = energyDay(this.#site, this.#system, kind);
    this.#days.set(key, day);
    return day;
  }
}
