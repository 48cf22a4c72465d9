// Checks what a flow receives against what the service holds: nothing lost, nothing invented, in order, and equal ids.
import { HOUR, MINUTE } from "../../src/time-units";
import { numberOf } from "./chance";
import type { Problems } from "./problems";
import type { Series, Version, World } from "./world";

/** A message with one record. */
export interface Delivery {
  payload: { startTime: string };
  siteId: string;
  systemId?: string;
  energy: { recordId: string; phase?: string; startTime: string; endTime: string; validUntil?: string };
}

/** The service's clock is known to about a minute. */
const CLOCK = MINUTE;
/** No record is valid for longer after its end. */
const LONGEST_VALID = 3 * HOUR;
const NONE = -1;
/** Lost records that are named one by one. */
const MAX_LOST_TEXTS = 8;

/** What one node delivered. Its memory is allocated once, so that it does not look like a leak of what it checks. */
export class Tally {
  readonly #versions: Int8Array;
  readonly #ids: Float64Array;
  /** By series: the newest record delivered in order, and the last late one with its time. */
  readonly #newest: Int32Array;
  readonly #late: { at: Int32Array; slot: Int32Array };
  /** When each record was first delivered, in milliseconds of virtual time; 0 = not yet. */
  readonly #deliveredAt: Int32Array;
  delivered = 0;
  late = 0;
  revised = 0;
  /** Records that came again with the same content. */
  repeated = 0;

  constructor(
    private readonly name: string,
    private readonly source: Series["source"],
    private readonly world: World,
    private readonly now: () => number,
    private readonly problems: Problems,
    private readonly isInOrder = true,
  ) {
    const { slots, series } = world;
    this.#versions = new Int8Array(series.length * slots).fill(NONE);
    this.#ids = new Float64Array(series.length * slots);
    this.#newest = new Int32Array(series.length).fill(NONE);
    this.#late = { at: new Int32Array(series.length), slot: new Int32Array(series.length) };
    this.#deliveredAt = new Int32Array(series.length * slots);
  }

  receive({ payload, siteId, systemId, energy }: Delivery): void {
    const series = this.world.find(siteId, systemId, this.source);
    const slot = this.world.slotOf(Date.parse(payload.startTime));
    if (!series || !Number.isInteger(slot))
      return this.#problem(`an unknown record of ${siteId}/${systemId}`, payload);
    const version = ([0, 1] as const).find(
      (one) => JSON.stringify(this.world.record(series, slot, one)) === JSON.stringify(payload),
    );
    const shown = this.world.versionAt(series, slot, this.now());
    if (version === undefined || shown === undefined || version > shown)
      return this.#problem("a record that the service did not show", payload);
    const times = [energy.startTime, energy.endTime].map((time) => Date.parse(time));
    const start = this.world.startOf(slot);
    if (times[0] !== start || times[1] !== this.world.startOf(slot + 1)) this.#problem("wrong times", energy);
    this.#note(series, slot, version, energy);
  }

  #note(
    series: Series,
    slot: number,
    version: Version,
    { recordId, phase, validUntil = "" }: Delivery["energy"],
  ): void {
    const place = series.index * this.world.slots + slot;
    const before = this.#versions[place] ?? NONE;
    if (before === NONE) this.#deliveredAt[place] = this.#passed();
    const id = numberOf(recordId) + 2 ** 32 * recordId.length;
    const what = `${series.siteId}/${series.systemId} ${new Date(this.world.startOf(slot)).toISOString()}`;
    if (before !== NONE && this.#ids[place] !== id) this.#problem(`another id of ${what}`, recordId);
    this.#ids[place] = id;
    this.#versions[place] = Math.max(before, version);
    this.delivered += 1;
    const valid = Math.min(Date.parse(validUntil), this.world.startOf(slot + 1) + LONGEST_VALID);
    if (phase === "live" && !(this.now() <= valid + CLOCK)) this.#problem(`${what} is not live`, phase);
    if (before === version) this.repeated += 1;
    else if (before !== NONE) {
      this.revised += 1;
      if (before > version) this.#problem(`${what} came again as it was before its revision`, phase);
      if (phase !== "revised") this.#problem(`${what} is revised`, phase);
    } else if (this.isInOrder) this.#inOrder(series.index, slot, phase, what);
  }

  /** The late records of a gap come in order among themselves, at least those of one moment; all others are in order. */
  #inOrder(index: number, slot: number, phase: string | undefined, what: string): void {
    if (phase === "late") {
      this.late += 1;
      const before = this.#late.slot[index] ?? NONE;
      const isSameMoment = this.#late.at[index] === this.#passed();
      if (isSameMoment && this.#isSameGap(index, slot, before))
        this.#problem(`${what} is out of order`, phase);
      this.#late.at[index] = this.#passed();
      this.#late.slot[index] = slot;
      return;
    }
    if (slot < (this.#newest[index] ?? NONE)) this.#problem(`${what} is out of order`, phase);
    this.#newest[index] = slot;
  }

  /** Whether nothing between two records was delivered before this moment. */
  #isSameGap(index: number, slot: number, later: number): boolean {
    if (later <= slot) return false;
    const first = index * this.world.slots;
    const between = this.#deliveredAt.subarray(first + slot + 1, first + later);
    return between.every((at) => at === 0 || at === this.#passed());
  }

  /** Virtual time since the start, in milliseconds; never 0. */
  #passed(): number {
    return this.now() - this.world.start + 1;
  }

  /**
   * Finds the records that were lost: those shown by the time `shownBy` that start in the range, or their revision.
   * @returns how many records were due
   */
  findLost(from: number, shownBy: number, isDue: (series: Series) => boolean = () => true): number {
    let due = 0;
    let lost = 0;
    const ids = new Set<number>();
    for (const series of this.world.series) {
      if (series.source !== this.source || !isDue(series)) continue;
      for (let slot = Math.ceil(this.world.slotOf(from)); slot < this.world.slots; slot += 1) {
        const version = this.world.versionAt(series, slot, shownBy);
        if (version === undefined) continue;
        due += 1;
        const place = series.index * this.world.slots + slot;
        const delivered = this.#versions[place] ?? NONE;
        ids.add(this.#ids[place] ?? 0);
        if (delivered >= version) continue;
        lost += 1;
        if (lost > MAX_LOST_TEXTS) continue;
        const what = delivered === NONE ? "lost" : "lost the revision of";
        this.#problem(`${what} ${series.siteId}/${series.systemId}`, this.#facts(series, slot));
      }
    }
    if (lost > MAX_LOST_TEXTS) this.#problem(`lost in all, of ${due}`, lost);
    if (lost === 0 && ids.size < due) this.#problem("records share ids", due - ids.size);
    return due;
  }

  #facts(series: Series, slot: number): object {
    const text = (time: number): string | number =>
      Number.isFinite(time) && time > 0 ? new Date(time).toISOString() : time;
    const { world } = this;
    return {
      start: text(world.startOf(slot)),
      shown: text(world.shownAt(series, slot)),
      revised: text(world.revisedAt(series, slot)),
      unreadableUntil: text(world.unreadableUntil(series, slot)),
    };
  }

  #problem(text: string, fact: unknown): void {
    this.problems.add(`${this.name}: ${text}: ${JSON.stringify(fact)}`);
  }

  summary(): string {
    return `${this.delivered} records, ${this.late} late, ${this.revised} revised, ${this.repeated} repeated`;
  }
}
