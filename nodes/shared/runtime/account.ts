// What palette nodes know of an account: it hands out the connection to the service, and nothing else.
import type { Node, NodeAPI } from "node-red";
import { ConfigError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import type { SiteDirectory } from "../../../src/client/site-directory";

export interface AccountNode extends Node {
  /** The connection, made when first asked for. Rejects with ConfigError when the account is not set up. */
  service(): Promise<ServiceClient>;
  /** What is known of the account's sites. Rejects as `service` does. */
  directory(): Promise<SiteDirectory>;
  /** Whether it is the simulated service. */
  readonly isDemo: boolean;
}

/** The account that a node names. Throws ConfigError when there is none. */
export function findAccount(RED: NodeAPI, id: string | undefined): AccountNode {
  const account = id ? RED.nodes.getNode(id) : undefined;
  if (!account || !("service" in account)) {
    throw new ConfigError("accountMissing");
  }
  return account as AccountNode;
}

/** Names an account where state is kept: that of the simulated service is never taken for that of the real one. */
export function accountKey({ id, isDemo }: AccountNode): string {
  return isDemo ? `${id}:demo` : id;
}
