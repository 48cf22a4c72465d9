// Runs a real Node-RED, with the packed package installed, as a separate process.
import { dirname, join } from "node:path";
import { freePort, startNodeRed } from "../../tools/node-red.mjs";
import { eventually } from "./eventually";
import { MODULE, newUserDirectory, ROOT } from "./package";

/** A version of Node-RED and the Node.js to run it on. */
export interface RuntimeVersion {
  name: string;
  node: string;
  folder: string;
}

/** What Node-RED prints, in the languages that the tests use. */
const STARTED = /Started flows|Flux démarrés|Flujos iniciados|流程已启动/;

const manifest = require.resolve("node-red/package.json");

/** The development dependency, or whichever version was installed instead. */
export const NODE_RED: RuntimeVersion = {
  name: `Node-RED ${(require(manifest) as { version: string }).version}`,
  node: process.execPath,
  folder: dirname(manifest),
};

/** `npm run system:install` installs other versions here, each with its dependencies. */
const SYSTEM = join(ROOT, ".system");
export const NODE_RED_4_0: RuntimeVersion = {
  name: "Node-RED 4.0",
  node: process.execPath,
  folder: join(SYSTEM, "node-red-4.0", "node_modules", "node-red"),
};
/** Needs a newer Node.js than this project. */
export const NODE_RED_5: RuntimeVersion = {
  name: "Node-RED 5 on Node.js 24",
  node: join(SYSTEM, "node-red-5", "node_modules", "node", "bin", "node"),
  folder: join(SYSTEM, "node-red-5", "node_modules", "node-red"),
};

/** What the editor's jQuery sends with each request. */
export const JQUERY = { "X-Requested-With": "XMLHttpRequest" };

/** A node in the flow file. */
export interface FlowNode {
  id: string;
  type: string;
  z?: string;
  wires?: string[][];
  [property: string]: unknown;
}

export interface Runtime {
  url: string;
  pid: number | undefined;
  /** Everything that Node-RED has printed. */
  output(): string;
  /** Sends a request to the admin API or to an http in node. Rejects if the status is not a success. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  json<T>(path: string): Promise<T>;
  /** Resolves when the flow has started. */
  deploy(flow: FlowNode[]): Promise<void>;
  /** Removes all nodes and the variables of the global context. What nodes have read of an account remains known. */
  clear(): Promise<void>;
  /** Clicks the button of an inject node. */
  inject(id: string): Promise<void>;
  stop(): Promise<void>;
  /** Simulates a crash: nothing is closed or saved. */
  kill(): Promise<void>;
}

/**
 * Lets Node-RED load the nodes of these packages besides its own and ours. It finds all that stand next to it in
 * node_modules, which take as long to load as everything else.
 */
export function withNodesOf(...packages: string[]): object {
  return { "externalModules.palette.allowList": [MODULE, ...packages] };
}

/**
 * Given the user directory of an earlier runtime, continues its flow.
 * @param ownSettings of settings.js
 */
export async function startRuntime(
  version: RuntimeVersion,
  env: Record<string, string> = {},
  userDir?: string,
  ownSettings: object = {},
): Promise<Runtime> {
  const { node, folder } = version;
  // The editor must not load the public node catalogue, so that tests work offline.
  const settings = {
    "editorTheme.palette.catalogues": [],
    // No dialog of ours edits code, and the other library for that takes longer to load.
    "editorTheme.codeEditor.lib": "ace",
    mqttReconnectTime: 500,
    lang: "en-US",
    ...withNodesOf(),
    ...ownSettings,
  };
  const nodeRed = startNodeRed({
    node,
    folder,
    userDir: userDir ?? (await newUserDirectory()),
    port: await freePort(),
    settings,
    env,
  });
  await nodeRed.ready;

  const starts = (): number => nodeRed.output().split(STARTED).length - 1;
  const startsAfter = (before: number): Promise<true> =>
    eventually(
      () => `the flow did not start:\n${nodeRed.output()}`,
      async () => starts() > before || undefined,
    );
  await startsAfter(0);

  async function request(path: string, init: RequestInit): Promise<Response> {
    // Node-RED may be busy, and then end a connection that waits, at the moment in which it is used again.
    const headers = new Headers(init.headers);
    headers.set("Connection", "close");
    const response = await fetch(`${nodeRed.url}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
    return response;
  }
  const get: Runtime["get"] = (path, headers = {}) => request(path, { headers });
  const post = (path: string, body: unknown) =>
    request(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  const deploy: Runtime["deploy"] = async (flow) => {
    const before = starts();
    await post("/flows", flow);
    await startsAfter(before);
  };

  return {
    url: nodeRed.url,
    pid: nodeRed.pid,
    output: () => nodeRed.output(),
    get,
    json: async <T>(path: string) => (await (await get(path, { Accept: "application/json" })).json()) as T,
    deploy,
    async clear() {
      await deploy([]);
      const { memory } = (await (await get("/context/global")).json()) as { memory: object };
      for (const name of Object.keys(memory)) await request(`/context/global/${name}`, { method: "DELETE" });
    },
    inject: async (id) => void (await post(`/inject/${id}`, {})),
    stop: async () => void (await nodeRed.stop()),
    kill: () => nodeRed.kill(),
  };
}
