// The queue of a node: one job at a time. Messages that wait for the same work share a job.
import fastq from "fastq";
import type { NodeMessage } from "node-red";
import type { InputError } from "../../../../src/errors";
import type { Spread } from "./schedule";

export type Send = (message: NodeMessage | (NodeMessage | null)[]) => void;

/** A message that waits for its work, and how to send and complete it. */
export interface Trigger {
  /** A plain object with what can be read and copied of the message. */
  readonly message: NodeMessage;
  /** The message itself, which Node-RED passes on when it is done. */
  readonly original: object;
  /** Why a part of the message is missing, if the work can do without. */
  readonly fault?: InputError | undefined;
  readonly send: Send;
  readonly done: (error?: Error) => void;
}

export interface Job<Work> {
  readonly work: Work;
  /** The messages that the job serves; none if the schedule or a timer triggered it. */
  readonly triggers: Trigger[];
  readonly spread?: Spread | undefined;
  /** Compares jobs that wait at the same time, if at all. */
  readonly key: unknown;
}

/** For jobs that do not take their time anyway. */
const NEVER = new AbortController().signal;

export class JobQueue<Work> {
  readonly #queue: fastq.queueAsPromised<Job<Work>>;
  /** Jobs that have not started yet: by the key of their messages, or by their work if they have none. */
  readonly #waiting = new Map<unknown, Job<Work>>();
  #hurry: AbortController | undefined;

  /** @param perform never rejects; `hurry` aborts as soon as another job waits, if the job has a spread */
  constructor(perform: (job: Job<Work>, hurry: AbortSignal) => Promise<void>) {
    this.#queue = fastq.promise((job: Job<Work>) => {
      if (this.#waiting.get(job.key) === job) this.#waiting.delete(job.key);
      this.#hurry = job.spread && new AbortController();
      if (this.#queue.length() > 0) this.#hurry?.abort();
      return perform(job, this.#hurry?.signal ?? NEVER);
    }, 1);
  }

  get isIdle(): boolean {
    return this.#queue.idle();
  }

  /**
   * Queues the work for a message, unless the message can share a job that is waiting.
   * @param key messages with the same key that wait at the same time share a job; undefined = a job of its own
   */
  handle(work: Work, trigger: Trigger, key: string | undefined): void {
    const waiting = key === undefined ? undefined : this.#waiting.get(key);
    if (waiting) waiting.triggers.push(trigger);
    else this.#add({ work, triggers: [trigger], key });
  }

  /** Queues work without a message, unless the same work is waiting already. */
  run(work: Work, spread?: Spread): void {
    if (!this.#waiting.has(work)) this.#add({ work, triggers: [], spread, key: work });
  }

  async drained(): Promise<void> {
    await this.#queue.drained();
  }

  #add(job: Job<Work>): void {
    if (!this.#queue.idle()) this.#hurry?.abort();
    if (job.key !== undefined) this.#waiting.set(job.key, job);
    this.#queue.push(job).catch(() => undefined);
  }
}
