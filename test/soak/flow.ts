// The flow of a soak: what a large account may run, with function nodes that hand what arrives to the checks.
import { FLOW_NODES } from "../support/flow-nodes";
import type { FlowNode } from "../support/runtime";
import { CONFIRMED_SITE, HISTORY_SITE, LATEST_SITE, RGM_SITE } from "./world";

/** What the checks receive; each is the name of a function of the global context. */
export type Receiver =
  | "poll"
  | "newest"
  | "confirmed"
  | "rgm"
  | "latest"
  | "alerts"
  | "threshold"
  | "mqtt"
  | "history"
  | "progress"
  | "caught";

export const START_HOURS = 2;
const LOOK_BACK = 60;
/** An id that is also the value of a property would count as a reference. */
export const POLL_ID = "the-poll";
export const CONFIRMED_ID = "the-confirmed-poll";
export const HISTORY_ID = "the-history";
export const RGM_ID = "the-rgm-read";

export const CREDENTIALS = { "soak-account": { clientId: "soak-client", clientSecret: "soak-secret" } };

const TAB = "soak-tab";
const ACCOUNT = "soak-account";
const every = (kind: string): Record<string, unknown> => ({ ...FLOW_NODES[kind]?.defaults });

function node(id: string, kind: string, properties: object, wires: string[][]): FlowNode {
  return { ...every(kind), id, type: `energy-${kind}`, z: TAB, account: ACCOUNT, ...properties, wires };
}

/** Hands each message to a check. */
function receiver(name: Receiver): FlowNode {
  const func = `global.get("soak").${name}(msg);`;
  return { id: `receive-${name}`, type: "function", z: TAB, func, outputs: 0, libs: [], wires: [] };
}

const to = (...names: string[]): string[] => names;
const site = (index: number): object => ({ siteId: `site-${index}`, siteIdType: "str" });
const ALL = { siteId: "*", siteIdType: "str", systemId: "*", systemIdType: "str" };
const POLL = { repeat: 5, onDeploy: true, startFrom: "hours", startHours: START_HOURS, lookBack: LOOK_BACK };

/** @param deploys how often it was deployed before: with each, the nodes are changed */
export function soakFlow(baseUrl: string, deploys: number): FlowNode[] {
  const energy = [
    node(POLL_ID, "telemetry-poll", { ...ALL, ...POLL }, [
      to("receive-poll", "the-readings"),
      to("receive-newest"),
    ]),
    node("the-readings", "mqtt", {}, [to("receive-mqtt")]),
    node(RGM_ID, "rgm-read", { ...site(RGM_SITE), ...POLL, mode: "new" }, [to("receive-rgm")]),
    node("the-latest", "latest-value", { ...site(LATEST_SITE), repeat: 5, path: "storage.stateOfCharge" }, [
      to("the-threshold", "receive-latest"),
      to("the-threshold"),
    ]),
    node("the-threshold", "threshold", { high: "80", low: "20" }, [
      to("receive-threshold"),
      to("receive-threshold"),
      to("receive-threshold"),
    ]),
    node("the-alerts", "alerts", { repeat: 5, onDeploy: true, output: "changes" }, [to("receive-alerts")]),
    node(HISTORY_ID, "history", { ...site(HISTORY_SITE), range: "message" }, [
      to("receive-history"),
      to("receive-progress"),
    ]),
    node(
      CONFIRMED_ID,
      "telemetry-poll",
      { ...ALL, ...site(CONFIRMED_SITE), ...POLL, delivery: "confirmed", maxUnconfirmed: 10 },
      [to("the-confirmed-readings"), []],
    ),
    node("the-confirmed-readings", "mqtt", { discovery: false }, [to("the-sink")]),
  ];
  return [
    { id: TAB, type: "tab", label: "Soak" },
    {
      ...every("account"),
      id: ACCOUNT,
      type: "energy-account",
      baseUrl,
      apiVersion: "",
    },
    ...energy.map((one) => ({ ...one, info: `deployed ${deploys} times` })),
    ...(
      ["poll", "newest", "rgm", "latest", "threshold", "alerts", "mqtt", "history", "progress"] as const
    ).map(receiver),
    // Done when the check has it, and calls back; like mqtt out it drops messages silently while it is not connected.
    {
      id: "the-sink",
      type: "function",
      z: TAB,
      func: `global.get("soak").confirmed(msg, () => node.done());\nreturn null; // node.done()`,
      outputs: 0,
      libs: [],
      wires: [],
    },
    {
      id: "the-complete",
      type: "complete",
      z: TAB,
      scope: ["the-sink"],
      uncaught: false,
      wires: [[CONFIRMED_ID]],
    },
    { id: "the-catch", type: "catch", z: TAB, scope: null, uncaught: false, wires: [["receive-caught"]] },
    receiver("caught"),
  ];
}
