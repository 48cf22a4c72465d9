// The lifecycle of a node: one queue for messages, schedule and timers, one error handler, and a timely close.
import fastq from "fastq";
import type { Node, NodeAPI, NodeMessage } from "node-red";
import type { EnergyError, ErrorText } from "../../../src/errors";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import { withSignal } from "../../../src/waiting";
import { failureReport } from "./failures";
import { fail, textOf } from "./public-error";
import { afterStart, type ScheduleOptions, startSchedule } from "./schedule";
import { errorStatus, nodeStatus, type StatusText } from "./status";

export type Send = (message: NodeMessage | (NodeMessage | null)[]) => void;

/** A unit of work and what triggered it. */
export interface Input {
  /** Empty if the schedule or a timer triggered the work. */
  readonly message: NodeMessage;
  readonly isTriggered: boolean;
  readonly send: Send;
  /** Aborts when the node is closed. */
  readonly signal: AbortSignal;
  /** Tells of something that does not fail the work. Its status is shown instead of the one that the work returns. */
  readonly notify: (notice: Notice) => void;
  /** Keeps the message open until the promise resolves, while other work goes on. */
  readonly defer: (until: Promise<void>) => void;
}

/** Something that people must know, told once: in the log or at a catch node, and in the status. */
export interface Notice {
  /** Sent to catch nodes, with the address; otherwise `text` is logged as a warning. Absent if it has been logged already. */
  readonly what?: { error: EnergyError; address?: SeriesAddress } | { text: ErrorText };
  readonly status: StatusText;
}

/** Returns the new status, or undefined to leave it unchanged. May throw: errors are reported here. */
export type Work = (input: Input) => Promise<StatusText | undefined> | StatusText | undefined;

export interface LifecycleOptions {
  /** The `msg.energy.kind` of a failed message. */
  kind: string;
  work: Work;
  /** Handles messages that must bypass the queue, such as confirmations. Returns true if the message is done. */
  intercept?: (message: NodeMessage) => boolean;
  /** When the node runs without a message. Throws ConfigError. */
  schedule?: () => ScheduleOptions;
  /** Runs before the first message. May throw: the node continues. */
  start?: () => Promise<void>;
  /** Immediately stops what must not outlive the node, such as timers. */
  stop?: () => void;
  /** Cleans up once all work has ended. Never rejects. */
  close?: () => Promise<void>;
}

export interface Lifecycle {
  /** Queues work without a message: the node's regular work unless another is given. */
  run(work?: Work): void;
}

interface Job {
  work: Work;
  message: NodeMessage;
  send: Send;
  /** Absent if no message triggered the work. */
  done?: (error?: Error) => void;
}

/** How long closing waits for work to end, in milliseconds: waiting longer would block Node-RED. */
const CLOSE_TIMEOUT = 1500;

/** Starts the lifecycle of a node: one job at a time, and `done` exactly once for each message. */
export function startLifecycle(RED: NodeAPI, node: Node, options: LifecycleOptions): Lifecycle {
  const { kind, work, intercept, schedule, start, stop, close } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const jobs = fastq.promise(perform, 1);
  const report = failureReport(RED, node, kind);
  const cancelReports: (() => void)[] = [];

  async function perform({ work: jobWork, message, send, done }: Job): Promise<void> {
    if (signal.aborted) return;
    let noticed: StatusText | undefined;
    const notify = ({ what, status }: Notice): void => {
      noticed = status;
      if (what && "error" in what) report.besides(what, message);
      else if (what) node.warn(textOf(RED, what.text));
    };
    const deferred: Promise<void>[] = [];
    const defer = (until: Promise<void>): void => void deferred.push(until);
    try {
      const returned = await jobWork({
        message,
        isTriggered: done !== undefined,
        send,
        signal,
        notify,
        defer,
      });
      const status = noticed ?? returned;
      report.recovered();
      if (status) node.status(nodeStatus(RED, status));
    } catch (error) {
      if (!signal.aborted) failed(error, message, done);
      return;
    }
    if (deferred.length === 0) done?.();
    else void Promise.all(deferred).then(() => done?.());
  }

  function failed(error: unknown, message: NodeMessage, done: Job["done"]): void {
    node.status(nodeStatus(RED, errorStatus(error)));
    if (done) fail(done, report.forMessage(error, message));
    else report.withoutMessage(error);
  }

  /** Reports the failure once the catch nodes have started. */
  function failedToStart(error: unknown): void {
    node.status(nodeStatus(RED, errorStatus(error)));
    cancelReports.push(afterStart(() => report.withoutMessage(error)));
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
    let isDone = false;
    try {
      isDone = intercept?.(message) === true;
    } catch (error) {
      failed(error, message, done);
      return;
    }
    if (isDone) done();
    else enqueue({ work, message, send, done });
  });

  let stopSchedule = (): void => undefined;
  try {
    // Skip a scheduled run while another is still in progress.
    if (schedule) stopSchedule = startSchedule(schedule(), () => jobs.idle() && run());
  } catch (error) {
    failedToStart(error);
  }

  node.on("close", (done: () => void) => {
    closing.abort();
    for (const cancel of cancelReports) cancel();
    stopSchedule();
    stop?.();
    const closed = (): Promise<void> => jobs.drained().then(close);
    void withSignal([], closed, { ms: CLOSE_TIMEOUT }).then(done, () => done());
  });
  return { run };
}
