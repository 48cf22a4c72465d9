// The account as palette nodes see it: a connection to the service, and no credentials.
import type { Node, NodeAPI } from "node-red";
import type { ServiceClient } from "../../../../src/client/service-client";
import type { Rhythms } from "../../../../src/series/rhythm";
import type { SeriesBook } from "../../../../src/series/series-book";

export interface AccountNode extends Node {
  /** The connection, created on first use. Rejects with ConfigError if the account is not configured. */
  service(): Promise<ServiceClient>;
  /** Which series there are; with PC1 systems, even if the account did not opt in to them. Rejects like `service`. */
  book(pc1?: boolean): Promise<SeriesBook>;
  /** The same for the same base URL and client, and no secret. Rejects like `service`. */
  credentialsKey(): Promise<string>;
  /** The rhythm of each series. */
  readonly rhythms: Rhythms;
  /** How many requests it sends at a time. */
  readonly concurrency: number;
  /** Identifies it in stored state, so that demo state is never mistaken for that of the real service. */
  readonly accountId: string;
  /** Gives the service a say in the time: a node uses it. */
  readonly keepTime: () => void;
}

/** The account that a node refers to, if there is one. */
export function knownAccount(RED: NodeAPI, id: string | undefined): AccountNode | undefined {
  const account = id ? RED.nodes.getNode(id) : undefined;
  return account && "service" in account ? (account as AccountNode) : undefined;
}
