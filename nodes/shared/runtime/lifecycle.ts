// The life of a node: one queue for messages, schedule and timers, one funnel for their errors, and an end in time.
import fastq from "fastq";
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { AbortedError } from "../../../src/errors";
import { failureReport } from "./failures";
import { fail } from "./public-error";
import { afterStart, type ScheduleOptions, startSchedule } from "./schedule";
import { errorStatus, nodeStatus, type StatusText } from "./status";

export type Send = (message: NodeMessage | (NodeMessage | null)[]) => void;

/** What there is to work on. */
export interface Input {
  /** An empty one where no message, but the schedule or a timer triggered the work. */
  readonly message: NodeMessage;
  readonly isTriggered: boolean;
  readonly send: Send;
  /** Aborted when the node is closed. */
  readonly signal: AbortSignal;
}

/** Gives what the node is to show, where that changes. May throw: the funnel is here. */
export type Work = (input: Input) => Promise<StatusText | undefined> | StatusText | undefined;

export interface LifecycleOptions {
  /** `msg.energy.kind` of a message that failed. */
  kind: string;
  work: Work;
  /** Messages that must not wait in the queue, such as a confirmation: true = it is done, and triggers no work. */
  intercept?: (message: NodeMessage) => boolean;
  /** When the node works by itself. Throws ConfigError. */
  schedule?: () => ScheduleOptions;
  /** What comes before the first message. May throw: the node goes on. */
  start?: () => Promise<void>;
  /** Ends what must not outlive the node by a moment, such as timers. */
  stop?: () => void;
  /** Ends the rest once the last work has ended. Never rejects. */
  close?: () => Promise<void>;
}

export interface Lifecycle {
  /** Queues work without a message: the node's own, or another. */
  run(work?: Work): void;
}

interface Job {
  work: Work;
  message: NodeMessage;
  send: Send;
  /** Absent where no message triggered the work. */
  done?: (error?: Error) => void;
}

/** Time that work has to end in when its node is closed, in milliseconds: a longer wait would hold up Node-RED. */
const CLOSE_TIMEOUT = 1500;

/** Gives a node its life: one job at a time, never rejecting, `done` once for each message. */
export function startLifecycle(RED: NodeAPI, node: Node, options: LifecycleOptions): Lifecycle {
  const { kind, work, intercept, schedule, start, stop, close } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const jobs = fastq.promise(perform, 1);
  const report = failureReport(RED, node, kind);
  let cancelReport = (): void => undefined;

  async function perform({ work: perform, message, send, done }: Job): Promise<void> {
    if (signal.aborted) return;
    try {
      const status = await perform({ message, isTriggered: done !== undefined, send, signal });
      report.recovered();
      if (status) node.status(nodeStatus(RED, status));
      done?.();
    } catch (error) {
      if (!(error instanceof AbortedError || signal.aborted)) failed(error, message, done);
    }
  }

  function failed(error: unknown, message: NodeMessage, done: Job["done"]): void {
    node.status(nodeStatus(RED, errorStatus(error)));
    if (done) fail(done, report.ofMessage(error, message));
    else report.ofItself(error);
  }

  /** Catch nodes hear of it once they are there. */
  function failedToStart(error: unknown): void {
    node.status(nodeStatus(RED, errorStatus(error)));
    cancelReport = afterStart(() => report.ofItself(error));
  }

  function enqueue(job: Job): void {
    jobs.push(job).catch(() => undefined);
  }

  function run(own: Work = work): void {
    enqueue({ work: own, message: {}, send: (message) => node.send(message) });
  }

  if (start) {
    run(async () => {
      await start().catch(failedToStart);
      return undefined;
    });
  }
  node.on("input", (message, send, done) => {
    if (intercept?.(message) === true) done();
    else enqueue({ work, message, send, done });
  });

  let stopSchedule = (): void => undefined;
  try {
    // A run that is still going on is the one that is due.
    if (schedule) stopSchedule = startSchedule(schedule(), () => jobs.idle() && run());
  } catch (error) {
    failedToStart(error);
  }

  node.on("close", (done: () => void) => {
    closing.abort();
    cancelReport();
    stopSchedule();
    stop?.();
    void endsInTime(jobs.drained().then(close)).then(done, () => done());
  });
  return { run };
}

/** Resolves when the work has ended, or when a closing node may wait no longer. Rejects when the work does. */
async function endsInTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
