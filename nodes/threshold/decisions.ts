// The decisions of a threshold node, one for each site, system or topic: taken by messages and by time, kept over restarts.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import type { ThresholdEnergy } from "../../src/messages/messages";
import {
  nextChange,
  restarted,
  takeReading,
  takeTime,
  type ThresholdReading,
  type ThresholdRule,
  type ThresholdState,
  type ThresholdStep,
} from "../../src/decisions/threshold";
import type { StoredState } from "../../src/stored-state";
import { Alarm } from "../shared/runtime/alarm";
import type { Send, Work } from "../shared/runtime/lifecycle";
import { nodeStatus } from "../shared/runtime/status";
import { type Subject, subjectKey, subjectOf } from "./incoming";
import type { StoredDecision } from "./stored-decisions";
import { thresholdStatus } from "./threshold-status";

/** What goes on with a decision. */
interface Told {
  message: NodeMessage;
  value: number | null;
}

interface Series {
  subject: Subject;
  state: ThresholdState;
  /** What is told when the value has stayed beyond its limit for long enough. */
  last?: Told | undefined;
}

/** Topics that change with every message do not fill the store: those heard least recently are forgotten. */
const MOST_SERIES = 1000;

export class Decisions {
  readonly #series = new Map<string, Series>();
  readonly #alarm: Alarm;
  #isLoaded = false;

  constructor(
    private readonly RED: NodeAPI,
    private readonly node: Node,
    private readonly kept: StoredState<StoredDecision[]>,
    /** Throws InputError when the node is not set up. */
    private readonly rule: () => ThresholdRule,
    onTimeout: () => void,
  ) {
    this.#alarm = new Alarm(onTimeout);
  }

  /** Takes up what was decided before. Rejects when that cannot be read, or when the node is not set up. */
  readonly start = async (): Promise<void> => {
    const rule = this.rule();
    if (this.#isLoaded) return;
    const stored = (await this.kept.load()) ?? [];
    const now = Date.now();
    for (const { subject, state } of stored)
      this.#series.set(subjectKey(subject), { subject, state: restarted(state, now, rule) });
    this.#isLoaded = true;
    this.#setAlarm(rule);
  };

  /** Decides by what a message says; the message goes on with the decision. Rejects as `start` does. */
  async take(message: NodeMessage, reading: ThresholdReading, send: Send): Promise<void> {
    await this.start();
    const rule = this.rule();
    const now = Date.now();
    const series = this.#seriesOf(message);
    const told = { message, value: reading.value };
    const step = takeReading(series.state, reading, now, rule);
    if (step.state !== series.state) series.last = step.state.waiting && told;
    await this.#go(series, step, told, send);
    const age = now - (reading.end ?? series.state.time ?? now);
    this.node.status(nodeStatus(this.RED, thresholdStatus(series.state, rule, reading.value, age)));
    this.#setAlarm(rule);
    await this.kept.flush();
  }

  readonly stop = (): void => this.#alarm.set(undefined);

  /** What was seen last is saved. */
  readonly close = async (): Promise<void> => {
    if (this.#series.size > 0) await this.#save();
  };

  #seriesOf(message: NodeMessage): Series {
    const subject = subjectOf(message);
    const key = subjectKey(subject);
    const series = { state: {}, ...this.#series.get(key), subject };
    this.#series.delete(key);
    this.#series.set(key, series);
    const [oldest] = this.#series.keys();
    if (this.#series.size > MOST_SERIES && oldest !== undefined) this.#series.delete(oldest);
    return series;
  }

  /** Tells a decision before it is saved: after a crash between the two it is told again, and none is lost. */
  async #go(series: Series, { state, decision }: ThresholdStep, told: Told, send: Send): Promise<void> {
    series.state = state;
    if (!decision) return;
    const energy: ThresholdEnergy = { kind: "threshold", ...decision, value: told.value };
    const message = { ...told.message, energy };
    const port = "reason" in decision ? 2 : ["high", "low"].indexOf(decision.edge);
    send([0, 1, 2].map((index) => (index === port ? message : null)));
    await this.#save();
  }

  /** What time alone brings. */
  readonly onTimeout: Work = async ({ send }) => {
    const rule = this.rule();
    const now = Date.now();
    for (const series of this.#series.values()) {
      const step = takeTime(series.state, now, rule);
      if (!step.decision) continue;
      const nothing = { message: { payload: null, ...series.subject }, value: null };
      const told = "edge" in step.decision ? (series.last ?? nothing) : nothing;
      await this.#go(series, step, told, send);
      const age = now - (series.state.time ?? now);
      this.node.status(nodeStatus(this.RED, thresholdStatus(series.state, rule, told.value, age)));
    }
    this.#setAlarm(rule);
    return undefined;
  };

  #setAlarm(rule: ThresholdRule): void {
    const due = Math.min(...[...this.#series.values()].map(({ state }) => nextChange(state, rule)));
    this.#alarm.set(Number.isFinite(due) ? due : undefined);
  }

  async #save(): Promise<void> {
    await this.kept.set([...this.#series.values()].map(({ subject, state }) => ({ subject, state })));
  }
}
