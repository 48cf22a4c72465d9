// An MQTT broker on loopback, inside the test process.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

export interface Broker {
  /** The environment variables that point the examples to the broker. */
  env: Record<string, string>;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

export function brokerEnv(port: number): Record<string, string> {
  return { ENERGY_DEMO_MQTT_HOST: HOST, ENERGY_DEMO_MQTT_PORT: String(port) };
}

/** Starts a broker for a Home Assistant that has just come online. */
export async function startBroker(): Promise<Broker> {
  const { Aedes } = await import("aedes");
  const broker = await Aedes.createBroker();
  const birth = { topic: "homeassistant/status", payload: "online", retain: true };
  broker.publish({ ...birth, cmd: "publish", qos: 0, dup: false }, () => undefined);
  const server = createServer(broker.handle);
  server.listen(0, HOST);
  await once(server, "listening");
  return {
    env: brokerEnv((server.address() as AddressInfo).port),
    async close() {
      server.close();
      await new Promise<void>((resolve) => broker.close(resolve));
    },
  };
}
