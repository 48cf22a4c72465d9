// A real Node-RED with the packed package installed, run as a process of its own.
import { dirname, join } from "node:path";
import { freePort, startNodeRed } from "../../tools/node-red.mjs";
import { eventually } from "./eventually";
import { installedPackage, ROOT } from "./package";

/** A Node-RED and the Node.js that it runs on. */
export interface RuntimeVersion {
  name: string;
  node: string;
  folder: string;
}

const manifest = require.resolve("node-red/package.json");

/** The one that the project is developed with, or that was installed in its place. */
export const NODE_RED: RuntimeVersion = {
  name: `Node-RED ${(require(manifest) as { version: string }).version}`,
  node: process.execPath,
  folder: dirname(manifest),
};

/** `npm run system:install` puts other versions here, each with what it depends on. */
const SYSTEM = join(ROOT, ".system");
export const NODE_RED_4_0: RuntimeVersion = {
  name: "Node-RED 4.0",
  node: process.execPath,
  folder: join(SYSTEM, "node-red-4.0", "node_modules", "node-red"),
};
/** It needs a newer Node.js than this project does. */
export const NODE_RED_5: RuntimeVersion = {
  name: "Node-RED 5 on Node.js 24",
  node: join(SYSTEM, "node-red-5", "node_modules", "node", "bin", "node"),
  folder: join(SYSTEM, "node-red-5", "node_modules", "node-red"),
};

/** A node as the flow file holds it. */
export interface FlowNode {
  id: string;
  type: string;
  z?: string;
  wires?: string[][];
  [property: string]: unknown;
}

export interface Runtime {
  url: string;
  /** All that Node-RED has printed. */
  output(): string;
  /** Asks the admin or a flow's own HTTP interface. Rejects when the status is not one of success. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  json<T>(path: string): Promise<T>;
  /** Resolves when the flow runs. */
  deploy(flow: FlowNode[]): Promise<void>;
  /** Presses the button of an inject node. */
  inject(id: string): Promise<void>;
  stop(): Promise<void>;
  /** As a crash does: nothing is closed, nothing is saved. */
  kill(): Promise<void>;
}

/** With the user directory of a runtime that has ended, its flow goes on. */
export async function startRuntime(
  version: RuntimeVersion,
  env: Record<string, string> = {},
  userDir?: string,
): Promise<Runtime> {
  const { node, folder } = version;
  // Offline as online: the editor asks for no catalogue of other people's nodes.
  const settings = { "editorTheme.palette.catalogues": [], mqttReconnectTime: 500, lang: "en-US" };
  const nodeRed = startNodeRed({
    node,
    folder,
    userDir: userDir ?? (await installedPackage()),
    port: await freePort(),
    settings,
    env,
  });
  await nodeRed.ready;

  const starts = (): number => nodeRed.output().split("Started flows").length - 1;
  const startsAfter = (before: number): Promise<true> =>
    eventually(
      () => `the flow does not start:\n${nodeRed.output()}`,
      async () => starts() > before || undefined,
    );
  await startsAfter(0);

  async function request(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`${nodeRed.url}${path}`, init);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  }
  const get: Runtime["get"] = (path, headers = {}) => request(path, { headers });
  const post = (path: string, body: unknown) =>
    request(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  return {
    url: nodeRed.url,
    output: () => nodeRed.output(),
    get,
    json: async <T>(path: string) => (await (await get(path, { Accept: "application/json" })).json()) as T,
    async deploy(flow) {
      const before = starts();
      await post("/flows", flow);
      await startsAfter(before);
    },
    inject: async (id) => void (await post(`/inject/${id}`, {})),
    stop: async () => void (await nodeRed.stop()),
    kill: () => nodeRed.kill(),
  };
}
