// The decisions of a threshold node for each site, system or topic, triggered by messages and timers and stored.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import type { LastValue } from "../../src/choices/choices";
import { sharedClock } from "../../src/clock";
import { LEAST_VALID } from "../../src/decisions/freshness";
import {
  type Decision,
  isFailedRead,
  isYetToBegin,
  stepByReading,
  stepByTime,
  type ThresholdReading,
  type ThresholdRule,
  type ThresholdStep,
  timeToDecision,
} from "../../src/decisions/threshold";
import { inTurns } from "../../src/loop-turns";
import { liveMessage, readingOf } from "../../src/messages/live-message";
import type { ThresholdEnergy } from "../../src/messages/messages";
import { energyOf, withoutDelivery } from "../../src/messages/reader";
import { shownNumber } from "../../src/models/measurements";
import { isLarge, isServiceObject } from "../../src/models/service-object";
import type { SettingValues } from "../../src/settings/table";
import { StoredState } from "../../src/stored-state";
import { MINUTE } from "../../src/time-units";
import { type PropertyValue, propertyValue } from "../shared/runtime/base/property";
import type { NodeSettings } from "../shared/runtime/base/settings";
import type { Input, Work } from "../shared/runtime/lifecycle/lifecycle";
import type { Send } from "../shared/runtime/lifecycle/queue";
import { afterStart, DueTimer } from "../shared/runtime/lifecycle/schedule";
import {
  noValueStatus,
  showStatus,
  type StatusText,
  timeOfDay,
  warningStatus,
} from "../shared/runtime/base/status";
import { fileStorage } from "../shared/runtime/state/storage";
import type { THRESHOLD } from "./settings";
import {
  DECISIONS_FORM,
  type KnownSubject,
  type StoredDecision,
  subjectOfMessage,
  Subjects,
} from "../../src/decisions/subjects";

type ThresholdSettings = SettingValues<typeof THRESHOLD>;

type Known = KnownSubject<NodeMessage>;

/** The edge that a hold time delays, by the side that it ends. */
const DELAYED = {
  high: { high: "threshold:high.waiting", low: "threshold:high.lowAt" },
  low: { high: "threshold:low.highAt", low: "threshold:low.waiting" },
  between: { high: "threshold:between.highAt", low: "threshold:between.lowAt" },
} as const;

export class Decisions {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #settings: NodeSettings<ThresholdSettings>;
  readonly #run: (work: Work) => void;
  readonly #stored: StoredState<readonly StoredDecision[]>;
  /** Undefined if the node is not configured: then nothing is safe. */
  #rule: ThresholdRule | undefined;
  readonly #subjects = new Subjects<NodeMessage>(sharedClock.moment());
  readonly #timer: DueTimer;
  /** When the last write began, or the next one does, on the monotonic clock. */
  #writeAt = Number.NEGATIVE_INFINITY;
  /** Whether the following nodes are ready for messages without a trigger. */
  #canSend = false;
  #cancelStart: (() => void) | undefined;

  /** @param run queues work without a message */
  constructor(
    RED: NodeAPI,
    node: Node,
    settings: NodeSettings<ThresholdSettings>,
    run: (work: Work) => void,
  ) {
    this.#RED = RED;
    this.#node = node;
    this.#settings = settings;
    this.#run = run;
    const { property, propertyType } = settings.values;
    const key = { property: `${propertyType}.${property}` };
    this.#stored = new StoredState(fileStorage(RED, node)(key, DECISIONS_FORM));
    this.#timer = new DueTimer(() => run(this.#onTimeout));
    try {
      this.#rule = ruleOf(settings.valid());
    } catch {
      // The start and every message report it.
    }
  }

