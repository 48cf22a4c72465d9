// npm start: runs the demo until Ctrl-C is pressed. To use another user directory: npm start -- FOLDER
import { join, resolve } from "node:path";
import { root, startDemo } from "./demo.mjs";

const WATCH_INTERVAL = 500;

// What Node-RED writes, such as the key of its credentials, only the user may read.
process.umask(0o077);
const userDir = resolve(process.argv[2] ?? join(root, ".node-red"));
const demo = await startDemo({ userDir, onOutput: (text) => process.stdout.write(text) });
let isStopping = false;

async function stop() {
  if (isStopping) return;
  isStopping = true;
  console.log("Stopping ...");
  await demo.stop();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => void stop());
// npm sends SIGTERM only to its shell, which exits silently and leaves this process with a new parent.
const parent = process.ppid;
function stopWhenOrphaned() {
  if (process.ppid !== parent) void stop();
}
if (process.env.npm_lifecycle_event) setInterval(stopWhenOrphaned, WATCH_INTERVAL).unref();

try {
  await demo.runtime.ready;
  console.log(`
  The demo is running.

    Editor      ${demo.editorUrl}
    Dashboard   ${demo.dashboardUrl}
    Broker      ${demo.brokerUrl}   (topics energy/...)
    User        ${demo.user}
    Password    ${demo.password}

  The editor's link logs in by itself. MQTT clients and the editor's login page take the user and the password, which
  is new on every start. The dashboard needs neither.

  The tabs of the editor show the nodes in action on the simulated service. To read your own sites,
  open the account "Demo account", choose My account, enter your credentials and deploy. The tab "Statistics"
  writes to a stand-in for Home Assistant: choose your own server in its api node.
  Your changes are kept in ${userDir}; delete that folder to start over.
  Press Ctrl-C to stop everything.
`);
  await demo.runtime.exited;
} catch (error) {
  if (!isStopping) console.error(error.message);
}
if (!isStopping) {
  console.error("Node-RED stopped unexpectedly; see the output above.");
  process.exitCode = 1;
  await stop();
}
