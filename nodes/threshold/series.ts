// The state of a threshold for each site, system or topic, and the messages that report its decisions.
import type { NodeAPI, NodeMessage } from "node-red";
import { setNewest } from "../../src/bounded-map";
import type { Decision, ThresholdState } from "../../src/decisions/threshold";
import { isLarge } from "../../src/messages/incoming";
import type { ThresholdEnergy } from "../../src/messages/messages";
import type { Send } from "../shared/runtime/lifecycle/lifecycle";
import { type Subject, subjectKey } from "../../src/decisions/subject";

export interface Series {
  subject: Subject;
  state: ThresholdState;
  /** The last message decided on, if it may have to be sent later: after a hold time, or again. */
  message?: NodeMessage | undefined;
  /** The last record of this package, to be judged again after a deploy. */
  record?: NodeMessage;
}

/** Topics that change with every message must not fill the store, so the least recently used are dropped. */
const MAX_SERIES = 1000;

export class SeriesMap {
  readonly #series = new Map<string, Series>();
  /** Stands for the first subject until a message names it; absent once there is one. */
  #unnamed: Series | undefined;

  /** In a node that has never had a value, time runs from the start. */
  awaitFirst(state: ThresholdState): void {
    if (this.#series.size === 0) this.#unnamed = { subject: {}, state };
  }

  restore(series: Series): void {
    this.#unnamed = undefined;
    this.#series.set(subjectKey(series.subject), series);
  }

  has(subject: Subject): boolean {
    return this.#series.has(subjectKey(subject));
  }

  /**
   * A new subject takes over the wait of the node for its first value, if there is one, so that nothing is reported twice.
   * @param forget told the least recently used subject, if it has to give way
   */
  find(subject: Subject, initial: () => ThresholdState, forget: (forgotten: Series) => void): Series {
    const key = subjectKey(subject);
    const series = this.#series.get(key) ?? { subject, state: this.#unnamed?.state ?? initial() };
    this.#unnamed = undefined;
    series.subject = subject;
    const [, forgotten] = setNewest(this.#series, key, series, MAX_SERIES) ?? [];
    if (forgotten) forget(forgotten);
    return series;
  }

  /** Those to save. */
  named(): Series[] {
    return [...this.#series.values()];
  }

  all(): Series[] {
    return this.#unnamed ? [this.#unnamed] : this.named();
  }
}

/** Sends a decision on its output, with the message that it is about; without one, as a message of the node's own. */
export function sendDecision(
  decision: Decision,
  message: NodeMessage | undefined,
  { subject }: Series,
  send: Send,
): void {
  const energy: ThresholdEnergy = { kind: "threshold", ...decision };
  const port = "reason" in decision ? 2 : ["high", "low"].indexOf(decision.edge);
  const sent = message ?? { payload: "reason" in decision ? null : decision.value, ...subject };
  send([0, 1, 2].map((index) => (index === port ? { ...sent, energy } : null)));
}

/**
 * A copy that other nodes may change, without the open request of an http in node; undefined if it is large or cannot be copied:
 * then what is sent later is a message of the node's own.
 */
export function copyOf(RED: NodeAPI, message: NodeMessage | undefined): NodeMessage | undefined {
  if (message === undefined) return undefined;
  const {
    req: _request,
    res: _response,
    ...rest
  } = message as NodeMessage & { req?: unknown; res?: unknown };
  try {
    return isLarge(rest) ? undefined : RED.util.cloneMessage(rest);
  } catch {
    return undefined;
  }
}
