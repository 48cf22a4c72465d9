// The rhythm of a series: how long its records are, how late they can be read, and how often nodes read them.
import { setNewest } from "../bounded-map";
import { mapOf, number, readerOf, type Shaped } from "../models/shape";
import { cachedPromise } from "../single-flight";
import type { StateForm, StateGroup } from "../stored-state";
import { DAY, HOUR, MINUTE, type TimeWindow } from "../time-units";

/** How often a node reads a series that only messages make it read. */
const PACE = {
  at: number,
  /** Between its last reads, the newest last. */
  intervals: [number],
} as const;

const STORED = {
  /** Of the last records. */
  lengths: [number],
  /** How long after their end the last records could be read: upper bounds, within one read. */
  lags: [number],
  /** By node, the one that read last at the end. */
  paces: mapOf(PACE),
} as const;

type StoredRhythm = Shaped<typeof STORED>;

/** Plain data. Times and durations in milliseconds; of each list the newest entry comes last. */
export interface Rhythm extends StoredRhythm {
  /** End of the newest record seen. */
  readonly newestEnd?: number | undefined;
  /** When the present was last read, by any node. */
  readonly readAt?: number | undefined;
}

/** What was requested, and what came: in order. */
interface Read {
  readonly window: TimeWindow;
  readonly records: readonly TimeWindow[];
}

/** Who reads: how often by its schedule, in milliseconds; 0 = when a message comes. */
export interface Reader {
  readonly id: string;
  readonly repeat: number;
}

export const NEW_RHYTHM: Rhythm = { lengths: [], lags: [], paces: {} };

/** How many records, and how many intervals between reads, a rhythm is learned from. */
const RECORDS = 12;
const READS = 3;
/** How long a write may wait for others, in milliseconds. */
const GATHERING = 1000;
/** How many nodes are remembered: a flow may have one for each value. */
const READERS = 100;
/** As often as records usually come (service interface 4.4 rule 3). */
export const USUAL_INTERVAL = 5 * MINUTE;
/** Messages closer together than this are one read, such as two clicks on a button. */
const SHORTEST_INTERVAL = MINUTE / 2;
/** Nothing says how late the first record could be read: if it is older than this, the site is silent. */
const MAX_FIRST_LAG = 20 * MINUTE;
/** For daily records that are shown a day later. */
const MOST_LATE = 2 * DAY;

/** The rhythm after a node has read a window. Only one that reaches the present, and the newest record, says anything. */
export function afterRead(known: Rhythm, { window, records }: Read, now: number, reader: Reader): Rhythm {
  const { newestEnd = Number.NEGATIVE_INFINITY } = known;
  const hasBegun = (records[0]?.start ?? Number.POSITIVE_INFINITY) <= now;
  const isLatest = window.end >= now - MINUTE && (hasBegun || window.start <= newestEnd);
  if (!isLatest) return known;
  const paces = reader.repeat > 0 ? known.paces : withPace(known.paces, reader.id, now);
  const fresh = records.slice(-RECORDS).filter(({ end }) => end > newestEnd && end <= now);
  const newest = fresh.at(-1);
  const lengths = [...known.lengths, ...fresh.map(({ start, end }) => end - start)].slice(-RECORDS);
  const read = { lengths, lags: known.lags, newestEnd: known.newestEnd, readAt: now, paces };
  if (!newest) return read;
  const lag = lagOf(newest.end, read, known.readAt, reader);
  const lags = lag === undefined ? known.lags : [...known.lags, lag].slice(-RECORDS);
  return { lengths, lags, newestEnd: newest.end, readAt: now, paces };
}

/**
 * How late a new newest record could be read at most. Undefined if it says nothing about that: no one has looked for it lately,
 * or it comes with others after a silence.
 */
function lagOf(end: number, read: Rhythm, lookedAt: number | undefined, reader: Reader): number | undefined {
  const { lengths, lags, newestEnd = end, readAt = end } = read;
  const age = readAt - end;
  if (lags.length === 0) return Math.min(age, MAX_FIRST_LAG);
  const pause = lookedAt === undefined ? Number.NaN : readAt - lookedAt;
  const wasMissed = pause <= 2 * intervalOf(read, reader) + MINUTE;
  const isInStep = end - newestEnd <= pause + Math.max(...lengths) + MINUTE;
  return wasMissed && isInStep ? age : undefined;
}

