// Home Assistant's websocket on loopback, for the demo and the system tests: what its nodes for Node-RED ask when they connect, and
// the commands for statistics.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { isServiceObject, type ServiceObject } from "../../src/models/service-object";
import { HomeAssistantStatistics, Refused } from "./home-assistant-statistics";

export interface HomeAssistantServer {
  /** For the server node. */
  readonly url: string;
  readonly statistics: HomeAssistantStatistics;
  close(): Promise<void>;
}

/** What is asked besides statistics. */
const ANSWERS: Readonly<Record<string, (known: ServiceObject) => unknown>> = {
  supported_features: () => null,
  "auth/current_user": () => ({ id: "demo", name: "Demo", is_owner: true, is_admin: true, credentials: [] }),
  get_config: (known) => ({ ...known, components: [], state: "RUNNING", location_name: "Demo" }),
  get_services: () => ({}),
  get_states: () => [],
  subscribe_events: () => null,
  subscribe_entities: () => null,
  unsubscribe_events: () => null,
  "config/area_registry/list": () => [],
  "config/device_registry/list": () => [],
  "config/entity_registry/list": () => [],
  "config/floor_registry/list": () => [],
  "config/label_registry/list": () => [],
};

/** On any free port. */
export async function startHomeAssistant(token: string): Promise<HomeAssistantServer> {
  const statistics = new HomeAssistantStatistics();
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/api/websocket" });
  await once(server, "listening");
  server.on("connection", (socket) => talk(socket, token, statistics));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statistics,
    async close() {
      for (const socket of server.clients) socket.terminate();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

function talk(socket: WebSocket, token: string, statistics: HomeAssistantStatistics): void {
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const ha_version = statistics.version;
  socket.on("message", (data: Buffer) => {
    const message: unknown = JSON.parse(data.toString());
    if (!isServiceObject(message)) return;
    const { id, type, access_token: given } = message;
    if (type === "auth") send(given === token ? { type: "auth_ok", ha_version } : { type: "auth_invalid" });
    else if (type === "ping") send({ id, type: "pong" });
    else send({ id, type: "result", ...resultOf(message, statistics) });
  });
  send({ type: "auth_required", ha_version });
}

function resultOf({ id: _id, ...command }: ServiceObject, statistics: HomeAssistantStatistics): object {
  try {
    const own = ANSWERS[String(command["type"])];
    const known = own && command["type"] !== "get_config" ? {} : statistics.answer(command);
    return { success: true, result: own ? own(isServiceObject(known) ? known : {}) : known };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { success: false, error: { code: "home_assistant_error", message: error.message } };
  }
}
