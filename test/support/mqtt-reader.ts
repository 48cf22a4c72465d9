// An MQTT client that has nothing to do with Node-RED: it reads what a broker really passes on.
import { connectAsync } from "mqtt";
import { eventually } from "./eventually";

interface Reading {
  topic: string;
  payload: string;
}

export interface MqttReader {
  /** The first reading that came under the topic, waited for. */
  reading(topic: string): Promise<Reading>;
  close(): Promise<void>;
}

export async function readMqtt(url: string, topics: string): Promise<MqttReader> {
  const client = await connectAsync(url);
  const readings: Reading[] = [];
  client.on("message", (topic, payload) => readings.push({ topic, payload: payload.toString("utf8") }));
  await client.subscribeAsync(topics, { qos: 1 });
  return {
    reading: (topic) =>
      eventually(
        () =>
          `nothing came under ${topic}, only under ${readings.map((reading) => reading.topic).join(", ")}`,
        async () => readings.find((reading) => reading.topic === topic),
      ),
    close: () => client.endAsync(),
  };
}
