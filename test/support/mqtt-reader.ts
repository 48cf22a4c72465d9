// An MQTT client independent of Node-RED that reads what a broker really delivers.
import { connectAsync, type IClientOptions } from "mqtt";
import { eventually } from "./eventually";

export interface Reading {
  topic: string;
  payload: string;
}

export interface MqttReader {
  /** Everything received so far. */
  readings: readonly Reading[];
  /** Waits for the first reading under the topic. */
  reading(topic: string): Promise<Reading>;
  /** Publishes a message that is not retained. */
  publish(topic: string, payload: string): Promise<void>;
  close(): Promise<void>;
}

/** Uses a persistent session, which survives disconnects and broker restarts. */
export const PERSISTENT: IClientOptions = { clientId: "reader", clean: false, reconnectPeriod: 200 };

export async function readMqtt(
  url: string,
  topics: string,
  onReading: (reading: Reading) => void = () => undefined,
  options: IClientOptions = {},
): Promise<MqttReader> {
  const client = await connectAsync(url, options);
  const readings: Reading[] = [];
  client.on("message", (topic, payload) => {
    const reading = { topic, payload: payload.toString("utf8") };
    readings.push(reading);
    onReading(reading);
  });
  // The client reconnects by itself.
  client.on("error", () => undefined);
  await client.subscribeAsync(topics, { qos: 1 });
  return {
    readings,
    reading: (topic) =>
      eventually(
        () => `no message under ${topic}, only under ${readings.map((reading) => reading.topic).join(", ")}`,
        async () => readings.find((reading) => reading.topic === topic),
      ),
    publish: async (topic, payload) => void (await client.publishAsync(topic, payload, { qos: 1 })),
    close: () => client.endAsync(),
  };
}
