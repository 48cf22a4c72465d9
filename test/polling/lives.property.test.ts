// Property test of the promise of a poll through random lives: nothing lost, nothing invented, in order, in its final form, one id.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Clock, RuntimeClock } from "../../src/clock";
import { errorText, HttpError } from "../../src/errors";
import { DAY, HOUR, isInWindow, MINUTE, type TimeWindow } from "../../src/time-units";
import { casesOf } from "../support/fuzz";
import { type ModelRecord, ModelSeries, type SentRecord } from "./model-series";

const noon = Date.UTC(2026, 5, 1, 12);
/** When all trouble is over, and nothing new comes any more. */
const OVER = noon + 10 * DAY;
/** A run that goes on after confirmations has ended after so many turns of the event loop. */
const MAX_TURNS = 50;

const rarely = <T, U>(usual: T, arbitrary: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary });

/** In minutes. */
const recordOf = fc.record({
  length: fc.constantFrom(5, 5, 5, 5, 1, 7, 15, 30, 60, 180),
  silence: rarely(0, fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 90, max: 3 * 1440 }))),
  /** How far it reaches back into the one before. */
  overlap: rarely(0, fc.integer({ min: 1, max: 20 })),
  /** How late it is published after its end; negative: while it is in progress. */
  lag: rarely(0, fc.integer({ min: -5, max: 2 * 1440 })),
  /** How much later it has another end, and by how much. */
  growth: rarely(
    undefined,
    fc.record({ after: fc.integer({ min: 1, max: 600 }), by: fc.integer({ min: -4, max: 20 }) }),
  ),
  /** How much later it has other values. */
  revision: rarely(undefined, fc.integer({ min: 1, max: 2 * 1440 })),
});

const stretchesOf = fc.array(fc.record({ record: recordOf, count: fc.constantFrom(1, 1, 2, 12, 40) }), {
  minLength: 2,
  maxLength: 12,
});

type DrawnRecord = typeof recordOf extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const stepOf = fc.record({
  minutes: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 60 }) },
    { weight: 1, arbitrary: fc.integer({ min: 60, max: 2 * 1440 }) },
  ),
  event: fc.constantFrom(
    ...(["message", "schedule", "schedule", "schedule", "down", "deploy", "kill", "off"] as const),
    ...(["sleep", "ahead", "behind", "right", "poison"] as const),
  ),
  /** By how many minutes clocks are set. */
  by: fc.integer({ min: 2, max: 3 * 1440 }),
  limit: rarely(Number.POSITIVE_INFINITY, fc.integer({ min: 2, max: 40 })),
  faultEvery: rarely(0, fc.integer({ min: 2, max: 5 })),
  replicaLag: rarely(0, fc.integer({ min: 1, max: 180 })),
  /** Which of the messages that wait are confirmed. */
  confirmed: fc.integer({ min: 0, max: 31 }),
});
type Step = typeof stepOf extends fc.Arbitrary<infer S> ? S : never;

const ruleOf = fc.record({
  isBatch: fc.boolean(),
  lookBack: fc.constantFrom(0, 0, 2 * HOUR, DAY),
  fillsGaps: fc.constant(true),
  startBefore: fc.constant(0),
});

const KINDS = ["sent", "confirmed", "carried"] as const;

