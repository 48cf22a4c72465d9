// The account as palette nodes see it: a connection to the service, and no credentials.
import type { Node, NodeAPI } from "node-red";
import { ConfigError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import type { SiteDirectory } from "../../../src/client/site-directory";

export interface AccountNode extends Node {
  /** The connection, created on first use. Rejects with ConfigError if the account is not configured. */
  service(): Promise<ServiceClient>;
  /** The account's sites, as far as they are known. Rejects like `service`. */
  directory(): Promise<SiteDirectory>;
  /** Whether the account uses the simulated service. */
  readonly isDemo: boolean;
}

/** The account that a node refers to. Throws ConfigError if there is none. */
export function findAccount(RED: NodeAPI, id: string | undefined): AccountNode {
  const account = id ? RED.nodes.getNode(id) : undefined;
  if (!account || !("service" in account)) {
    throw new ConfigError("accountMissing");
  }
  return account as AccountNode;
}

/** Identifies an account in stored state, so that demo state is never mistaken for that of the live service. */
export function accountKey({ id, isDemo }: AccountNode): string {
  return isDemo ? `${id}:demo` : id;
}
