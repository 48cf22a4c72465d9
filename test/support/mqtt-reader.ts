// An MQTT client that has nothing to do with Node-RED: it reads what a broker really passes on.
import { connectAsync, type IClientOptions } from "mqtt";
import { eventually } from "./eventually";

export interface Reading {
  topic: string;
  payload: string;
}

export interface MqttReader {
  /** All that has come so far. */
  readings: readonly Reading[];
  /** The first reading that came under the topic, waited for. */
  reading(topic: string): Promise<Reading>;
  /** Says something itself, and keeps it nowhere. */
  say(topic: string, payload: string): Promise<void>;
  close(): Promise<void>;
}

/** A session that the broker keeps while the reader, or the broker itself, is away. */
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
  // It connects again by itself.
  client.on("error", () => undefined);
  await client.subscribeAsync(topics, { qos: 1 });
  return {
    readings,
    reading: (topic) =>
      eventually(
        () =>
          `nothing came under ${topic}, only under ${readings.map((reading) => reading.topic).join(", ")}`,
        async () => readings.find((reading) => reading.topic === topic),
      ),
    say: async (topic, payload) => void (await client.publishAsync(topic, payload, { qos: 1 })),
    close: () => client.endAsync(),
  };
}
