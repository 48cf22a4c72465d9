// The flows to compare: telemetry poll, history, and the equivalent built from core nodes.
import { SITE } from "./work";

const TAB = { id: "tab", type: "tab", label: "Bench" };
const COUNTER = { id: "counter", z: "tab", type: "bench-counter" };

const ACCOUNT = "site-account";

export const CLIENT = { clientId: "bench-client", clientSecret: "bench-secret" };

/** In the format of Node-RED's credentials file. */
export const CREDENTIALS = { [ACCOUNT]: CLIENT };

/** counter → telemetry poll → counter */
export function pollFlow(baseUrl: string): object[] {
  return readingFlow(baseUrl, { type: "energy-telemetry-poll", store: "none" });
}

/** counter → history → counter */
export function historyFlow(baseUrl: string): object[] {
  return readingFlow(baseUrl, { type: "energy-history", source: "telemetry" });
}

function readingFlow(baseUrl: string, node: object): object[] {
  return [
    TAB,
    { ...COUNTER, wires: [["reader"]] },
    { id: ACCOUNT, type: "energy-account", service: "live", baseUrl },
    {
      id: "reader",
      z: "tab",
      account: ACCOUNT,
      siteId: SITE,
      output: "record",
      wires: [["counter"], []],
      ...node,
    },
  ];
}

/** Competitor (b): counter → function (URL and token) → http request → split → counter. The connection is kept alive. */
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