/** All versions that records have, in the order of an answer. */
function recordsOf(stretches: readonly { record: DrawnRecord; count: number }[]): ModelRecord[] {
  const versions: ModelRecord[] = [];
  const starts = new Set<number>();
  let time = noon;
  for (const { record, count } of stretches)
    for (let index = 0; index < count; index += 1) {
      const { length, silence, overlap, lag, growth, revision } = record;
      const start = time + (index === 0 ? silence - overlap : 0) * MINUTE;
      if (starts.has(start) || start < noon) continue;
      starts.add(start);
      let end = start + length * MINUTE;
      let published = Math.max(end + lag * MINUTE, start);
      const all: ModelRecord[] = [{ start, end, published }];
      // Where every record ends early, that is no gap, and nothing is read again.
      if (growth && index === 0 && length + growth.by > 0) {
        published += growth.after * MINUTE;
        all.push({ start, end: (end += growth.by * MINUTE), published, changes: { form: "grown" } });
      }
      if (revision !== undefined) {
        published += revision * MINUTE;
        all.push({ start, end, published, changes: { form: "revised" } });
      }
      time = Math.max(...all.map((one) => one.end));
      const seen = all.filter((one) => one.published <= OVER);
      for (const [at, one] of seen.entries())
        versions.push({ ...one, withdrawn: seen[at + 1]?.published ?? Number.POSITIVE_INFINITY });
    }
  return versions.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

class Life {
  real = noon;
  /** How far the machine's clock is ahead, and how long its monotonic clock stood still. */
  #offset = 0;
  #still = 0;
  readonly series: ModelSeries;
  /** Sent before something may have had to be sent again. */
  #known = 0;
  readonly #confirmed = new Set<string | undefined>();
  readonly #kind: (typeof KINDS)[number];
  readonly #local: Clock = {
    now: () => this.real + this.#offset,
    monotonic: () => this.real - this.#still,
    isSure: true,
  };

  constructor(
    readonly records: readonly ModelRecord[],
    kind: (typeof KINDS)[number],
    readonly lookBack: number,
    rule: object,
  ) {
    this.#kind = kind;
    const clock = new RuntimeClock(this.#local);
    const time = clock.open();
    this.series = new ModelSeries({
      records,
      rule: {
        gapHorizon: 60 * DAY,
        gapRetryDelay: 5 * MINUTE,
        startBefore: 0,
        fillsGaps: true,
        isBatch: false,
        ...rule,
        lookBack,
        ...(kind === "confirmed" && { confirm: { timeoutMs: 1e8, maxUnconfirmed: 30 } }),
      },
      clock,
      isCarried: kind === "carried",
      serviceNow: () => this.real,
      onAnswer: () => {
        time.observe([this.real], clock.monotonic());
        // The request is made once more.
        if (!clock.isSure) time.observe([this.real], clock.monotonic());
      },
    });
  }

  async step({ minutes, event, by, ...trouble }: Step): Promise<void> {
    const { series } = this;
    this.real += minutes * MINUTE;
    if (event === "sleep" || event === "off") this.#still += minutes * MINUTE;
    if (event === "ahead") this.#offset = by * MINUTE;
    if (event === "behind") this.#offset = -by * MINUTE;
    if (event === "right") this.#offset = 0;
    if (event === "poison") {
      const window = { start: this.real - by * MINUTE, end: this.real - (by - 2) * MINUTE };
      series.poison.set(
        window,
        new HttpError(errorText("refused", { what: "Telemetry", status: 400 }), { statusCode: 400 }),
      );
    }
    series.limit = trouble.limit;
    series.faultEvery = trouble.faultEvery;
    // Answers that are cut are continued: of two replicas, they would show two forms of one record side by side.
    series.replicaLag = trouble.limit < 1e3 ? 0 : trouble.replicaLag * MINUTE;
    series.isDown = event === "down";
    series.isSaving = event !== "kill";
    await this.run(event !== "schedule", (index) => (trouble.confirmed & (1 << (index % 5))) > 0);
    const isAnswered = event !== "down" && trouble.faultEvery === 0 && series.poison.size === 0;
    if (isAnswered && this.#kind !== "confirmed") this.#judgeProgress();
    series.isSaving = true;
    if (event === "kill" || event === "off" || event === "deploy") this.#restart(event === "kill");
  }

  async run(isByMessage: boolean, isConfirmed: (index: number) => boolean = () => true): Promise<void> {
    const { series } = this;
    await series.run(isByMessage).catch(() => undefined);
    if (this.#kind !== "confirmed") return this.#judgeRun();
    const ids = [...new Set(series.sent.map(({ deliveryId = "" }) => deliveryId))];
    for (const [index, id] of ids.entries())
      if (isConfirmed(index) && series.poller.delivery?.confirm(id)) this.#confirmed.add(id);
    // It reads on by itself.
    for (let turn = 0; turn < MAX_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await series.poller.ledger.flush().catch(() => undefined);
    this.#judgeRun();
  }

  #restart(isKilled: boolean): void {
    this.series.restart();
    // What was not stored, or not confirmed, comes again.
    if (isKilled || this.#kind === "confirmed") this.#known = this.series.sent.length;
  }

  /** In order, nothing invented, nothing twice. */
  #judgeRun(): void {
    const sent = this.series.sent.slice(this.#known);
    const timely = sent.filter(({ due: { phase } }) => phase === "live" || phase === "catchup");
    for (const [index, { due }] of timely.entries())
      assert.ok(due.end > (timely[index - 1]?.due.end ?? 0), "not in order");
    const last = new Map<number, string>();
    for (const one of sent) {
      assert.ok(one.due.end <= this.real, "not ended");
      assert.notEqual(last.get(one.due.start), formOf(one), "twice");
      last.set(one.due.start, formOf(one));
    }
  }

  /** All that was there when it ended has been sent, also if answers were cut: but for the last hour, in which more may be to come. */
  #judgeProgress(): void {
    const sent = this.series.sent.map(({ due }) => due);
    for (const { start, end, published, withdrawn = 0 } of this.records)
      if (published === end && end <= this.real - HOUR - this.series.replicaLag && withdrawn > this.real)
        assert.ok(covers(sent, { start, end }), `not sent in time: ${minute(start)}-${minute(end)}`);
  }

  async recover(): Promise<void> {
    this.real = Math.max(this.real, OVER);
    this.#offset = 0;
    const { series } = this;
    series.poison.clear();
    Object.assign(series, { limit: Number.POSITIVE_INFINITY, faultEvery: 0, replicaLag: 0, isDown: false });
    for (let minutes = 0; minutes < 4 * 1440; minutes += 60) {
      this.real += HOUR;
      await this.run(false);
    }
    await this.run(true);
    this.judge();
  }

  judge(): void {
    const { records, lookBack } = this;
    const isConfirmed = this.#kind === "confirmed";
    const delivered = this.series.sent.filter((one) => !isConfirmed || this.#confirmed.has(one.deliveryId));
    const sent = new Map<number, SentRecord[]>();
    for (const one of delivered) sent.set(one.due.start, [...(sent.get(one.due.start) ?? []), one]);
    const final = records.filter(({ withdrawn = 0 }) => withdrawn === Number.POSITIVE_INFINITY);
    const newest = Math.max(...final.map(({ end }) => end));
    assert.deepEqual(
      this.series.notices.filter(({ kind }) => kind === "given-up"),
      [],
    );
    for (const record of final) {
      const { start, end } = record;
      const versions = sent.get(start) ?? [];
      // One that others hide is not missing.
      const others = delivered.filter(({ due }) => due.start !== start).map(({ due }) => due);
      if (versions.length === 0) assert.ok(covers(others, record), `lost: ${minute(start)}-${minute(end)}`);
      else {
        assert.equal(new Set(versions.map(({ recordId }) => recordId)).size, 1);
        const last = versions.at(-1);
        const isRead = end > newest - lookBack;
        if (last && lookBack > 0 && isRead)
          assert.equal(formOf(last), JSON.stringify([end, record.changes]), "not in its final form");
        else if (Math.max(...versions.map(({ due }) => due.end)) < end)
          assert.ok(
            covers(others, { start: last?.due.end ?? start, end }),
            `not as long as it became: ${minute(start)}-${minute(end)}`,
          );
      }
    }
    const known = new Set(records.map(({ start, end, changes }) => JSON.stringify([start, end, changes])));
    for (const one of this.series.sent) {
      const [end, changes] = JSON.parse(formOf(one)) as [number, object];
      assert.ok(known.has(JSON.stringify([one.due.start, end, changes ?? undefined])), "invented");
    }
  }
}

function minute(time: number): number {
  return (time - noon) / MINUTE;
}

function formOf({ due }: SentRecord): string {
  const { form } = due.record as { form?: string };
  return JSON.stringify([due.end, form === undefined ? undefined : { form }]);
}

/** Whether the windows together cover all of an interval. */
function covers(windows: readonly TimeWindow[], { start, end }: TimeWindow): boolean {
  let coveredTo = start;
  for (const window of windows
    .filter((one) => isInWindow(one, { start, end }))
    .toSorted((a, b) => a.start - b.start))
    if (window.start <= coveredTo) coveredTo = Math.max(coveredTo, window.end);
  return coveredTo >= end;
}

describe("a poll through random lives", function () {
  // Shrinking a counterexample takes long.
  this.timeout(0);

  for (const kind of KINDS)
    it(`loses, invents and repeats nothing: ${kind}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          stretchesOf,
          fc.array(stepOf, { minLength: 3, maxLength: 25 }),
          ruleOf,
          async (stretches, steps, { lookBack, ...rule }) => {
            const life = new Life(recordsOf(stretches), kind, lookBack, rule);
            await life.run(true);
            for (const step of steps) await life.step(step);
            await life.recover();
            life.series.poller.delivery?.stop();
          },
        ),
        { numRuns: casesOf(2) },
      );
    });
});
