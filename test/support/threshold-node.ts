// Runs a threshold node and counts the messages on each output.
import type { ThresholdMessage } from "../../src/messages/messages";
import { MINUTE } from "../../src/time-units";
import { type NodeOptions, type NodeUnderTest, startNode } from "./flow";

export const HIGH = 1;
export const LOW = 2;
export const UNSAFE = 3;

/** The state of charge in a record. */
export const SOC = { property: "payload.storage.stateOfCharge" };

export interface ThresholdNode extends NodeUnderTest {
  /** Sends messages, each once the previous one is done. */
  process(...messages: Record<string, unknown>[]): Promise<void>;
  /** The messages on an output. */
  sentTo(port: number): ThresholdMessage[];
  /** The number of messages on high, low and unsafe. */
  counts(): number[];
}

/** Starts a node with the limits 60 and 20. */
export async function startThreshold(
  properties: Record<string, unknown> = {},
  options: NodeOptions = {},
): Promise<ThresholdNode> {
  const whole = { high: 60, low: 20, ...properties };
  const node = await startNode("energy-threshold", whole, { account: null, ...options });
  return {
    ...node,
    async process(...messages) {
      for (const message of messages) {
        node.input(message);
        await node.completed();
      }
    },
    sentTo: (port) => node.sent<ThresholdMessage>(port),
    counts: () => [HIGH, LOW, UNSAFE].map((port) => node.sent(port).length),
  };
}

/** A record as sent by a poll. */
export function socRecord(
  stateOfCharge: number | null,
  phase = "live",
  minutes = 2,
): Record<string, unknown> {
  const ago = (count: number): string => new Date(Date.now() - count * MINUTE).toISOString();
  return {
    payload: { startTime: ago(minutes + 5), endTime: ago(minutes), storage: { stateOfCharge } },
    energy: { kind: "telemetry", phase, startTime: ago(minutes + 5), endTime: ago(minutes) },
    siteId: "demo-house",
    topic: "demo-house",
  };
}
