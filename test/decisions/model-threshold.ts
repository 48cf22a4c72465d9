// A threshold node without Node-RED, in a world with a real time, a wall clock that may be wrong, restarts and crashes.
import assert from "node:assert/strict";
import { liveMessage, readingOf } from "../../src/messages/live-message";
import { DECISIONS_FORM } from "../../src/decisions/subjects";
import type { Moment } from "../../src/clock";
import {
  afterRestart,
  type Decision,
  type StoredThreshold,
  type ThresholdReading,
  type ThresholdRule,
  type ThresholdState,
  type ThresholdStep,
  stepByReading,
  stepByTime,
  timeToDecision,
} from "../../src/decisions/threshold";
import type { FlowMessage } from "../../src/messages/reader";
import { MINUTE } from "../../src/time-units";

/** A decision that was sent, and the real time. */
export interface Sent {
  at: number;
  decision: Decision;
}

/** A timer that fires more often than this in one wait would never let the node rest. */
const MAX_TIMEOUTS = 1000;

export class ModelThreshold {
  /** The real time. */
  real: number;
  /** How far the wall clock is ahead. */
  offset = 0;
  rule: ThresholdRule;
  readonly sent: Sent[] = [];
  startedAt: number;
  #state: ThresholdState;
  /** As in the file. */
  #file = "[]";
  #savedAt = Number.NEGATIVE_INFINITY;

  constructor(real: number, rule: ThresholdRule) {
    this.real = real;
    this.startedAt = real;
    this.rule = rule;
    this.#state = { arrival: this.moment };
  }

  get moment(): Moment {
    const monotonic = this.real - this.startedAt;
    return {
      now: this.real + this.offset,
      monotonic,
      isSure: true,
      knownSince: Number.NEGATIVE_INFINITY,
      jumpedAt: Number.NEGATIVE_INFINITY,
    };
  }

  /** What is remembered after a crash. */
  get stored(): StoredThreshold | undefined {
    const [stored] = DECISIONS_FORM.read(JSON.parse(this.#file)) ?? [];
    return stored?.state;
  }

  /** Returns the reading, or undefined if the message is ignored. */
  async receive(message: FlowMessage): Promise<ThresholdReading | undefined> {
    const live = liveMessage(message, []);
    if (!live) return undefined;
    const reading = await readingOf(live, (from) => Promise.resolve({ value: from.payload }), "payload");
    this.#apply(stepByReading(this.#state, reading, this.moment, this.rule));
    this.#saveIfDue();
    return reading;
  }

  /** Lets time pass. The timer fires when it is due, and looks at the clocks every minute. */
  wait(duration: number): void {
    const end = this.real + duration;
    for (let timeouts = 0; this.real < end; timeouts += 1) {
      assert.ok(timeouts < MAX_TIMEOUTS, "the timer comes to rest");
      const due = Math.max(0, timeToDecision(this.#state, this.moment, this.rule));
      this.real = Math.min(end, this.real + Math.min(due, MINUTE));
      this.#onTimer();
    }
  }

  /** Starts again after some time; a crash loses what was not saved yet. */
  restart(off: number, isCrash: boolean, rule = this.rule): void {
    if (!isCrash) this.#save();
    this.real += off;
    this.startedAt = this.real;
    this.#savedAt = Number.NEGATIVE_INFINITY;
    this.rule = rule;
    const { stored } = this;
    this.#state = stored ? afterRestart(stored, this.moment, rule) : { arrival: this.moment };
    this.#onTimer();
  }

  #onTimer(): void {
    this.#apply(stepByTime(this.#state, this.moment, this.rule));
    this.#saveIfDue();
  }

  #saveIfDue(): void {
    if (this.real - this.#savedAt >= MINUTE) this.#save();
  }

  #apply({ state, overdue, decision }: ThresholdStep): void {
    this.#state = state;
    const made = [overdue, decision].filter((one) => one !== undefined);
    this.sent.push(...made.map((one) => ({ at: this.real, decision: one })));
    if (made.length > 0) this.#save();
  }

  #save(): void {
    const state: StoredThreshold = this.#state;
    this.#file = JSON.stringify(DECISIONS_FORM.toStored?.([{ subject: {}, state }]));
    this.#savedAt = this.real;
  }
}