/** How long after their end records can be read at the latest: an hour, if nothing is known of that. One odd record does not delay all. */
export function latenessOf({ lengths, lags }: Rhythm): number {
  return lags.length === 0 ? HOUR : Math.min(Math.max(...lags) + Math.max(...lengths), MOST_LATE);
}

/** How many series of an account are remembered. */
const SERIES = 20_000;

export const RHYTHM_FORM: StateForm<StoredRhythm> = { read: readerOf(STORED) };

export class Rhythms {
  readonly #stored: StateGroup<StoredRhythm> | undefined;
  /** The gist is absent until it is needed. */
  readonly #known = new Map<string, { rhythm: Rhythm; gist?: string }>();
  #isClosed = false;
  /** Resolves once what was learned before is known. What cannot be read is learned again. */
  readonly load = cachedPromise(async () => {
    const stored = (await this.#stored?.load().catch(() => undefined)) ?? [];
    for (const [series, rhythm] of stored) this.#known.set(series, { rhythm });
  });

  /** @param stored keeps them across restarts */
  constructor(stored?: StateGroup<StoredRhythm>) {
    this.#stored = stored;
  }

  of(series: string): Rhythm {
    return this.#known.get(series)?.rhythm ?? NEW_RHYTHM;
  }

  note(series: string, read: Read, now: number, reader: Reader): void {
    const known = this.of(series);
    const rhythm = afterRead(known, read, now, reader);
    if (rhythm === known) return;
    const before = this.#known.get(series)?.gist ?? gistOf(known);
    const gist = gistOf(rhythm);
    const [forgotten] = setNewest(this.#known, series, { rhythm, gist }, SERIES) ?? [];
    if (forgotten !== undefined) this.#save(forgotten, undefined);
    // A steady series is written once.
    if (gist === before) return;
    const { lengths, lags, paces } = rhythm;
    this.#save(series, { lengths, lags, paces });
  }

  /** Resolves once what waits is written; nothing is written afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stored?.flush();
  }

  #save(series: string, rhythm: StoredRhythm | undefined): void {
    // What cannot be stored is learned again after a restart.
    if (!this.#isClosed) this.#stored?.save(series, rhythm, GATHERING).catch(() => undefined);
  }
}

/** What follows from a rhythm, in minutes. */
function gistOf({ lengths, lags, paces }: Rhythm): string {
  let text = `${minutesOf(Math.max(0, ...lengths))} ${minutesOf(Math.max(0, ...lags))}`;
  for (const id of Object.keys(paces))
    text += ` ${id} ${minutesOf(intervalOf({ paces }, { id, repeat: 0 }))}`;
  return text;
}

function minutesOf(time: number): number {
  return Math.ceil(time / MINUTE);
}

/** How often a node reads a series, in milliseconds. */
export function intervalOf({ paces }: Pick<Rhythm, "paces">, { id, repeat }: Reader): number {
  if (repeat > 0) return repeat;
  // Until there are three, the usual one is taken for the first. One that is out of step, such as a pause of hours, does not count.
  const intervals = [USUAL_INTERVAL, ...(paces[id]?.intervals ?? [])].slice(-READS);
  const sorted = intervals.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? USUAL_INTERVAL;
}

function withPace(paces: Rhythm["paces"], id: string, now: number): Rhythm["paces"] {
  const known = paces[id];
  const pause = known ? now - known.at : 0;
  if (known && Math.abs(pause) < SHORTEST_INTERVAL) return paces;
  const intervals = known?.intervals ?? [];
  const pace = { at: now, intervals: pause > 0 ? [...intervals, pause].slice(-READS) : intervals };
  const others = Object.entries(paces).filter(([other]) => other !== id);
  return Object.fromEntries([...others.slice(1 - READERS), [id, pace]]);
}
