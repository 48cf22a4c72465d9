// Nodes that call the service: their runs know the account, and make messages that go on from the incoming one.
import type { Node, NodeAPI, NodeDef } from "node-red";
import type { ServiceClient } from "../../../src/client/service-client";
import { SCHEDULE } from "../../../src/settings/table/shared";
import { type AccountNode, findAccount } from "./account";
import { type Input, type Lifecycle, type LifecycleOptions, startLifecycle } from "./lifecycle";
import { type MessageMaker, messageMaker } from "./message";
import { numberSetting } from "./settings";
import { nodeStatus, READING, type StatusText } from "./status";

/** Properties of every node that calls the service. */
export interface ServiceNodeDef extends NodeDef {
  account?: string;
  repeat?: number | string;
  onDeploy?: boolean;
}

/** One pass of a node's work. */
export interface Run extends Input {
  /** The account of the node. Throws ConfigError when there is none. */
  readonly account: () => AccountNode;
  /** The connection to the service. Rejects with ConfigError when the account is not set up. */
  readonly service: () => Promise<ServiceClient>;
  /** Makes a message that goes on from the incoming one. */
  readonly make: MessageMaker;
}

export interface ServiceNodeOptions extends Pick<LifecycleOptions, "kind" | "intercept" | "stop" | "close"> {
  /** Does a run's work and gives what the node is to show. May throw. */
  work: (run: Run) => Promise<StatusText>;
  /** False: only messages trigger a run, whatever the properties say. */
  isScheduled?: boolean;
}

/** Runs on messages and on schedule, one after another, until the node is closed. */
export function startServiceNode(
  RED: NodeAPI,
  node: Node,
  config: ServiceNodeDef,
  { work, isScheduled = true, ...options }: ServiceNodeOptions,
): Lifecycle {
  const account = (): AccountNode => findAccount(RED, config.account);
  return startLifecycle(RED, node, {
    ...options,
    work: (input) => {
      node.status(nodeStatus(RED, READING));
      const make = messageMaker(RED, input.message);
      return work({ ...input, account, service: async () => account().service(), make });
    },
    ...(isScheduled && {
      schedule: () => ({
        nodeId: node.id,
        repeatMinutes: numberSetting(SCHEDULE.repeat, config.repeat),
        onDeploy: config.onDeploy === true,
      }),
    }),
  });
}
