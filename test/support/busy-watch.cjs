// Preloaded into Node-RED: prints how long each busy turn of its event loop took, in CPU time, which no other process lengthens.
const SHORTEST_MS = 100;

let last = process.cpuUsage();
setInterval(() => {
  const { user, system } = process.cpuUsage(last);
  last = process.cpuUsage();
  const busy = Math.round((user + system) / 1000);
  if (busy >= SHORTEST_MS) process.stdout.write(`[busy for ${busy} ms]\n`);
}, 5).unref();
