// Runs one node of the package in a real Node-RED runtime, wired to helper, catch, complete and status nodes.
import { once } from "node:events";
import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodeAPI, NodeMessage } from "node-red";
import account from "../../nodes/account/account";
import alerts from "../../nodes/alerts/alerts";
import history from "../../nodes/history/history";
import latestValue from "../../nodes/latest-value/latest-value";
import points from "../../nodes/points/points";
import mqtt from "../../nodes/mqtt/mqtt";
import rgmRead from "../../nodes/rgm-read/rgm-read";
import siteInfo from "../../nodes/site-info/site-info";
import siteList from "../../nodes/site-list/site-list";
import telemetryPoll from "../../nodes/telemetry-poll/telemetry-poll";
import statistics from "../../nodes/statistics/statistics";
import totals from "../../nodes/totals/totals";
import threshold from "../../nodes/threshold/threshold";
import type { FailedEnergy } from "../../src/messages/messages";
import { translate } from "./catalogue";
import { credentialsFor } from "./service";
import { helper } from "./node-red-helper";

const initializers = [
  account,
  siteList,
  siteInfo,
  telemetryPoll,
  latestValue,
  rgmRead,
  alerts,
  history,
  totals,
  statistics,
  threshold,
  points,
  mqtt,
];

/** The core nodes used in tests. */
const core = ["network/05-tls", "network/06-httpproxy", "sequence/17-split"].map(
  (name) => require(`@node-red/nodes/core/${name}.js`) as (RED: NodeAPI) => void,
);

/** A message as a catch node receives it. */
export interface CaughtMessage {
  error: { message: string };
  energy: { kind: string; error: FailedEnergy["error"] };
}

/** Messages in order of arrival; `next` waits for the first one not yet returned. */
class Inbox {
  readonly all: NodeMessage[] = [];
  #taken = 0;
  readonly #arrivals = new EventEmitter();

  add(message: NodeMessage): void {
    this.all.push(message);
    this.#arrivals.emit("message");
  }

