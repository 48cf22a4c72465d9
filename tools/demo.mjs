// Starts a complete Node-RED with these nodes and their examples in demo mode, plus an MQTT broker. Node-RED finds the
// dashboard nodes because they are installed next to it in node_modules.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Aedes } from "aedes";
import { exampleFlow } from "./example-flow.mjs";
import { freePort, startNodeRed } from "./node-red.mjs";

const HOST = "127.0.0.1";
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Returns immediately; `runtime.ready` resolves when the editor answers. */
export async function startDemo({ userDir, editorPort = 1880, brokerPort = 1883, settings = {}, onOutput }) {
  mkdirSync(userDir, { recursive: true });
  const flowFile = join(userDir, "flows.json");
  // Written only once, so that the user's changes are kept.
  if (!existsSync(flowFile))
    writeFileSync(flowFile, JSON.stringify(exampleFlow(join(root, "examples")), undefined, 4));

  const broker = await startBroker(await freePort(brokerPort));
  const runtime = startNodeRed({
    folder: dirname(createRequire(import.meta.url).resolve("node-red/package.json")),
    userDir,
    port: await freePort(editorPort),
    settings: { ...settings, nodesDir: root },
    env: { ENERGY_DEMO_MQTT_HOST: HOST, ENERGY_DEMO_MQTT_PORT: String(broker.port) },
    onOutput,
  });
  return {
    runtime,
    dashboardUrl: `${runtime.url}/dashboard`,
    brokerUrl: `mqtt://${HOST}:${broker.port}`,
    async stop() {
      // Close the broker last, so that the flow can disconnect from it.
      await runtime.stop();
      await broker.close();
    },
  };
}

async function startBroker(port) {
  const broker = await Aedes.createBroker();
  const server = createServer(broker.handle);
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
  return {
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await new Promise((resolve) => broker.close(resolve));
      await closed;
    },
  };
}
