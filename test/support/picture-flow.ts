// A flow with one node of each type, set as a user would, for the pictures of the dialogs.
import { FLOW_NODES } from "./flow-nodes";
import type { FlowNode } from "./runtime";

const TAB = "picture-tab";
const ACCOUNT = "energy-demo-account";

/** What differs from a new node. */
const SETTINGS: Record<string, Record<string, unknown>> = {
  "site-list": {},
  "site-info": { siteId: "demo-house" },
  "telemetry-poll": { siteId: "demo-house" },
  "latest-value": { siteId: "demo-house", path: "storage.stateOfCharge" },
  "rgm-read": { siteId: "demo-farm", mode: "new" },
  history: { siteId: "demo-house", range: "fromTo", from: "2026-03-01", to: "2026-03-31" },
  totals: { siteId: "demo-house", period: "yesterday", importPriceType: "prices" },
  alerts: { scope: "site", siteId: "demo-house", output: "changes" },
  threshold: { high: 60, low: 20 },
  points: {},
  statistics: {},
  mqtt: {},
};

export const PICTURED_NODES: FlowNode[] = Object.entries(SETTINGS).map(([name, settings], index) => {
  const { account, ...defaults } = FLOW_NODES[name]?.defaults ?? {};
  return {
    id: `picture-${name}`,
    type: `energy-${name}`,
    z: TAB,
    x: 200,
    y: 60 + index * 60,
    ...defaults,
    ...(account === undefined ? {} : { account: ACCOUNT }),
    ...settings,
    wires: [],
  };
});

export const PICTURE_FLOW: FlowNode[] = [
  { id: TAB, type: "tab", label: "dialogs" },
  { id: ACCOUNT, type: "energy-account", ...FLOW_NODES["account"]?.defaults, name: "demo", service: "demo" },
  ...PICTURED_NODES,
];
