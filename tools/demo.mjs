// Starts a complete Node-RED with these nodes and their examples in demo mode, plus an MQTT broker and a stand-in for Home Assistant;
// all need the same password, new on every start. Node-RED finds the nodes of others because they are installed next to it in
// node_modules.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Aedes } from "aedes";
import { tsImport } from "tsx/esm/api";
import { exampleFlow } from "./example-flow.mjs";
import { freePort, startNodeRed } from "./node-red.mjs";

const HOST = "127.0.0.1";
const USER = "demo";
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Returns immediately; `runtime.ready` resolves when the editor answers. */
export async function startDemo({ userDir, editorPort = 1880, brokerPort = 1883, settings = {}, onOutput }) {
  prepareUserDir(userDir);
  const password = randomBytes(16).toString("hex");
  const broker = await startBroker(await freePort(brokerPort), password);
  const homeAssistant = await startHomeAssistant(password);
  const runtime = startNodeRed({
    folder: dirname(createRequire(import.meta.url).resolve("node-red/package.json")),
    userDir,
    port: await freePort(editorPort),
    settingsFile: join(root, "tools", "demo-settings.cjs"),
    settings: { ...settings, nodesDir: root },
    // Other users of the machine can read command lines, but not environments.
    env: {
      ENERGY_DEMO_MQTT_HOST: HOST,
      ENERGY_DEMO_MQTT_PORT: String(broker.port),
      ENERGY_DEMO_HOME_ASSISTANT: homeAssistant.url,
      ENERGY_DEMO_USER: USER,
      ENERGY_DEMO_PASSWORD: password,
      ENERGY_DEMO_SETTINGS: join(userDir, "settings.js"),
    },
    onOutput,
  });
  return {
    runtime,
    user: USER,
    password,
    /** Logs in by itself. */
    editorUrl: `${runtime.url}/?access_token=${password}`,
    dashboardUrl: `${runtime.url}/dashboard`,
    brokerUrl: `mqtt://${HOST}:${broker.port}`,
    async stop() {
      // Close what the flow is connected to last, so that it can disconnect.
      await runtime.stop();
      await Promise.all([broker.close(), homeAssistant.close()]);
    },
  };
}

/** Writes each file only once, so that the user's changes are kept. */
function prepareUserDir(userDir) {
  mkdirSync(userDir, { recursive: true, mode: PRIVATE_FOLDER });
  const files = readdirSync(userDir);
  // The permissions of a folder that serves another purpose, too, are not ours to change.
  const isOurs = files.length === 0 || files.includes("flows.json") || files.includes("settings.js");
  if (isOurs) chmodSync(userDir, PRIVATE_FOLDER);
  const flow = exampleFlow(join(root, "examples"));
  writeOnce(join(userDir, "flows.json"), flow);
  writeOnce(join(userDir, "flows_cred.json"), credentials(flow));
}

function writeOnce(path, content) {
  if (!existsSync(path)) writeFileSync(path, JSON.stringify(content, undefined, 4), { mode: PRIVATE_FILE });
}

/** Names the variables only: the password is another one on every start. Node-RED fills them in, and encrypts the file on deploy. */
function credentials(flow) {
  const broker = { user: "${ENERGY_DEMO_USER}", password: "${ENERGY_DEMO_PASSWORD}" };
  const server = { host: "${ENERGY_DEMO_HOME_ASSISTANT}", access_token: "${ENERGY_DEMO_PASSWORD}" };
  const byType = { "mqtt-broker": broker, server };
  return Object.fromEntries(flow.flatMap(({ id, type }) => (byType[type] ? [[id, byType[type]]] : [])));
}

/** The double that the tests use. */
async function startHomeAssistant(token) {
  const double = await tsImport("../test/support/home-assistant-server.ts", import.meta.url);
  return double.startHomeAssistant(token);
}

async function startBroker(port, password) {
  const broker = await Aedes.createBroker({
    authenticate(_client, user, given, done) {
      done(null, user === USER && given?.toString() === password);
    },
  });
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
