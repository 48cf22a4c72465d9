// Property tests of threshold in a hostile world: bad values, old and repeated records, silence, crashes, wrong clocks, new limits.
import assert from "node:assert/strict";
import fc from "fast-check";
import { casesOf } from "../support/fuzz";
import type { NodeMessage } from "node-red";
import type { Decision, Edge, ThresholdReading, ThresholdRule } from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";
import { ModelThreshold } from "./model-threshold";

const NOON = Date.UTC(2026, 5, 1, 12);

const ruleOf = fc.record({
  limits: fc.constantFrom([20, 60], [50, 55], [70, 90]),
  bounds: fc.constantFrom([undefined, undefined], [0, 100], [30, undefined], [undefined, 80]),
  maxAge: fc.constantFrom(undefined, 0, 1, 5, 15, 60),
  repeat: fc.constantFrom(0, 0, 2, 30),
  hold: fc.constantFrom(0, 0, 4),
});

const valueOf = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 100 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 100 }).map(String) },
  { weight: 3, arbitrary: fc.constantFrom(null, undefined, 255, -1, Number.NaN, true, "", "57 %", {}, []) },
);

const stepOf = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("value" as const), value: valueOf }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("record" as const),
      value: valueOf,
      /** Minutes since its end; negative while it is in progress or yet to begin. */
      age: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 0, max: 8 }) },
        { weight: 1, arbitrary: fc.integer({ min: -20, max: 90 }) },
      ),
      phase: fc.constantFrom(undefined, "live", "live", "live", "catchup", "late", "revised", "other"),
      isBatch: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "again" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("reason" as const),
      reason: fc.constantFrom("failed", "failed", "no-record", "stale", "no-value", "implausible", "new"),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      minutes: fc.double({ min: 0, max: 40, noNaN: true }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("restart" as const),
      off: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90 })),
      isCrash: fc.boolean(),
      rule: fc.option(ruleOf, { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("clock" as const),
      offset: fc.integer({ min: -120, max: 120 }),
    }),
  },
);

/** Values low, between and high by any rule, at short intervals: sides are reached, held and left again. */
const quietStepOf = fc.oneof(
  fc.record({ kind: fc.constant("value" as const), value: fc.constantFrom(10, 52, 95) }),
  fc.record({ kind: fc.constant("wait" as const), minutes: fc.double({ min: 0, max: 5, noNaN: true }) }),
);

// Without `size`, fast-check draws short lists only.
const LENGTH = { minLength: 5, maxLength: 60, size: "max" } as const;

const stepsOf = fc.oneof(
  fc.array(stepOf, LENGTH),
  fc.array(fc.oneof({ weight: 19, arbitrary: quietStepOf }, { weight: 1, arbitrary: stepOf }), LENGTH),
);

type DrawnRule = typeof ruleOf extends fc.Arbitrary<infer Drawn> ? Drawn : never;
type Step = typeof stepOf extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function ruleFrom({ limits, bounds, maxAge, repeat, hold }: DrawnRule): ThresholdRule {
  const [low = 0, high = 0] = limits;
  const [min, max] = bounds;
  const age = maxAge === undefined ? undefined : maxAge * MINUTE;
  return { low, high, min, max, hold: hold * MINUTE, maxAge: age, repeat: repeat * MINUTE };
}

/** No message here says until when it is valid. */
function maxAgeOf({ maxAge = 15 * MINUTE }: ThresholdRule): number {
  return maxAge;
}

function sideOf(value: number, { high, low }: ThresholdRule): Edge | undefined {
  if (value >= high) return "high";
  return value <= low ? "low" : undefined;
}

/** What a person knows who watches the messages and the outputs. */
class Observer {
  readonly node: ModelThreshold;
  /** The last safe value, and when it was seen and true by the wall clock and in real time. */
  #safe: { value: number; seen: number; age: number; time: number; isForgotten?: true } | undefined;
  /** Since when all values were safe and beyond the same limit: as seen, and by the time of the record. */
  #beyond: { side: Edge; seen: number; time: number | undefined } | undefined;
  #newest = Number.NEGATIVE_INFINITY;
  #last: NodeMessage = { payload: 0 };
  /** Of the last safe value. */
  #recordTime: number | undefined;
  /** The last edge or reason sent. */
  #notified: Decision | undefined;
  #safeSinceNotified = 0;
  #looked = 0;
  #sideSent = 0;

  constructor(rule: ThresholdRule) {
    this.node = new ModelThreshold(NOON, rule);
  }