  async next<M>(): Promise<M> {
    while (this.all.length <= this.#taken) await once(this.#arrivals, "message");
    this.#taken += 1;
    return this.all[this.#taken - 1] as M;
  }
}

export interface NodeUnderTest {
  /** Sends a message to the node. */
  input(message: NodeMessage): void;
  /** The next message of an output; outputs count from 1. */
  output<M = NodeMessage>(port?: number): Promise<M>;
  /** All messages of an output so far. */
  sent<M = NodeMessage>(port?: number): M[];
  /** The next message at the catch node, with `error`. */
  caught<M = object>(): Promise<CaughtMessage & M>;
  caughtSoFar(): CaughtMessage[];
  /** Waits until the node has completed a message without an error. */
  completed(): Promise<NodeMessage>;
  completedSoFar(): NodeMessage[];
  statuses(): string[];
  /** Sets a value in the flow or global context. */
  setContext(scope: "flow" | "global", name: string, value: unknown): void;
  /** Everything logged so far, as text. */
  logged(): string;
  userDir: string;
  /** Restarts the node, optionally with changed properties; also the account if its own properties change. */
  redeploy(properties?: Record<string, unknown>, account?: Record<string, unknown>): Promise<void>;
  /** Closes the account, and leaves the node as it is. */
  closeAccount(): Promise<void>;
  /** Deploys the flow without the node. */
  remove(): Promise<void>;
  stop(): Promise<void>;
}

export interface NodeOptions {
  /** Properties of the account, at least its base URL; `null` = no account. */
  account?: Record<string, unknown> | null;
  credentials?: Record<string, unknown>;
  /** Additional nodes of the flow, with unique ids. */
  others?: { id: string; type: string; [property: string]: unknown }[];
  /** Keeps state across restarts if given. */
  userDir?: string | undefined;
  settings?: Record<string, unknown>;
  env?: { name: string; value: string; type: string }[];
}

/** By type: a node under test does nothing by itself unless its test says so. */
const UNSCHEDULED: Record<string, Record<string, unknown>> = {
  "energy-telemetry-poll": { repeat: 0, onDeploy: false },
  "energy-history": { range: "message" },
};

const ACCOUNT_ID = "the-account";
const NODE_ID = "node-under-test";

export async function startNode(
  type: string,
  properties: Record<string, unknown>,
  options: NodeOptions = {},
): Promise<NodeUnderTest> {
  const userDir = options.userDir ?? (await mkdtemp(join(tmpdir(), "energy-sites-")));
  helper.settings({ userDir, ...options.settings });
  const flowOf = (
    changed: Record<string, unknown>,
    account: Record<string, unknown> = {},
  ): helper.TestFlows => [
    { id: "tab", type: "tab", label: "Tab", env: options.env ?? [] },
    ...(options.account === null
      ? []
      : [
          {
            id: ACCOUNT_ID,
            type: "energy-account",
            name: "",
            apiVersion: "",
            ...options.account,
            ...account,
          },
        ]),
    ...(options.others ?? []).map((other) => ({ ...UNSCHEDULED[other.type], ...other })),
    {
      id: NODE_ID,
      z: "tab",
      type,
      name: "",
      account: ACCOUNT_ID,
      wires: [["out-1"], ["out-2"], ["out-3"]],
      ...UNSCHEDULED[type],
      ...properties,
      ...changed,
    },
    ...["out-1", "out-2", "out-3", "caught", "completed"].map((id) => ({
      id,
      z: "tab",
      type: "helper",
      wires: [],
    })),
    { id: "catch-all", z: "tab", type: "catch", scope: null, uncaught: false, wires: [["caught"]] },
    {
      id: "complete-node",
      z: "tab",
      type: "complete",
      scope: [NODE_ID],
      uncaught: false,
      wires: [["completed"]],
    },
  ];
  const otherAccounts = (options.others ?? []).filter((one) => one.type === "energy-account");
  const credentials = (): helper.TestCredentials<object> => ({
    ...Object.fromEntries(otherAccounts.map(({ id, baseUrl }) => [id, credentialsFor(baseUrl)])),
    [ACCOUNT_ID]: { ...credentialsFor(options.account?.baseUrl), ...options.credentials },
  });
  const inboxes = new Map(["out-1", "out-2", "out-3", "caught", "completed"].map((id) => [id, new Inbox()]));
  const inbox = (id: string): Inbox => inboxes.get(id) ?? new Inbox();
  const statuses: string[] = [];
  let deploys = 0;

  const modules = [...core, ...initializers].map((initialize) => (RED: NodeAPI) => {
    const translated = Object.create(RED, { _: { value: translate } }) as NodeAPI;
    initialize(translated);
  });
  const listen = (): void => {
    for (const [id, box] of inboxes) {
      const node = helper.getNode(id) as EventEmitter | undefined;
      node?.removeAllListeners("input");
      node?.on("input", (message: NodeMessage) => box.add(message));
    }
    const node = helper.getNode(NODE_ID) as unknown as EventEmitter;
    node.on("call:status", (call: { args: [{ text?: string }] }) => statuses.push(call.args[0].text ?? ""));
  };
  await helper.load(modules, flowOf({}), credentials());
  listen();

  return {
    input: (message) => helper.getNode(NODE_ID).receive(message),
    output: (port = 1) => inbox(`out-${port}`).next(),
    sent: <M>(port = 1) => inbox(`out-${port}`).all as M[],
    caught: () => inbox("caught").next(),
    caughtSoFar: () => inbox("caught").all as unknown as CaughtMessage[],
    completed: () => inbox("completed").next(),
    completedSoFar: () => inbox("completed").all,
    statuses: () => statuses,
    setContext: (scope, name, value) => helper.getNode(NODE_ID).context()[scope].set(name, value),
    logged: () =>
      helper
        .log()
        .args.map((args: unknown[]) => JSON.stringify(args))
        .join("\n"),
    userDir,
    async redeploy(changed = {}, account = {}) {
      // Node-RED does not restart unchanged nodes.
      deploys += 1;
      const flow = flowOf({ info: `deployed ${deploys} times`, ...changed }, account);
      await helper.setFlows(flow, "nodes", credentials());
      listen();
    },
    closeAccount: () => (helper.getNode(ACCOUNT_ID) as unknown as { close(): Promise<void> }).close(),
    async remove() {
      const flow = flowOf({}, {}).filter(({ id }) => id !== NODE_ID);
      await helper.setFlows(flow, "nodes", credentials());
    },
    async stop() {
      await helper.unload();
      // Closed nodes may still save.
      if (options.userDir === undefined)
        await rm(userDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 5 });
    },
  };
}
