// Preloaded into Node-RED: prints how long each busy turn of its event loop took, in CPU time, which no other process lengthens.
const { readFileSync } = require("node:fs");

const SHORTEST_MS = 100;
/** Linux tells the CPU time of a thread, without those that collect garbage or compile beside it. */
const THREAD = `/proc/self/task/${process.pid}/schedstat`;

function cpuMs() {
  try {
    return Number(readFileSync(THREAD, "utf8").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

let last = cpuMs();
setInterval(() => {
  const now = cpuMs();
  const busy = Math.round(now - last);
  last = now;
  if (busy >= SHORTEST_MS) process.stdout.write(`[busy for ${busy} ms]\n`);
}, 5).unref();
