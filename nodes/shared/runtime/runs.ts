// The life of a node that calls the service: runs on messages and by the clock, one after another, until it is closed.
import fastq from "fastq";
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { AbortedError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import { SCHEDULE } from "../../../src/settings/table/shared";
import { type AccountNode, findAccount } from "./account";
import { endsInTime } from "./ends-within";
import { errorMessage, fail, failedMessage, failuresOf, failureWay } from "./error-report";
import { type MessageMaker, messageMaker } from "./message";
import { afterStart, startSchedule } from "./schedule";
import { numberSetting } from "./settings";
import { errorStatus, nodeStatus, READING, type StatusText } from "./status";

/** Properties of every node that calls the service. */
export interface ServiceNodeDef extends NodeDef {
  account?: string;
  repeat?: number | string;
  onDeploy?: boolean;
}

/** One pass of a node's work. */
export interface Run {
  /** The message that triggered it; an empty one when the clock did. */
  readonly message: NodeMessage;
  readonly isTriggered: boolean;
  /** Aborted when the node is closed. */
  readonly signal: AbortSignal;
  /** The account of the node. Throws ConfigError when there is none. */
  readonly account: () => AccountNode;
  /** The connection to the service. Rejects with ConfigError when the account is not set up. */
  readonly service: () => Promise<ServiceClient>;
  /** Makes a message that goes on from the incoming one. */
  readonly make: MessageMaker;
  readonly send: (message: NodeMessage | (NodeMessage | null)[]) => void;
}

/** Does a run's work and tells what the node is to show. May throw: the funnel is here. */
export type Work = (run: Run) => Promise<StatusText>;

export interface RunOptions {
  /** Whether a message is meant for something else than a run; `runAgain` adds a run like those of the clock. */
  takes?: (message: NodeMessage, runAgain: () => void) => boolean;
  /** What else to end when the node is closed. */
  close?: () => Promise<void>;
}

interface Job {
  message: NodeMessage;
  send: Run["send"];
  /** Absent when the clock started the run. */
  done?: (error?: Error) => void;
}

/**
 * Lets a node run: never overlapping, never rejecting, `done` once for each message. A failure goes to catch nodes; one
 * that repeats itself by the clock is reported once until the node recovers.
 */
export function startRuns(
  RED: NodeAPI,
  node: Node,
  config: ServiceNodeDef,
  kind: string,
  work: Work,
  { takes = () => false, close = () => Promise.resolve() }: RunOptions = {},
): void {
  const closing = new AbortController();
  const reported = new Map<string, string>();
  const jobs = fastq.promise(perform, 1);

  async function perform({ message, send, done }: Job): Promise<void> {
    if (closing.signal.aborted) return;
    node.status(nodeStatus(RED, READING));
    try {
      const account = (): AccountNode => findAccount(RED, config.account);
      const status = await work({
        message,
        isTriggered: done !== undefined,
        signal: closing.signal,
        account,
        service: async () => account().service(),
        make: messageMaker(RED, message),
        send,
      });
      reported.clear();
      node.status(nodeStatus(RED, status));
      done?.();
    } catch (error) {
      if (error instanceof AbortedError || closing.signal.aborted) return;
      node.status(nodeStatus(RED, errorStatus(error)));
      report(error, message, done);
    }
  }

  /** The last failure of a triggered run ends it; the others of the same run are told beside it. */
  function report(error: unknown, message: NodeMessage, done: Job["done"]): void {
    const failures = failuresOf(error);
    const before = new Map(reported);
    reported.clear();
    failures.forEach((failure, index) => {
      const failed = errorMessage(RED, failure.error);
      const where = JSON.stringify(failure.address ?? {});
      const told = failedMessage(RED, message, kind, failure);
      const way = failureWay(failure.error);
      reported.set(where, way);
      if (done && index === failures.length - 1) {
        Object.assign(message, told);
        fail(done, failed);
      } else if (done || before.get(where) !== way) {
        node.error(failed, told);
      }
    });
  }

  function enqueue(job: Job): void {
    jobs.push(job).catch(() => undefined);
  }

  function runUntriggered(): void {
    enqueue({ message: {}, send: (message) => node.send(message) });
  }

  function runByClock(): void {
    if (jobs.idle()) runUntriggered();
  }

  node.on("input", (message, send, done) => {
    if (takes(message, runUntriggered)) done();
    else enqueue({ message, send, done });
  });

  let stopSchedule = (): void => undefined;
  try {
    const repeatMinutes = numberSetting(SCHEDULE.repeat, config.repeat);
    stopSchedule = startSchedule(
      { nodeId: node.id, repeatMinutes, onDeploy: config.onDeploy === true },
      runByClock,
    );
  } catch (error) {
    node.status(nodeStatus(RED, errorStatus(error)));
    stopSchedule = afterStart(() => report(error, {}, undefined));
  }

  node.on("close", (done: () => void) => {
    stopSchedule();
    closing.abort();
    void endsInTime(Promise.all([jobs.drained(), close()])).then(done);
  });
}
