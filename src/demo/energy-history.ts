// The energy of one system at any time since it was installed, without simulating all the time before.
import { IANAZone } from "luxon";
import { promisify } from "node:util";
import { setNewest } from "../bounded-map";
import type { TimeWindow } from "../ledger/window";
import { DAY, HOUR, MINUTE } from "../time-units";
import { seasonOf, weatherOf } from "./conditions";
import {
  type Counts,
  DAY_START_HOUR,
  type DayKind,
  energyDay,
  type EnergyDay,
  minus,
  NOTHING,
  plus,
  SLOTS_PER_DAY,
} from "./energy-day";
import type { SitePlan, SystemPlan } from "./sites";

const SLOT = 5 * MINUTE;
/** Days summed up before yielding to the event loop: a few milliseconds. */
const DAYS_PER_TURN = 4;
const nextTurn = promisify(setImmediate);
/** Fully simulated days to cache: a request for 24 h needs two. */
const CACHED_DAYS = 4;
/** The day before 2024-01-01, which is then complete in every time zone. */
const FIRST_DAY = Date.UTC(2023, 11, 31);

/** How time is divided into records, in milliseconds: all are of one length, and some record begins at the offset. */
export interface Intervals {
  length: number;
  offset: number;
}

/** The interval of a record, in milliseconds since the epoch. */
export interface Slot extends TimeWindow {
  /** Wh counted during the interval. */
  grown: Counts;
  /** Wh counted up to its end. */
  total: Counts;
  /** Wh in the battery at its end. */
  stored: number;
}

interface PastDay {
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
  readonly #zone: IANAZone;
  readonly #past: PastDay[] = [];
  /** By the key of a kind of day. */
  readonly #sums = new Map<string, Counts>();
  readonly #days = new Map<string, EnergyDay>();

  constructor(site: SitePlan, system: SystemPlan) {
    this.#site = site;
    this.#system = system;
    this.#origin = FIRST_DAY + (DAY_START_HOUR - site.standardOffset) * HOUR;
    this.#seed = Math.round(site.latitude * 100);
    this.#zone = IANAZone.create(site.timezone);
  }

  /** Sums up the days until then without blocking the event loop, so that reading them is fast. */
  async prepare(until: number): Promise<void> {
    const last = Math.max(0, Math.floor((until - this.#origin) / DAY));
    while (this.#past.length <= last) {
      const day = this.#past.at(-1);
      const before = day ? plus(day.before, this.#sum(day.kind)) : NOTHING;
      this.#past.push({ kind: this.#kindOf(this.#past.length), before });
      if (this.#past.length % DAYS_PER_TURN === 0) await nextTurn();
    }
  }

  /**
   * All intervals that overlap a window, both edges exclusive, in order, with what has happened in them until some time. Its
   * days must have been prepared, as for `stored`.
   */
  *between({ start, end }: TimeWindow, { length, offset }: Intervals, until: number): Generator<Slot> {
    const first = Math.max(
      Math.floor((start - offset) / length),
      Math.ceil((this.#origin - offset) / length),
    );
    let from = offset + first * length;
    if (from >= end) return;
    for (let before = this.#at(from); from < end; from += length) {
      const at = this.#at(Math.min(from + length, until));
      yield { start: from, end: from + length, grown: minus(at.total, before.total), ...at };
      before = at;
    }
  }

  /** Wh in the battery at the end of the newest slot. */
  stored(now: number): number {
    return this.#at(Math.max(Math.floor(now / SLOT) * SLOT, this.#origin)).stored;
  }

  /** Within a slot, everything changes evenly. */
  #at(time: number): Pick<Slot, "total" | "stored"> {
    const position = (time - this.#origin) / SLOT;
    const index = Math.floor(position / SLOTS_PER_DAY);
    const day = this.#past[index];
    if (!day) throw new RangeError(`day ${index} is not prepared`);
    const { counts, stored } = this.#day(day.kind);
    const slot = Math.floor(position) - index * SLOTS_PER_DAY;
    const share = position - Math.floor(position);
    const [counted = NOTHING, level = 0] = [counts[slot], stored[slot]];
    const total = plus(day.before, counted);
    if (share === 0) return { total, stored: level };
    const next = minus(counts[slot + 1] ?? NOTHING, counted);
    return { total: plus(total, next, share), stored: level + share * ((stored[slot + 1] ?? 0) - level) };
  }

  #kindOf(index: number): DayKind {
    const noon = this.#origin + index * DAY + (12 - DAY_START_HOUR) * HOUR;
    const clockShift = this.#zone.offset(noon) / 60 - this.#site.standardOffset;
    return { season: seasonOf(noon), weather: weatherOf(this.#seed, index), clockShift };
  }

  #sum(kind: DayKind): Counts {
    const key = keyOf(kind);
    const sum = this.#sums.get(key) ?? this.#day(kind).counts.at(-1) ?? NOTHING;
    this.#sums.set(key, sum);
    return sum;
  }

  #day(kind: DayKind): EnergyDay {
    const key = keyOf(kind);
    const known = this.#days.get(key);
    if (known) return known;
    const day = energyDay(this.#site, this.#system, kind);
    setNewest(this.#days, key, day, CACHED_DAYS);
    return day;
  }
}

function keyOf({ season, weather, clockShift }: DayKind): string {
  return `${season}/${weather}/${clockShift}`;
}
