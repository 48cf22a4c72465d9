// The flows to compare: telemetry poll, history, and the equivalent built from core nodes.
import { DEMO_CREDENTIALS } from "../support/demo-service";
import { SITE, siteOf } from "./work";

const TAB = { id: "tab", type: "tab", label: "Bench" };
const COUNTER = { id: "counter", z: "tab", type: "bench-counter" };

const ACCOUNT = "site-account";

export const CLIENT = DEMO_CREDENTIALS;

/** In the format of Node-RED's credentials file. */
export const CREDENTIALS = { [ACCOUNT]: CLIENT };

const POLL = { type: "energy-telemetry-poll", store: "none", repeat: 0, onDeploy: false };
const HISTORY = { type: "energy-history", source: "telemetry", range: "message" };

/** counter → telemetry polls → counter */
export function pollFlow(baseUrl: string, nodes: number): object[] {
  return readingFlow(baseUrl, POLL, nodes);
}

/** counter → histories → counter */
export function historyFlow(baseUrl: string, nodes: number): object[] {
  return readingFlow(baseUrl, HISTORY, nodes);
}

/** An account and a few nodes that never run. */
export function idleFlow(): object[] {
  const types = [POLL, HISTORY, { type: "energy-latest-value" }, { type: "energy-alerts" }];
  const nodes = types.map((node, index) => reader(`idle-${index}`, node));
  return [TAB, COUNTER, account("http://localhost:9"), ...nodes];
}

/** Only the counter. */
export function emptyFlow(): object[] {
  return [TAB, COUNTER];
}

/** counter → nodes of one kind → counter */
export function readingFlow(baseUrl: string, node: object, count: number): object[] {
  const ids = Array.from({ length: count }, (_none, index) => `reader-${index}`);
  return [
    TAB,
    { ...COUNTER, outputs: count, wires: ids.map((id) => [id]) },
    account(baseUrl),
    ...ids.map((id, index) => reader(id, { siteId: siteOf(index), ...node })),
  ];
}

function account(baseUrl: string): object {
  return { id: ACCOUNT, type: "energy-account", service: "live", baseUrl, apiVersion: "", concurrency: 8 };
}

function reader(id: string, node: object): object {
  const wires = [["counter"], []];
  return { id, z: "tab", account: ACCOUNT, siteId: SITE, output: "record", wires, ...node };
}

/** Competitor (b): counter → function (URL and token) → http request → split → counter. The connections are kept alive. */
export function coreFlow(): object[] {
  const func = "msg.headers = { Authorization: `Bearer ${msg.token}` };\nreturn msg;";
  return [
    TAB,
    { ...COUNTER, wires: [["address"]] },
    { id: "address", z: "tab", type: "function", func, outputs: 1, libs: [], wires: [["read"]] },
    {
      id: "read",
      z: "tab",
      type: "http request",
      method: "GET",
      ret: "obj",
      persist: true,
      wires: [["each"]],
    },
    {
      id: "each",
      z: "tab",
      type: "split",
      property: "payload.data",
      arraySplt: 1,
      arraySpltType: "len",
      wires: [["counter"]],
    },
  ];
}
