// npm start: opens the demo and keeps it open until Ctrl-C. A user directory of your own may be given: npm start -- FOLDER
import { join, resolve } from "node:path";
import { root, startDemo } from "./demo.mjs";

const WATCH_INTERVAL = 500;

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
// npm passes SIGTERM to its shell only, which ends without a word: this process then has another parent.
const parent = process.ppid;
function stopWhenOrphaned() {
  if (process.ppid !== parent) void stop();
}
if (process.env.npm_lifecycle_event) setInterval(stopWhenOrphaned, WATCH_INTERVAL).unref();

try {
  await demo.runtime.ready;
  console.log(`
  The demo is running.

    Editor      ${demo.runtime.url}
    Dashboard   ${demo.dashboardUrl}
    Broker      ${demo.brokerUrl}   (topics energy/...)

  Open the editor: the tabs show each node at work on the simulated service. To read your own sites,
  open the account "Demo account", choose the live service, enter your credentials and deploy.
  Your changes are kept in ${userDir}; delete that folder to begin anew.
  Ctrl-C stops everything.
`);
  await demo.runtime.exited;
} catch (error) {
  if (!isStopping) console.error(error.message);
}
if (!isStopping) {
  console.error("Node-RED has ended by itself; see above.");
  process.exitCode = 1;
  await stop();
}
