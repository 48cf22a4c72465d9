// The queue of a node: one job at a time, or jobs of different series side by side. Messages that wait for the same work share
// a job.
import fastq from "fastq";
import type { NodeMessage } from "node-red";
import type { SeriesAddress } from "../../../../src/series/identity";
import type { Spread } from "./schedule";

export type Send = (message: NodeMessage | (NodeMessage | null)[]) => void;

/** A message that waits for its work, and how to send and complete it. */
export interface Trigger {
  /** A plain object with what can be read and copied of the message. */
  readonly message: NodeMessage;
  /** The message itself, which Node-RED passes on when it is done. */
  readonly original: object;
  readonly send: Send;
  readonly done: (error?: Error) => void;
}

export interface Job<Work> {
  readonly work: Work;
  /** The messages that the job serves; none if the schedule or a timer triggered it. */
  readonly triggers: Trigger[];
  readonly spread?: Spread | undefined;
  /** Jobs with the same key that wait at the same time are one; undefined = a job of its own. */
  readonly key: unknown;
  /** What the job is about: only jobs that have one run side by side, and those that may be of one series do not. */
  readonly lane?: SeriesAddress | undefined;
}

/** The last job of each system of a site; under undefined, of the site: which of its systems that is, only the job finds out. */
type SiteLanes = Map<string | undefined, Promise<void>>;

export class JobQueue<Work> {
  readonly #queue: fastq.queueAsPromised<Job<Work>>;
  /** Jobs that have not started yet. */
  readonly #waiting = new Map<unknown, Job<Work>>();
  readonly #lanes = new Map<string, SiteLanes>();
  readonly #width: () => number;
  #hurry: AbortController | undefined;
  #inHand = 0;

  /**
   * @param perform never rejects; `hurry` aborts as soon as another job waits: only a job with a spread has it
   * @param width how many jobs may run side by side
   */
  constructor(
    perform: (job: Job<Work>, hurry?: AbortSignal) => Promise<void>,
    width: () => number = () => 1,
  ) {
    this.#width = width;
    this.#queue = fastq.promise((job: Job<Work>) => {
      if (this.#waiting.get(job.key) === job) this.#waiting.delete(job.key);
      this.#hurry = job.spread && new AbortController();
      if (this.#hurry && this.#queue.length() > 0) this.#hurry.abort();
      return perform(job, this.#hurry?.signal);
    }, 1);
  }

  /** How many jobs are running or waiting. */
  get inHand(): number {
    return this.#inHand;
  }

  /** Queues the job, unless one with the same key is waiting: then that serves its messages, too. */
  add(job: Job<Work>): void {
    const waiting = job.key === undefined ? undefined : this.#waiting.get(job.key);
    if (waiting) return void waiting.triggers.push(...job.triggers);
    if (this.#inHand > 0) this.#hurry?.abort();
    this.#inHand += 1;
    if (job.key !== undefined) this.#waiting.set(job.key, job);
    this.#queue.concurrency = this.#width();
    if (job.lane) this.#inLane(job, job.lane);
    else void this.#push(job);
  }

  async drained(): Promise<void> {
    do await this.#queue.drained();
    while (this.#inHand > 0);
  }

  /** Queues a job behind those before it that may be of the same series: then it takes no other's place while it waits. */
  #inLane(job: Job<Work>, { siteId, systemId }: SeriesAddress): void {
    const site: SiteLanes = this.#lanes.get(siteId) ?? new Map<string | undefined, Promise<void>>();
    const before = systemId === undefined ? [...site.values()] : [site.get(systemId) ?? site.get(undefined)];
    const last = before.filter((one) => one !== undefined);
    const over = last.length > 0 ? Promise.all(last).then(() => this.#push(job)) : this.#push(job);
    if (systemId === undefined) site.clear();
    site.set(systemId, over);
    this.#lanes.set(siteId, site);
    void over.then(() => {
      if (site.get(systemId) === over) site.delete(systemId);
      if (site.size === 0 && this.#lanes.get(siteId) === site) this.#lanes.delete(siteId);
    });
  }

  async #push(job: Job<Work>): Promise<void> {
    await this.#queue.push(job).catch(() => undefined);
    this.#inHand -= 1;
  }
}