  async play(step: Step): Promise<void> {
    const { node } = this;
    if (step.kind === "wait") node.wait(step.minutes * MINUTE);
    else if (step.kind === "clock") node.offset = step.offset * MINUTE;
    else if (step.kind === "restart") this.#restart(step);
    else await this.#receive(step.kind === "again" ? this.#last : this.#message(step));
    this.#check();
  }

  #restart({ off, isCrash, rule }: Extract<Step, { kind: "restart" }>): void {
    const { node } = this;
    this.#check();
    const crashed = node.real;
    this.#beyond = undefined;
    const { high, low, hold } = node.rule;
    node.restart(off * MINUTE, isCrash, rule && ruleFrom(rule));
    const areLimitsNew = node.rule.high !== high || node.rule.low !== low;
    this.#judgeAgain(areLimitsNew);
    const isJudgedAgain = areLimitsNew || node.rule.hold < hold;
    // A crash forgets the records and values of the last minute.
    if (isCrash) this.#newest = node.stored?.end ?? Number.NEGATIVE_INFINITY;
    const maxAge = maxAgeOf(node.rule);
    const safe = this.#safe;
    if (safe && isCrash && crashed - safe.seen < MINUTE) this.#safe = { ...safe, isForgotten: true };
    if (safe === undefined || this.#safe?.isForgotten) return;
    if (maxAge > 0 && safe.time > node.moment.now + MINUTE) {
      // The clock was set: no one knows how old the value is, and its record counts if it comes again.
      this.#newest = node.stored?.end ?? this.#newest;
      this.#safe = { ...safe, isForgotten: true };
      return;
    }
    safe.time = Math.min(safe.time, node.moment.now);
    const isFresh = maxAge === 0 || node.moment.now - safe.time <= maxAge;
    if (isFresh && this.#isPlausible(safe.value) && !isJudgedAgain)
      assert.deepEqual(node.sent.slice(this.#looked), [], "a restart with a fresh value says nothing");
  }

  /**
   * The stored value may be on the other side, because it has not held yet or by new limits, which counts from now on; or between
   * new limits: then its side is unknown.
   */
  #judgeAgain(areLimitsNew: boolean): void {
    const { value, unsafe } = this.node.stored ?? {};
    if (value === undefined || unsafe !== undefined) return;
    const side = sideOf(value, this.node.rule);
    if (side === this.#side || (side === undefined && !areLimitsNew)) return;
    if (areLimitsNew) this.#notified = undefined;
    this.#beyond = side && { side, seen: this.node.startedAt, time: undefined };
  }

  async #receive(message: NodeMessage): Promise<void> {
    const { node } = this;
    this.#last = message;
    const reading = await node.receive(message);
    const { phase } = { phase: undefined, ...(message.energy as object) } as { phase?: unknown };
    if (phase !== undefined && phase !== "live") assert.equal(reading, undefined, "backlog decides nothing");
    const value = reading === undefined ? "ignored" : this.#judge(reading);
    if (typeof value === "string") {
      const edges = node.sent.slice(this.#looked).filter(({ decision }) => "edge" in decision);
      assert.deepEqual(edges, [], "only a safe value is an edge");
      this.#check();
      if (value === "unsafe") assert.ok(this.#notified && "reason" in this.#notified, "unsafe at once");
      return;
    }
    const { hold } = node.rule;
    const side = sideOf(value, node.rule);
    const wasUnsafe = node.sent.slice(this.#looked).some(({ decision }) => "reason" in decision);
    if (side !== this.#beyond?.side || wasUnsafe)
      this.#beyond = side && { side, seen: node.real, time: reading?.end && this.#safe?.time };
    this.#recordTime = reading?.end && this.#safe?.time;
    this.#checkDecisions();
    this.#safeSinceNotified += 1;
    // Whatever happened before: what was sent last is true, unless the value is between the limits.
    if (side && hold === 0) assert.equal(this.#side, side);
  }

  /** The value of a reading if it is safe to act on. */
  #judge({ value, start, end, reason }: ThresholdReading): number | "unsafe" | "ignored" {
    const { now } = this.node.moment;
    if (reason !== undefined) return ["stale", "implausible"].includes(reason) ? "unsafe" : "ignored";
    if (start !== undefined && start > now) return "ignored";
    const seenEnd = end === undefined ? undefined : Math.min(end, now);
    // One of the future is of a clock that has been set back since: nothing that comes would be newer.
    const isKnown = seenEnd !== undefined && this.#newest <= now + MINUTE && seenEnd <= this.#newest;
    if (isKnown) return "ignored";
    if (seenEnd !== undefined) this.#newest = seenEnd;
    const time = end === undefined ? now : end > now ? (start ?? now) : end;
    const maxAge = maxAgeOf(this.node.rule);
    if (maxAge > 0 && now - time > maxAge) return "unsafe";
    if (value === null) return "ignored";
    if (!this.#isPlausible(value)) return "unsafe";
    this.#safe = { value, seen: this.node.real, age: now - time, time };
    return value;
  }

  /** The side sent last, unless it was unsafe afterwards. */
  get #side(): Edge | undefined {
    return this.#notified?.edge;
  }

  #isPlausible(value: number): boolean {
    const { min = -Infinity, max = Infinity } = this.node.rule;
    return value >= min && value <= max;
  }

  /** Checks what was sent since the last look, and that silence was noticed. */
  #check(): void {
    const { node } = this;
    this.#checkDecisions();
    const { hold } = node.rule;
    const maxAge = maxAgeOf(node.rule);
    if (this.#notified && "reason" in this.#notified && this.#safeSinceNotified === 0)
      this.#beyond = undefined;
    if (this.#beyond && node.real - this.#beyond.seen > hold + 2)
      assert.equal(this.#side, this.#beyond.side, "a value that has held is noticed in time");
    const safe = this.#safe;
    const runs = node.real - node.startedAt;
    const silence = safe === undefined ? runs : Math.min(runs, node.real - safe.seen + safe.age);
    if (maxAge > 0 && silence > maxAge + 2)
      assert.ok(this.#notified && "reason" in this.#notified, "silence is noticed in time");
  }

  #checkDecisions(): void {
    for (const { at, decision } of this.node.sent.slice(this.#looked)) this.#checkDecision(at, decision);
    this.#looked = this.node.sent.length;
  }

  #checkDecision(at: number, decision: Decision): void {
    if ("reason" in decision) {
      if (this.#notified && "reason" in this.#notified)
        assert.ok(this.#safeSinceNotified > 0, "an unsafe time is reported once");
    } else {
      const side = this.#side;
      const { repeat, hold } = this.node.rule;
      const maxAge = maxAgeOf(this.node.rule);
      const safe = this.#safe;
      assert.ok(safe, "an edge needs a safe value");
      if (!safe.isForgotten) assert.equal(decision.value, safe.value);
      if (maxAge > 0 && at - this.node.startedAt > maxAge) assert.ok(at - safe.seen + safe.age <= maxAge + 2);
      if (decision.repeated) {
        assert.equal(side, decision.edge, "only the present side is repeated");
        assert.ok(at - this.#sideSent >= repeat - 1e-6, "not repeated too early");
      } else {
        const beyond = this.#beyond;
        assert.equal(beyond?.side, decision.edge, "the edge is that of the last value");
        const held = (this.#recordTime ?? 0) - (beyond?.time ?? this.#recordTime ?? 0);
        assert.ok(Math.max(held, at - (beyond?.seen ?? at)) >= hold - 1e-6, "the value has held");
        assert.notEqual(side, decision.edge, "no edge twice without an unsafe time between");
      }
      this.#sideSent = at;
    }
    if (!("edge" in decision && decision.repeated)) {
      this.#notified = decision;
      this.#safeSinceNotified = 0;
    }
  }

  #message(step: Extract<Step, { kind: "value" | "record" | "reason" }>): NodeMessage {
    if (step.kind === "value") return { payload: step.value };
    if (step.kind === "reason")
      return { payload: null, energy: { kind: "latest-value", reason: step.reason } };
    const { value: payload, age, phase, isBatch } = step;
    const iso = (minutes: number): string => new Date(this.node.real - minutes * MINUTE).toISOString();
    const times = { startTime: iso(age + 5), endTime: iso(age) };
    const whole = { kind: "telemetry", phase, ...times };
    if (!isBatch || phase === undefined) return { payload, energy: whole };
    return { payload: [payload], energy: { kind: "telemetry", records: [{ phase, ...times }] } };
  }
}

describe("threshold in a hostile world", () => {
  // Shrinking a counterexample takes long.

  it("acts on safe values only, notices silence in time, and comes back with the edge that is true", async () => {
    await fc.assert(
      fc.asyncProperty(ruleOf, stepsOf, async (drawn, steps) => {
        const observer = new Observer(ruleFrom(drawn));
        for (const step of steps) await observer.play(step);
      }),
      { numRuns: casesOf(50) },
    );
  });
});
