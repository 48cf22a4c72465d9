// The lifecycle of a node: one queue for messages, schedule and timers, one error handler, and a timely close.
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { AbortedError, type ErrorText } from "../../../../src/errors";
import type { SeriesAddress } from "../../../../src/series/identity";
import { onAbort, withSignal } from "../../../../src/abort";
import type { MessageEnergy } from "../../../../src/messages/messages";
import { readIncoming } from "../../../../src/messages/incoming";
import { energyOf } from "../../../../src/messages/reader";
import type { Settings, SettingValues } from "../../../../src/settings/table";
import { type Failure, failuresOf, textOf } from "../base/errors";
import { type NodeSettings, readSettings } from "../base/settings";
import { describeNode, notesOf } from "./node-notes";
import { complete, FailureReport, retrySeconds } from "./failures";
import { inTurns } from "../../../../src/loop-turns";
import { type Job, JobQueue, type Send, type Trigger } from "./queue";
import { afterStart, type Schedule, type ScheduleOptions, type Spread, startSchedule } from "./schedule";
import { displayOf, errorStatus, showStatus, type StatusText } from "../base/status";

/** A unit of work and what triggered it. */
export interface Input {
  /** The first of the messages. Empty if the schedule or a timer triggered the work. */
  readonly message: NodeMessage;
  readonly isByMessage: boolean;
  /** Sends on behalf of the first message. */
  readonly send: Send;
  /** All messages that waited for this work; none if the schedule or a timer triggered it. */
  readonly triggers: readonly Pick<Trigger, "message" | "send">[];
  /** How to spread the requests; absent if a message triggered the work. */
  readonly spread?: Spread | undefined;
  /** How many units of work are running or waiting, this one included. */
  readonly inHand: () => number;
  /** Aborts when other work waits; absent where there is no spread. */
  readonly hurry?: AbortSignal | undefined;
  readonly signal: AbortSignal;
  /** Reports something that does not fail the work. Its status is shown instead of the one that the work, or what it defers, returns. */
  readonly notify: (notice: Notice) => void;
  /** Keeps the message open until the promise settles, while other work runs. What it resolves to is the new status. */
  readonly defer: (until: Promise<StatusText | undefined | void>) => void;
  /** Sets the `msg.energy` with which the messages end, if the work succeeds: complete nodes pass it on. */
  readonly endWith: (energy: MessageEnergy) => void;
}

/** Something that people must know, reported once: in the log or at a catch node, and in the status. */
export interface Notice {
  /** A failure is sent to catch nodes; a text is logged as a warning. Absent if it has been logged already. */
  readonly what?: Failure | { text: ErrorText };
  readonly status: StatusText;
}

/** Returns the new status, or undefined to leave it unchanged. May throw: errors are reported here. */
export type Work = (input: Input) => Promise<StatusText | undefined> | StatusText | undefined;

export interface LifecycleOptions {
  /** The `msg.energy.kind` of a failed message; by default, the name of the node. */
  kind?: string;
  work: Work;
  /** Properties that the node neither reads nor copies: a message may hold anything in them. */
  ignored?: readonly string[];
  /** Handles messages that must bypass the queue, such as confirmations. Returns true if the message is done. */
  intercept?: (message: NodeMessage) => boolean;
  /** Messages with the same key that wait at the same time are served by one run. By default, none are. Must not throw. */
  sameWork?: (message: NodeMessage) => string | undefined;
  /**
   * What is known of a message's series without asking anyone: messages of different series are served side by side. By default, one
   * is served at a time. Must not throw.
   */
  seriesOf?: ((message: NodeMessage) => SeriesAddress) | undefined;
  /** How many messages are served side by side. */
  width?: () => number;
  /** A status to show instead of that of the work, unless the work itself has notified something: then this is not called. */
  overridingStatus?: () => StatusText | undefined;
  /** When the node runs without a message. Throws ConfigError. */
  schedule?: () => ScheduleOptions;
  /** Runs before the first message. May throw: the node continues. */
  start?: () => Promise<void>;
  /** Immediately stops what must not outlive the node, such as timers. `isRemoved`: the user has deleted or disabled it. */
  stop?: (isRemoved: boolean) => void;
  /** Cleans up once all work has ended. Never rejects. */
  close?: () => Promise<void>;
}

/** What Node-RED loads: registers a type of nodes, and starts each of them with its settings. */
export function nodeType<Table extends Settings>(
  type: string,
  table: Table,
  start: (RED: NodeAPI, node: Node, settings: NodeSettings<SettingValues<Table>>) => void,
): (RED: NodeAPI) => void {
  return (RED) => {
    RED.nodes.registerType(type, function construct(this: Node, config: NodeDef) {
      RED.nodes.createNode(this, config);
      const settings = readSettings(RED, this, table, config);
      describeNode(this, settings);
      start(RED, this, settings);
    });
  };
}

/** How long closing waits for work to end, in milliseconds: waiting longer would block Node-RED. */
const CLOSE_TIMEOUT = 1500;

export function closeInTime(close: () => Promise<unknown>, done: () => void): void {
  void withSignal([], close, { ms: CLOSE_TIMEOUT })
    .catch(() => undefined)
    .then(() => done());
}

/**
 * Starts the lifecycle of a node, with `done` exactly once for each message.
 * @returns queues work without a message: the node's regular work unless another is given
 */
