import { createServer } from "node:http";
import { createServiceClient } from "../src/client/service-client";
const rec = (i: number) => ({ startTime: new Date(1.77e12 + i * 300000).toISOString(), endTime: new Date(1.77e12 + (i + 1) * 300000).toISOString(), grid: { energy: i, power: i * 2, exportedEnergy: 1, importedEnergy: 2 }, solar: { energy: 1, power: 2 }, storage: { stateOfCharge: 50, power: 3 } });
const small = JSON.stringify({ data: [rec(0)] });
const large = JSON.stringify({ data: Array.from({ length: 288 }, (_, i) => rec(i)) });
if (process.argv[2] === "serve") {
  createServer((q, r) => {
    const body = q.url!.includes("auth") ? JSON.stringify({ access_token: "tttt" }) : q.url!.includes("/big/") ? large : small;
    r.setHeader("content-type", "application/json"); r.end(body);
  }).listen(34567, () => console.log("up"));
} else {
  const run = async () => {
    const client = createServiceClient({ baseUrl: "http://localhost:34567", clientId: "a", clientSecret: "b", apiVersion: "", versionHeader: "X", timeoutSeconds: 30, concurrency: 4, requestsPerMinute: 0, proxy: "none" });
    const time = async (site: string, n: number, width: number) => {
      const t = process.cpuUsage();
      let i = 0;
      const worker = async () => { while (i < n) { i += 1; await client.telemetry({ siteId: site, systemId: "s", startTime: new Date(1.77e12 + i * 1000).toISOString(), endTime: new Date(1.77e12 + 300000 + i * 1000).toISOString() }); } };
      await Promise.all(Array.from({ length: width }, worker));
      const u = process.cpuUsage(t);
      return ((u.user + u.system) / n).toFixed(0);
    };
    await time("x", 3000, 4);
    const res: string[] = [];
    for (let k = 0; k < 5; k += 1) res.push(`${await time("x", 4000, 1)}/${await time("x", 4000, 4)}/${await time("big", 800, 4)}`);
    console.log("µs CPU per request (small x1 / small x4 / day x4):", res.join("  "));
    client.close();
  };
  void run();
}
