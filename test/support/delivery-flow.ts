// Flows that catch up on every system of a service, send its records to a sink, and confirm them.
import { DEMO_CREDENTIALS } from "./demo-service";
import type { FlowNode } from "./runtime";

export type DeliveryMode = "confirmed" | "sent";

/** In seconds; short, so that lost records are resent soon. */
const CONFIRM_TIMEOUT = 3;

const ACCOUNT = "account";
const BROKER = "broker";

export function accountNode(baseUrl: string): FlowNode {
  return {
    id: ACCOUNT,
    type: "energy-account",
    service: "live",
    baseUrl,
    apiVersion: "2026-01-01.preview",
    credentials: DEMO_CREDENTIALS,
  };
}

export function brokerNode(port: number): FlowNode {
  return {
    id: BROKER,
    type: "mqtt-broker",
    broker: "127.0.0.1",
    port: String(port),
    clientid: "",
    autoConnect: true,
    usetls: false,
    protocolVersion: "4",
    keepalive: "60",
    cleansession: true,
  };
}

/** A tab that polls the given number of hours back: poll -> makers -> sink, with confirmations back to the poll. */
export function deliveryTab(
  tab: string,
  { mode, hours }: { mode: DeliveryMode; hours: number },
  makers: FlowNode[],
  sink: FlowNode,
): FlowNode[] {
  const own = (id: string): string => `${tab}-${id}`;
  const chain = [...makers, sink].map((node) => ({ ...node, id: own(node.id), z: tab }));
  const poll = {
    id: own("poll"),
    type: "energy-telemetry-poll",
    account: ACCOUNT,
    siteId: "*",
    siteIdType: "str",
    systemId: "*",
    systemIdType: "str",
    repeat: 0,
    onDeploy: true,
    startFrom: "hours",
    startHours: hours,
    output: "record",
    store: "file",
    delivery: mode,
    confirmTimeout: CONFIRM_TIMEOUT,
    maxUnconfirmed: 20,
    z: tab,
  };
  return [
    { id: tab, type: "tab", label: tab },
    ...[poll, ...chain].map((node, index) => ({ ...node, wires: chain[index] ? [[chain[index].id]] : [] })),
    {
      id: own("complete"),
      type: "complete",
      z: tab,
      scope: [own(sink.id)],
      uncaught: false,
      wires: mode === "confirmed" ? [[poll.id]] : [],
    },
  ];
}

/** A node that limits the rate and queues messages in memory. */
export function slowNode(recordsPerSecond: number): FlowNode {
  return {
    id: "slow",
    type: "delay",
    pauseType: "rate",
    timeout: "1",
    timeoutUnits: "seconds",
    rate: String(recordsPerSecond),
    nbRateUnits: "1",
    rateUnits: "second",
    drop: false,
    allowrate: false,
    outputs: 1,
  };
}

export function mqttOut(): FlowNode {
  return { id: "out", type: "mqtt out", topic: "", qos: "1", retain: "false", broker: BROKER };
}
