// An MQTT broker on loopback, inside the test.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

export interface Broker {
  /** Where the examples look for their broker. */
  env: Record<string, string>;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

export function brokerEnv(port: number): Record<string, string> {
  return { ENERGY_DEMO_MQTT_HOST: HOST, ENERGY_DEMO_MQTT_PORT: String(port) };
}

/** The broker of a home where Home Assistant has just started. */
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
