// The energy of one system at any time since it was installed, without simulating all the time before.
import { setNewest } from "../bounded-map";
import { inTurns } from "../loop-turns";
import { DAY, HOUR, MINUTE, type TimeWindow } from "../time-units";
import { seasonOf, weatherOf } from "./conditions";
import {
  type Counts,
  DAY_START_HOUR,
  type DayKind,
  type Energy,
  energyDay,
  NOTHING,
  plus,
  SLOTS_PER_DAY,
} from "./energy-day";
import type { SitePlan, SystemPlan } from "./sites";

export const SLOT = 5 * MINUTE;
/** Fully simulated days to cache: a request for 24 h needs two. */
const CACHED_DAYS = 4;
/** The day before 2024-01-01, which is then complete in every time zone. */
const FIRST_DAY = Date.UTC(2023, 11, 31);

/** The interval of a record in milliseconds since the epoch, with what was counted in it, and the energy at its end. */
export type Slot = NonNullable<ReturnType<typeof slotBetween>>;

/** Undefined if an end of the interval is not known. */
export function slotBetween({ start, end }: TimeWindow, before?: Energy, after?: Energy) {
  if (!before || !after) return undefined;
  const { total, stored } = after;
  return { start, end, grown: plus(total, before.total, -1), total, stored };
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
  /** What was counted at the start of each day. */
  readonly #before = [NOTHING];
  /** By the key of a kind of day. */
  readonly #sums = new Map<string, Counts>();
  readonly #days = new Map<string, Energy[]>();

  constructor(site: SitePlan, system: SystemPlan) {
    this.#site = site;
    this.#system = system;
    // The sun takes four minutes for a degree.
    const ahead = Math.round((site.longitude * 4 * MINUTE) / SLOT) * SLOT;
    this.#origin = FIRST_DAY + DAY_START_HOUR * HOUR - ahead;
    this.#seed = Math.round(site.latitude * 100);
  }

  /** Sums up the days until then without holding the event loop. Nothing else needs it, but it takes long the first time. */
  prepare(until: number): Promise<void> {
    return inTurns(this.#missing(until), () => this.#addDay());
  }

  /** At the last full five minutes; undefined before the system was installed. */
  at(time: number): Energy | undefined {
    const slot = Math.floor((time - this.#origin) / SLOT);
    if (slot < 0) return undefined;
    const index = Math.floor(slot / SLOTS_PER_DAY);
    while (this.#before.length <= index) this.#addDay();
    const { total = NOTHING, stored = 0 } = this.#day(this.#kindOf(index))[slot % SLOTS_PER_DAY] ?? {};
    return { total: plus(this.#before[index] ?? NOTHING, total), stored };
  }

  *#missing(until: number): Generator<void> {
    while (this.#origin + this.#before.length * DAY <= until) yield;
  }

  #addDay(): void {
    const kind = this.#kindOf(this.#before.length - 1);
    const key = keyOf(kind);
    const sum = this.#sums.get(key) ?? this.#day(kind).at(-1)?.total ?? NOTHING;
    this.#sums.set(key, sum);
    this.#before.push(plus(this.#before.at(-1) ?? NOTHING, sum));
  }

  #kindOf(index: number): DayKind {
    return { season: seasonOf(this.#origin + index * DAY), weather: weatherOf(this.#seed, index) };
  }

  #day(kind: DayKind): Energy[] {
    const key = keyOf(kind);
    const known = this.#days.get(key);
    if (known) return known;
    const day = energyDay(this.#site, this.#system, kind);
    setNewest(this.#days, key, day, CACHED_DAYS);
    return day;
  }
}

function keyOf({ season, weather }: DayKind): string {
  return `${season}/${weather}`;
}