export function startLifecycle(RED: NodeAPI, node: Node, options: LifecycleOptions): (work?: Work) => void {
  const { work, ignored = [], intercept, sameWork, seriesOf, start } = options;
  const report = new FailureReport(RED, node, options.kind ?? node.type.replace("energy-", ""));
  const { attempt } = report;
  const closing = new AbortController();
  const { signal } = closing;
  /** Whether a scheduled run is in progress, or waits for what messages have triggered. */
  let isOnSchedule = false;
  const jobs = new JobQueue<Work>(perform, seriesOf && options.width);
  const notes = notesOf(node);
  const run = (own: Work = work, spread?: Spread): void =>
    jobs.add({ work: own, triggers: [], spread, key: own });

  async function perform(job: Job<Work>, hurry?: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { triggers, spread } = job;
    const [first] = triggers;
    const message = first?.message ?? {};
    const end = job.work === work ? notes.beginRun(first !== undefined) : undefined;
    let noticed: StatusText | undefined;
    let isDeferred = false;
    const deferred: Promise<StatusText | undefined | void>[] = [];
    let energy: MessageEnergy | undefined;
    let hasFailed = false;
    /** The first failure ends the messages. */
    const fail = (error: unknown): void => {
      if (signal.aborted && error instanceof AbortedError) return;
      if (hasFailed) for (const failure of failuresOf(error)) report.report(failure, message);
      else void failed(error, triggers);
      hasFailed = true;
    };
    try {
      const returned = await job.work({
        message,
        isByMessage: first !== undefined,
        send: first?.send ?? ((sent) => node.send(sent)),
        triggers,
        spread,
        inHand: () => jobs.inHand,
        hurry,
        signal,
        notify({ what, status }) {
          noticed = status;
          if (isDeferred) attempt(() => show(status));
          if (what && "error" in what) {
            notes.noteFailure(what.error, what.address);
            report.report(what, message);
          }
          if (what && "text" in what) node.warn(textOf(RED, what.text));
        },
        defer(until) {
          deferred.push(until);
          // It may fail before the work ends.
          until.catch(() => undefined);
        },
        endWith: (own) => void (energy = own),
      });
      const status = noticed ?? options.overridingStatus?.() ?? returned;
      report.recovered();
      end?.("succeeded");
      if (status) attempt(() => show(status));
      noticed = undefined;
      isDeferred = true;
    } catch (error) {
      end?.("failed");
      hasFailed = true;
      const retryIn = first ? undefined : retrySeconds(error);
      if (retryIn !== undefined) scheduled?.again(retryIn * 1000);
      if (!signal.aborted) await failed(error, triggers);
    } finally {
      if (spread) isOnSchedule = false;
    }
    // After a failure, what was deferred continues without the message, but its failures are still reported.
    for (const until of deferred) until.catch(fail);
    if (hasFailed) return;
    const finish = (statuses: readonly (StatusText | undefined | void)[]): Promise<void> => {
      const status = noticed ? undefined : statuses.findLast((one) => one !== undefined);
      if (status) attempt(() => show(status));
      return inTurns(triggers, (trigger) =>
        attempt(() => complete(trigger, energy ?? unconfirming(trigger))),
      );
    };
    if (deferred.length === 0) return finish([]);
    void Promise.all(deferred).then(finish, () => undefined);
  }

  /**
   * Messages end without the id that confirms their delivery: what the node makes of them has it, and only a complete node on
   * what takes that may confirm.
   */
  function unconfirming({ message }: Trigger): object | undefined {
    const { delivery, ...rest } = energyOf(message);
    return delivery === undefined ? undefined : rest;
  }

  function show(status: StatusText): void {
    notes.runs.status = status.key;
    showStatus(RED, node, status);
  }

  function showFailure(error: unknown): void {
    attempt(() => notes.noteFailure(error));
    attempt(() => show(errorStatus(error)));
  }

  /** Never rejects. */
  async function failed(error: unknown, triggers: readonly Trigger[]): Promise<void> {
    showFailure(error);
    if (triggers.length === 0) attempt(() => report.withoutMessage(error));
    await inTurns(triggers, (trigger) => attempt(() => report.endMessage(error, trigger)));
  }

  /** Reports the failure once the catch nodes have started. */
  function failedToStart(error: unknown): undefined {
    showFailure(error);
    onAbort(
      signal,
      afterStart(() => attempt(() => report.withoutMessage(error))),
    );
  }

  if (start) run(() => start().then(() => undefined, failedToStart));
  node.on("input", (original, send, done) => {
    let trigger: Trigger = { message: {}, original, send, done };
    try {
      const { message, faults } = readIncoming(original);
      const [fault] = [...faults].filter(([name]) => !ignored.includes(name)).map(([, error]) => error);
      trigger = { message, original, send, done };
      if (fault) throw fault;
      if (intercept?.(message)) attempt(() => complete(trigger));
      else jobs.add({ work, triggers: [trigger], key: sameWork?.(message), lane: seriesOf?.(message) });
    } catch (error) {
      void failed(error, [trigger]);
    }
  });

  let scheduled: Schedule | undefined;
  try {
    // Skip a scheduled run while another is still in progress. A message may have triggered something else.
    if (options.schedule)
      scheduled = startSchedule(node.id, options.schedule(), (spread) => {
        if (!isOnSchedule) run(work, spread);
        isOnSchedule = true;
      });
    if (scheduled) notes.nextRun = scheduled.next;
  } catch (error) {
    failedToStart(error);
  }

  node.on("close", (isRemoved: boolean, done: () => void) => {
    attempt(() => closing.abort());
    scheduled?.stop();
    displayOf(RED, node).close();
    attempt(() => options.stop?.(isRemoved));
    closeInTime(() => jobs.drained().then(options.close), done);
  });
  return run;
}
