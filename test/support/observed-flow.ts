// Makes a running flow observable: core nodes count messages by kind, and errors, and serve the counts over HTTP.
import type { FlowNode, Runtime } from "./runtime";

export interface Observation {
  /** The id of the node that sent the messages or failed. */
  id: string;
  kind?: string;
  error?: string;
  count: number;
}

/** The kind of an observation of a node that has connected to its broker. */
export const CONNECTED = "connected";

const TAB = "observer";
const PATH = "/observed";
const READ = `const counts = Object.entries(global.get("observations") ?? {});
  msg.payload = counts.map(([key, count]) => ({ ...JSON.parse(key), count }));
  return msg;`;

/** Adds an observer after each of the nodes, and for each tab one of its errors and one of its connections to brokers. */
export function observed(flow: FlowNode[], watchedIds: string[]): FlowNode[] {
  const observers: FlowNode[] = [
    { id: TAB, type: "tab", label: "Observer" },
    {
      id: `${TAB}-in`,
      type: "http in",
      z: TAB,
      url: PATH,
      method: "get",
      wires: [[`${TAB}-read`]],
    },
    code(`${TAB}-read`, TAB, READ, [[`${TAB}-out`]]),
    { id: `${TAB}-out`, type: "http response", z: TAB, wires: [] },
  ];
  const nodes = flow.map((node) => {
    if (node.type === "tab") observers.push(...errorObserver(node.id), ...connectionObserver(node.id, flow));
    if (!watchedIds.includes(node.id)) return node;
    const id = `${TAB}-of-${node.id}`;
    const observation = `{ id: "${node.id}", kind: msg.energy?.kind }`;
    observers.push(code(id, String(node.z), note(observation)));
    return { ...node, wires: node.wires?.map((wires) => [...wires, id]) };
  });
  return [...nodes, ...observers];
}

/** Nodes that count, under this id, each message that one of the nodes in the scope has completed. */
export function completions(id: string, z: string, scope: string[]): FlowNode[] {
  return [
    { id: `${id}-complete`, type: "complete", z, scope, uncaught: false, wires: [[id]] },
    code(id, z, note(`{ id: "${id}" }`)),
  ];
}

/** Everything counted since Node-RED started, or was cleared. */
export async function observations(runtime: Runtime): Promise<Observation[]> {
  return runtime.json<Observation[]>(PATH);
}

function errorObserver(tab: string): FlowNode[] {
  const id = `${TAB}-of-errors-${tab}`;
  return [
    { id: `${id}-catch`, type: "catch", z: tab, scope: null, uncaught: false, wires: [[id]] },
    code(id, tab, note("{ id: msg.error.source.id, error: msg.error.message }")),
  ];
}

/** The nodes of a flow that connect to a broker. */
export function mqttNodes(flow: FlowNode[]): FlowNode[] {
  return flow.filter(({ type }) => type === "mqtt in" || type === "mqtt out");
}

function connectionObserver(tab: string, flow: FlowNode[]): FlowNode[] {
  const id = `${TAB}-of-connections-${tab}`;
  const scope = mqttNodes(flow).flatMap((node) => (node.z === tab ? [node.id] : []));
  if (scope.length === 0) return [];
  return [
    { id: `${id}-status`, type: "status", z: tab, scope, wires: [[id]] },
    code(
      id,
      tab,
      `if (msg.status.fill === "green") { ${note(`{ id: msg.status.source.id, kind: "${CONNECTED}" }`)} }`,
    ),
  ];
}

function note(observation: string): string {
  return `const counts = global.get("observations") ?? {};
    const key = JSON.stringify(${observation});
    global.set("observations", { ...counts, [key]: (counts[key] ?? 0) + 1 });`;
}

function code(id: string, z: string, func: string, wires: string[][] = []): FlowNode {
  return { id, type: "function", z, func, outputs: wires.length, libs: [], wires };
}
