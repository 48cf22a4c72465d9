// Nodes that call the service: each run has the account, and builds its messages from the incoming one.
import type { Node, NodeAPI } from "node-red";
import { Reported } from "../../../../src/bounded-map";
import { type Clock, sharedClock } from "../../../../src/clock";
import type { Priority } from "../../../../src/client/http/fair-queue";
import type { ServiceClient } from "../../../../src/client/service-client";
import { correctionText, MINUTE } from "../../../../src/time-units";
import type { Reader, Rhythms } from "../../../../src/series/rhythm";
import type { SeriesBook } from "../../../../src/series/series-book";
import { ConfigError, type ErrorText, ResponseError } from "../../../../src/errors";
import { REPLACED } from "../../../../src/messages/incoming";
import type { UnreadableItem } from "../../../../src/models/responses";
import { addressId, type SeriesAddress } from "../../../../src/series/identity";
import { jobsStatus, RUNNING, showStatus, type StatusText, warningStatus } from "../base/status";
import { notesOf } from "../lifecycle/node-notes";
import {
  type Input,
  type LifecycleOptions,
  nodeType,
  type Notice,
  startLifecycle,
} from "../lifecycle/lifecycle";
import { type MessageMaker, messageMaker } from "../base/message";
import { type Replies, repliesOf } from "./replies";
import type { NodeSetting, NumberSetting, Settings, SettingValues } from "../../../../src/settings/table";
import type { NodeSettings } from "../base/settings";

/** The account as palette nodes see it: a connection to the service, and no credentials. */
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

/** Of a node that calls the service. */
type ServiceSettings = Settings & { readonly account: NodeSetting; readonly repeat: NumberSetting };

/** One run of a node. */
export interface Run extends Input, Replies {
  /** The account of the node. Throws ConfigError if there is none. */
  readonly account: () => AccountNode;
  /**
   * The connection to the service. Rejects with ConfigError if the account is not configured.
   * @param priority of the requests; by default, someone waits for a run that a message triggered
   */
  readonly service: (priority?: Priority) => Promise<ServiceClient>;
  /** Who reads, and how often. */
  readonly reader: Reader;
  /** What time it is, for all nodes. */
  readonly clock: Clock;
  /** Builds a message from the incoming one, or from the first if there are several. */
  readonly make: MessageMaker;
  /** What the node has reported: unreadable items, and windows that fail. */
  readonly reported: Reported;
  /** Reports once each record of a series that cannot be read, or each site and system without a valid id. */
  readonly reportUnreadable: (items: readonly UnreadableItem[], address?: SeriesAddress) => void;
}

export interface ServiceNodeOptions extends Pick<
  LifecycleOptions,
  "kind" | "ignored" | "sameWork" | "seriesOf" | "intercept" | "schedule" | "stop" | "close"
> {
  /** Does the work of a run and returns the status. May throw. */
  work: (run: Run) => Promise<StatusText>;
  /** Properties of the incoming message that are this node's own input, and not of those after it. */
  taken?: readonly string[];
}

/** Whether a node calls the service, and runs on any message. */
export function isServiceNode(node: Node): boolean {
  return "account" in (notesOf(node).settings?.table ?? {});
}

/** What Node-RED loads: a node that runs on messages and on schedule until it is closed. */
export function serviceNode<Table extends ServiceSettings>(
  type: string,
  table: Table,
  optionsOf: (RED: NodeAPI, node: Node, settings: NodeSettings<SettingValues<Table>>) => ServiceNodeOptions,
): (RED: NodeAPI) => void {
  return nodeType(type, table, (RED, node, settings) => {
    const { work, ignored = REPLACED, taken = [], ...others } = optionsOf(RED, node, settings);
    const { seriesOf } = others;
    const { account: accountId } = settings.values;
    // Looked up each time: an account can be deployed without its nodes, if they name it by a variable.
    const account = (): AccountNode => {
      const found = knownAccount(RED, accountId);
      if (!found) throw new ConfigError("accountMissing");
      return found;
    };
    knownAccount(RED, accountId)?.keepTime();
    const reported = new Reported();
    startLifecycle(RED, node, {
      schedule: () => settings.valid("repeat"),
      ...others,
      ignored,
      overridingStatus: newTimeStatus("maxAge" in table),
      width: () => knownAccount(RED, accountId)?.concurrency ?? 1,
      work: async (input) => {
        showStatus(RED, node, seriesOf && input.inHand() > 1 ? jobsStatus(input.inHand()) : RUNNING);
        const usual = input.isByMessage ? "user" : "schedule";
        const status = await work({
          account,
          reader: { id: node.id, repeat: settings.values.repeat * MINUTE },
          clock: sharedClock,
          service: async (priority = usual) => (await account().service()).for({ id: node.id, priority }),
          make: messageMaker(RED, input.message, taken),
          reported,
          reportUnreadable: (items, address) => reportUnreadable(reported, input.notify, items, address),
          ...input,
          ...repliesOf(RED, input, taken),
        });
        return seriesOf && input.inHand() > 1 ? jobsStatus(input.inHand() - 1) : status;
      },
    });
  });
}

/**
 * The status for a wrong local clock, once per correction, and, as long as no one knows the time, why nothing is fresh.
 * @param judgesAge whether what a node sends depends on how old a record is
 */
function newTimeStatus(judgesAge: boolean): () => StatusText | undefined {
  let shown: number | undefined;
  return () => {
    const { correction, isSure } = sharedClock;
    if (correction !== shown) {
      shown = correction;
      const text = correction === undefined ? undefined : correctionText(correction);
      if (text) return warningStatus(text.key, text.values);
    }
    return judgesAge && !isSure ? warningStatus("timeUnsure") : undefined;
  };
}

/** The most unreadable sites and systems of one response that are reported. */
const MAX_NOTICES = 5;

function reportUnreadable(
  reported: Reported,
  notify: Input["notify"],
  unreadable: readonly UnreadableItem[],
  address?: SeriesAddress,
): void {
  const series = address ? `${addressId(address)} ` : "";
  const unknown = unreadable.filter(({ id }) => reported.isNew(series + id));
  for (const { fault } of address ? unknown : unknown.slice(0, MAX_NOTICES))
    notify({ what: { error: new ResponseError(fault), address }, status: warningStatus("unreadable") });
}

/** A list is empty. @param reason undefined if the account has sites, but none of them is to be read */
export function noSitesNotice(reason: ErrorText | undefined): Notice {
  return { status: warningStatus("noSites"), ...(reason && { what: { text: reason } }) };
}

/** Reports a condition as long as it lasts: to a message each time, on a schedule once. */
export class StandingNotice {
  #wasReported = false;

  check(run: Pick<Input, "notify" | "isByMessage">, isSo: boolean, { status, what }: Notice): void {
    const isKnown = this.#wasReported && !run.isByMessage;
    this.#wasReported = isSo;
    if (isSo) run.notify({ status, ...(what && !isKnown && { what }) });
  }
}
