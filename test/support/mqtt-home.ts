// Shared by tests of mqtt readings with Home Assistant: a node on a fake clock, connected to a simulated Home Assistant.
import type { NodeMessage } from "node-red";
import type { MqttMessage } from "../../src/messages/messages";
import { MINUTE } from "../../src/time-units";
import type { NodeOptions } from "./flow";
import { HomeAssistant } from "./home-assistant";
import { type MqttNode, recordAt, startMqtt, telemetry } from "./mqtt-node";
import { usePassingTime } from "./passing-time";

export const NOW = Date.UTC(2026, 5, 10, 10, 7);
/** The end of a record that is still fresh. */
export const END = NOW - 2 * MINUTE;

export const SITE = "energy__home";
export const SYSTEM = "energy__home__a";
export const CONFIGS = [`homeassistant/device/${SITE}/config`, `homeassistant/device/${SYSTEM}/config`];
export const BIRTH = { topic: "homeassistant/status", payload: "online", qos: 0, retain: false };

export const isConfig = ({ topic }: MqttMessage): boolean => topic.endsWith("/config");

export class MqttHome {
  node!: MqttNode;
  home = new HomeAssistant();
  readonly clock: ReturnType<typeof usePassingTime>;

  constructor(now = NOW) {
    this.clock = usePassingTime(now, ["setTimeout", "clearTimeout"]);
  }

  async close(): Promise<void> {
    await this.node.stop();
    this.clock.restore();
  }

  async start(properties: Record<string, unknown> = {}, options: NodeOptions = {}): Promise<void> {
    this.node = await startMqtt(properties, options);
  }

  async process(message: NodeMessage): Promise<MqttMessage[]> {
    const messages = await this.node.process(message);
    this.home.receive(messages);
    return messages;
  }

  /** Advances the clock; returns what the node sent in the meantime. */
  async advance(milliseconds: number): Promise<MqttMessage[]> {
    await this.clock.tickAsync(milliseconds);
    const messages = this.node.newMessages();
    this.home.receive(messages);
    return messages;
  }

  /** Sends a live record that has just ended. */
  live(groups: object = {}): Promise<MqttMessage[]> {
    return this.process(telemetry(recordAt(Date.now(), groups)));
  }
}
