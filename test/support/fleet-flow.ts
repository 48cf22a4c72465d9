// The fleet examples, connected to a broker and a service, set as their user would set them.
import { accountNode } from "./delivery-flow";
import { readExample } from "./examples";
import type { FlowNode } from "./runtime";

export interface FleetSettings {
  /** Of the broker. */
  port: number;
  baseUrl: string;
  /** Sent as the version header, so that the service can tell workers apart. */
  worker: string;
  /** A job for each system in so many seconds. */
  interval: number;
  /** Seconds after which a job comes again. */
  timeout: number;
  /** Where a system without a ledger starts. */
  startHours: number;
  /** Seconds between two looks at what is due. */
  tick: number;
  /** Parallel requests of a worker. */
  concurrency?: number;
}

export function fleetFlow(example: string, settings: FleetSettings): FlowNode[] {
  const { port, baseUrl, worker, interval, timeout, startHours, tick, concurrency = 4 } = settings;
  const values: Record<string, string> = {
    MQTT_HOST: "127.0.0.1",
    MQTT_PORT: String(port),
    MQTT_VERSION: "5",
    JOBS: "$share/workers/fleet/jobs/#",
    INTERVAL: String(interval / 60),
    TIMEOUT: String(timeout),
  };
  return readExample(example).map((node): FlowNode => {
    switch (node.type) {
      case "energy-account":
        return { ...accountNode(baseUrl), id: node.id, apiVersion: worker, concurrency };
      case "energy-telemetry-poll":
        return { ...node, startHours };
      case "inject":
        return node["repeat"] === "" ? { ...node, once: false } : { ...node, repeat: String(tick) };
      case "tab": {
        const env = Object.entries(values).map(([name, value]) => ({ name, value, type: "str" }));
        return { ...node, env };
      }
      default:
        return node;
    }
  });
}
