// The decisions of a threshold node for each site, system or topic, triggered by messages and timers and stored.
import { sharedClock } from "../../src/clock";
import type { Node, NodeAPI, NodeMessage } from "node-red";
import {
  nextChange,
  afterRestart,
  stepByReading,
  stepByTime,
  type ThresholdReading,
  type ThresholdRule,
  type ThresholdState,
  type ThresholdStep,
} from "../../src/decisions/threshold";
import type { ThresholdEnergy } from "../../src/messages/messages";
import type { StoredState } from "../../src/stored-state";
import type { Send, Work } from "../shared/runtime/lifecycle";
import { nodeStatus, type StatusText } from "../shared/runtime/status";
import { DueTimer } from "../shared/runtime/timer";
import type { StoredDecision } from "./stored-decisions";
import { type Subject, subjectKey, subjectOf } from "./subject";
import { thresholdStatus } from "./threshold-status";

/** The message that triggers a decision and is sent with it. */
interface Trigger {
  message: NodeMessage;
  value: number | null;
}

interface Series {
  subject: Subject;
  state: ThresholdState;
  /** Sent once the value has stayed beyond its limit for long enough. */
  waiting?: Trigger | undefined;
}

interface DecisionsOptions {
  stored: StoredState<StoredDecision[]>;
  /** Throws ConfigError if the node is not configured. */
  rule: () => ThresholdRule;
  /** Called when a decision may be due without a message; it must queue `onTimeout`. */
  onTimer: () => void;
}

/** Topics that change with every message must not fill the store, so the least recently used are dropped. */
const MAX_SERIES = 1000;

export class Decisions {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #stored: StoredState<StoredDecision[]>;
  readonly #rule: () => ThresholdRule;
  readonly #series = new Map<string, Series>();
  readonly #timer: DueTimer;
  #isLoaded = false;

  constructor(RED: NodeAPI, node: Node, { stored, rule, onTimer }: DecisionsOptions) {
    this.#timer = new DueTimer(onTimer);
    this.#RED = RED;
    this.#node = node;
    this.#stored = stored;
    this.#rule = rule;
  }

  /** Loads the stored decisions. Rejects if they cannot be read or the node is not configured. */
  readonly start = async (): Promise<void> => {
    const rule = this.#rule();
    if (this.#isLoaded) return;
    const stored = (await this.#stored.load()) ?? [];
    const now = sharedClock.now();
    for (const { subject, state } of stored)
      this.#series.set(subjectKey(subject), { subject, state: afterRestart(state, now, rule) });
    this.#isLoaded = true;
    this.#setTimer(rule);
  };

  /** Decides on a message, and sends it on if the decision changes. Rejects like `start`. */
  async handle(message: NodeMessage, reading: ThresholdReading, send: Send): Promise<StatusText> {
    await this.start();
    const rule = this.#rule();
    const now = sharedClock.now();
    const series = this.#seriesOf(message);
    const trigger = { message, value: reading.value };
    const step = stepByReading(series.state, reading, now, rule);
    if (step.state !== series.state) series.waiting = step.state.waiting && trigger;
    this.#apply(series, step, trigger, send);
    this.#setTimer(rule);
    if (step.decision) await this.#save();
    const age = now - (reading.end ?? series.state.time ?? now);
    return thresholdStatus(series.state, rule, reading.value, age);
  }

  readonly stop = (): void => this.#timer.close();

  /** Saves the last values. */
  readonly close = async (): Promise<void> => {
    if (this.#series.size > 0) await this.#save().catch(() => undefined);
  };

  #seriesOf({ topic, siteId, systemId }: NodeMessage): Series {
    const subject = subjectOf({ topic, siteId, systemId });
    const key = subjectKey(subject);
    const series = { state: {}, ...this.#series.get(key), subject };
    this.#series.delete(key);
    this.#series.set(key, series);
    const [oldest] = this.#series.keys();
    if (this.#series.size > MAX_SERIES && oldest !== undefined) this.#series.delete(oldest);
    return series;
  }

  /** Sends a decision before saving it: after a crash in between it is sent again, and none is lost. */
  #apply(series: Series, { state, decision }: ThresholdStep, { message, value }: Trigger, send: Send): void {
    series.state = state;
    if (!decision) return;
    const energy: ThresholdEnergy = { kind: "threshold", ...decision, value };
    const port = "reason" in decision ? 2 : ["high", "low"].indexOf(decision.edge);
    send([0, 1, 2].map((index) => (index === port ? { ...message, energy } : null)));
  }

  /** Sends the decisions that are due without a message. */
  readonly onTimeout: Work = async ({ send }) => {
    const rule = this.#rule();
    const now = sharedClock.now();
    let isDecided = false;
    for (const series of this.#series.values()) {
      const step = stepByTime(series.state, now, rule);
      if (!step.decision) continue;
      isDecided = true;
      const none = { message: { payload: null, ...series.subject }, value: null };
      const trigger = "edge" in step.decision ? (series.waiting ?? none) : none;
      this.#apply(series, step, trigger, send);
      const age = now - (series.state.time ?? now);
      this.#show(thresholdStatus(series.state, rule, trigger.value, age));
    }
    this.#setTimer(rule);
    if (isDecided) await this.#save();
    return undefined;
  };

  #show(status: StatusText): void {
    this.#node.status(nodeStatus(this.#RED, status));
  }

  #setTimer(rule: ThresholdRule): void {
    const due = Math.min(...[...this.#series.values()].map(({ state }) => nextChange(state, rule)));
    this.#timer.set(Number.isFinite(due) ? due : undefined);
  }

  /** Throws StoreError: what was decided was sent all the same. */
  async #save(): Promise<void> {
    await this.#stored.set([...this.#series.values()].map(({ subject, state }) => ({ subject, state })));
    await this.#stored.flush();
  }
}
