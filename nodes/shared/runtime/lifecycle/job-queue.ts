// The queue of a node: one job at a time. Messages that wait for the same work share a job.
import fastq from "fastq";
import type { NodeMessage } from "node-red";
import type { Trigger } from "../base/ended-message";
import type { Spread } from "./schedule";

export interface Job<Work> {
  readonly work: Work;
  /** The messages that the job serves; none if the schedule or a timer triggered it. */
  readonly triggers: Trigger[];
  readonly spread?: Spread | undefined;
}

/** `key`: what jobs that wait at the same time are compared by, if at all. */
type QueuedJob<Work> = Job<Work> & { readonly key: unknown };

export interface JobQueueOptions<Work> {
  /** `hurry` aborts as soon as another job waits, if the job has a spread. Never rejects. */
  perform: (job: Job<Work>, hurry: AbortSignal) => Promise<void>;
  /** Messages with the same key that wait at the same time share a job; undefined = a job of its own. */
  sameWork: (message: NodeMessage) => string | undefined;
}

/** For jobs that do not take their time anyway. */
const NEVER = new AbortController().signal;

export class JobQueue<Work> {
  readonly #queue: fastq.queueAsPromised<QueuedJob<Work>>;
  readonly #sameWork: JobQueueOptions<Work>["sameWork"];
  /** Jobs that have not started yet: by the key of their messages, or by their work if they have none. */
  readonly #waiting = new Map<unknown, QueuedJob<Work>>();
  #hurry: AbortController | undefined;

  constructor({ perform, sameWork }: JobQueueOptions<Work>) {
    this.#sameWork = sameWork;
    this.#queue = fastq.promise((job: QueuedJob<Work>) => {
      if (this.#waiting.get(job.key) === job) this.#waiting.delete(job.key);
      this.#hurry = job.spread && new AbortController();
      if (this.#queue.length() > 0) this.#hurry?.abort();
      return perform(job, this.#hurry?.signal ?? NEVER);
    }, 1);
  }

  /** Whether no job is running or waiting. */
  get isIdle(): boolean {
    return this.#queue.idle();
  }

  /** Queues the work for a message, unless the message can share a job that is waiting. */
  handle(work: Work, trigger: Trigger): void {
    const key = this.#sameWork(trigger.message);
    const waiting = key === undefined ? undefined : this.#waiting.get(key);
    if (waiting) waiting.triggers.push(trigger);
    else this.#add({ work, triggers: [trigger], key });
  }

  /** Queues work without a message, unless the same work is waiting already. */
  run(work: Work, spread?: Spread): void {
    if (!this.#waiting.has(work)) this.#add({ work, triggers: [], spread, key: work });
  }

  /** Resolves when no job is running or waiting. */
  async drained(): Promise<void> {
    await this.#queue.drained();
  }

  #add(job: QueuedJob<Work>): void {
    if (!this.#queue.idle()) this.#hurry?.abort();
    if (job.key !== undefined) this.#waiting.set(job.key, job);
    this.#queue.push(job).catch(() => undefined);
  }
}