  /**
   * Call once, before the first message. Rejects if the stored decisions cannot be read, or the node is not configured: it
   * decides all the same, as one that was never started before.
   * @param records of the node whose place this one takes: what it decides on may be another value of them
   */
  async start(records: readonly NodeMessage[]): Promise<void> {
    this.#cancelStart = afterStart(() => {
      // A record that was decided on is ignored.
      for (const record of records) this.#run((input) => this.handle(record, input));
      // Reports what became unsafe while the node was off.
      this.#canSend = true;
      this.#run(this.#onTimeout);
    });
    this.#subjects.restore((await this.#stored.load()) ?? [], sharedClock.moment(), this.#rule);
    const [only, ...others] = this.#subjects.known;
    if (only && others.length === 0 && this.#rule) this.#show(only, this.#rule);
    this.#settings.valid();
  }

  /**
   * Decides on a message, and sends it on if the decision changes; ignores backlog.
   * Rejects if the message cannot be read, which decides nothing, and without a rule, by which nothing is safe.
   */
  async handle(
    given: NodeMessage,
    { send, defer }: Pick<Input, "send" | "defer">,
  ): Promise<StatusText | undefined> {
    const faults: Error[] = [];
    const live = liveMessage(given, faults);
    if (!live) return undefined;
    const message = faults.length > 0 ? withoutDelivery(given) : given;
    const rule = this.#rule;
    const { property, propertyType } = this.#settings.values;
    const valueOf = (from: NodeMessage): Promise<PropertyValue> =>
      propertyValue(this.#RED, this.#node, property, propertyType, from);
    const reading = rule && (await readingOf(live, valueOf, property));
    const moment = sharedClock.moment();
    if (reading && isYetToBegin(reading, moment.now)) return warningStatus("ahead", { count: 1 });
    const subject = subjectOfMessage(message);
    if (reading?.reason && isFailedRead(reading) && this.#subjects.isOfNone(subject))
      return noValueStatus(reading.reason);
    const [known, forgotten] = this.#subjects.find(subject, moment);
    if (forgotten && forgotten.state.unsafe === undefined)
      sendDecision(send, { reason: "stale", value: null }, forgotten);
    const before = known.state;
    const step = stepByReading(before, reading, moment, rule);
    // One that is ignored may be older than what is kept.
    const isKept = step.state !== before || !known.record;
    if (isKept && "energy" in live && isServiceObject(live.payload))
      known.record = copyOf(this.#RED, live) ?? known.record;
    const isSafe = step.state !== before && step.state.unsafe === undefined && reading?.value !== null;
    if (rule && isSafe)
      known.message = rule.repeat > 0 || step.state.waiting ? copyOf(this.#RED, message) : undefined;
    this.#apply(known, step, message, send);
    const isDecided = step.decision !== undefined || step.overdue !== undefined;
    if (isDecided || step.state !== before || !this.#stored.isSaved) defer(this.#save(isDecided));
    this.#setTimer(known);
    for (const fault of faults) throw fault;
    if (reading?.end !== undefined && !moment.isSure) return warningStatus("timeUnsure");
    // Throws the fault of the settings.
    return statusOf(known.state, ruleOf(this.#settings.valid()), reading);
  }

  /** The last record of each subject, for the node that takes the place of this one; not of a value that became too old. */
  get records(): NodeMessage[] {
    return this.#subjects.known.flatMap(({ record, state: { unsafe, value } }) =>
      record && (unsafe !== "stale" || value === undefined) ? [record] : [],
    );
  }

  get values(): LastValue[] {
    return this.#subjects.known.flatMap(({ subject: { siteId, systemId, topic = "" }, state: { value } }) =>
      value === undefined ? [] : [{ subject: topic || [siteId, systemId].filter(Boolean).join("/"), value }],
    );
  }

  stop(): void {
    this.#cancelStart?.();
    this.#timer.close();
  }

  readonly close = async (): Promise<void> => {
    await this.#stored.flush().catch(() => undefined);
  };

  /** Sends the decisions that are due without a message, and saves what has changed. */
  readonly #onTimeout: Work = async ({ send, defer, signal }) => {
    const rule = this.#rule;
    let isDecided = false;
    const decide = (known: Known): void => {
      const step = stepByTime(known.state, sharedClock.moment(), rule);
      const { decision } = step;
      if (!decision) return;
      isDecided ||= !decision.repeated;
      // What is kept for the next repetition must not be changed by other nodes.
      this.#apply(known, step, decision.edge && copyOf(this.#RED, known.message), send);
      if (rule) this.#show(known, rule);
    };
    try {
      await inTurns(this.#subjects.all, decide, signal);
    } finally {
      if (isDecided || !this.#stored.isSaved) defer(this.#save(isDecided));
      this.#setTimer();
    }
    return undefined;
  };

  /** Saves at once after a decision; throws StoreError, although what was decided has been sent. Otherwise once a minute at most. */
  async #save(isDecided: boolean): Promise<void> {
    const { known } = this.#subjects;
    if (known.length === 0) return;
    const now = sharedClock.monotonic();
    if (isDecided) this.#writeAt = now;
    else if (now >= this.#writeAt) this.#writeAt = Math.max(now, this.#writeAt + MINUTE);
    // Sums of fractions are not exact.
    const saving = this.#stored.set(known, Math.round(this.#writeAt - now));
    if (isDecided) await saving;
    else saving.catch(() => undefined);
  }

  /** Sends a decision before it is saved: after a crash in between it is sent again, and none is lost. */
  #apply(known: Known, step: ThresholdStep, message: NodeMessage | undefined, send: Send): void {
    const { overdue, decision } = step;
    known.state = step.state;
    if (overdue) sendDecision(send, overdue, known);
    if (decision) sendDecision(send, decision, known, message);
  }

  #show({ state }: Known, rule: ThresholdRule): void {
    showStatus(this.#RED, this.#node, statusOf(state, rule));
  }

  /** @param decided the only subject that has changed: the timer stays if it fires before that is due, since it may be early */
  #setTimer(decided?: Known): void {
    const rule = this.#rule;
    if (!this.#canSend || !rule) return;
    const moment = sharedClock.moment();
    const dueAt = ({ state }: Known): number => moment.now + timeToDecision(state, moment, rule);
    const { due } = this.#timer;
    if (decided && due !== undefined && dueAt(decided) >= due) return;
    this.#timer.set(Math.min(...this.#subjects.all.map(dueAt)));
  }
}

function ruleOf({ hold, maxAge, repeat, ...limits }: ThresholdSettings): ThresholdRule {
  const longest = maxAge === undefined ? undefined : maxAge * MINUTE;
  return { ...limits, hold: hold * MINUTE, maxAge: longest, repeat: repeat * MINUTE };
}

/** Sends a decision on its output, with the message that it is about; without one, as a message of the node's own. */
function sendDecision(send: Send, decision: Decision, { subject }: Known, message?: NodeMessage): void {
  // What is repeated was confirmed when it was first sent.
  const { delivery } = message && !decision.repeated ? energyOf(message) : {};
  const energy: ThresholdEnergy = {
    kind: "threshold",
    ...decision,
    ...(typeof delivery === "string" && { delivery }),
  };
  const port = decision.edge ? ["high", "low"].indexOf(decision.edge) : 2;
  const sent = message ?? { payload: decision.edge ? decision.value : null, ...subject };
  send([0, 1, 2].map((index) => (index === port ? { ...sent, energy } : null)));
}

/**
 * A copy that other nodes may change, without the open request of an http in node; undefined if it is large or cannot be copied, such
 * as a map whose class has a constructor of its own: then what is sent later is a message of the node's own.
 */
function copyOf(RED: NodeAPI, message: NodeMessage | undefined): NodeMessage | undefined {
  if (message === undefined) return undefined;
  const { req: _request, res: _response, ...rest } = message;
  try {
    return isLarge(rest) ? undefined : RED.util.cloneMessage(rest);
  } catch {
    return undefined;
  }
}

/** The current side and what it waits for, or why no decision is possible. `reading` is what the last message said, if one came. */
function statusOf(state: Known["state"], rule: ThresholdRule, reading?: ThresholdReading): StatusText {
  const { now, monotonic } = sharedClock.moment();
  const { side = "between", value, waiting, unsafe } = state;
  const hasNoValue = reading !== undefined && (reading.reason !== undefined || reading.value === null);
  const time = hasNoValue ? state.time : (reading?.end ?? state.time);
  if (unsafe === "stale" && value !== undefined && time === undefined) return warningStatus("timeUnsure");
  // A node that never had a value has waited for it at least that long.
  const age = time === undefined ? (rule.maxAge ?? LEAST_VALID) : Math.max(0, now - time);
  if (reading?.isRecord && value === undefined) return { key: "threshold:record", fill: "yellow" };
  if (unsafe) return noValueStatus(unsafe, age / 1000);
  if (value === undefined && state.side === undefined) return noValueStatus(reading?.reason ?? "no-value");
  if (waiting) {
    const at = timeOfDay(now + waiting.seen + rule.hold - monotonic);
    return { key: DELAYED[side][waiting.edge], values: { time: at }, fill: "blue", shape: "ring" };
  }
  return {
    key: `threshold:${side}.waiting`,
    values: { high: shownNumber(rule.high), low: shownNumber(rule.low) },
    // What it knows is still valid.
    fill: hasNoValue ? "yellow" : "green",
    shape: side === "between" ? "ring" : "dot",
  };
}
