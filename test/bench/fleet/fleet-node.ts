// A node for the fleet benchmark: triggers a run of the poll behind it, and measures it within Node-RED.
import { readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { type Delays, watchDelays } from "./delays";

/** The measurements of a run. */
export interface FleetSample extends Delays {
  records: number;
  errors: string[];
  seconds: number;
  cpuMs: number;
  /** Heap and external memory after a garbage collection at the end of the run, in bytes. */
  memory: number;
  /** As Linux counts them, in whole pages; 0 elsewhere. */
  diskBytes: number;
}

const realNow = Date.now.bind(Date);
/** Lets time pass between runs without waiting for it. */
let ahead = 0;

export default function register(RED: NodeAPI): void {
  Date.now = () => realNow() + ahead;
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  let run: () => Promise<FleetSample> = () => Promise.reject(new Error("no fleet node in the flow"));

  function FleetNode(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    let records = 0;
    let errors: string[] = [];
    let onEnd = (): void => undefined;

    run = async () => {
      records = 0;
      errors = [];
      collectGarbage();
      const endProfile = await startProfile();
      const endWatch = watchDelays();
      const before = { cpu: process.cpuUsage(), time: performance.now(), disk: writtenBytes() };
      await new Promise<void>((resolve) => {
        onEnd = resolve;
        this.send({});
      });
      const { user, system } = process.cpuUsage(before.cpu);
      const seconds = (performance.now() - before.time) / 1000;
      const delays = endWatch();
      await endProfile();
      const diskBytes = writtenBytes() - before.disk;
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return {
        records,
        errors,
        seconds,
        cpuMs: (user + system) / 1000,
        ...delays,
        memory: heapUsed + external,
        diskBytes,
      };
    };

    this.on(
      "input",
      (message: NodeMessage & { energy?: object; error?: { message: string } }, _send, done) => {
        if (message.error) errors.push(message.error.message);
        // The complete node passes the message on that triggered the run; the catch node, the one it ended with.
        else if (message.energy) records += 1;
        else onEnd();
        done();
      },
    );
  }

  RED.nodes.registerType("bench-fleet", FleetNode);

  RED.httpAdmin.post("/bench/run", (request, response) => {
    ahead = (request.body as { ahead: number }).ahead;
    run().then(
      (sample) => response.json(sample),
      (error: unknown) => response.status(500).send(String(error)),
    );
  });
}

/** With PROFILE_FOLDER, each run writes a CPU profile into it. */
async function startProfile(): Promise<() => Promise<void>> {
  const folder = process.env["PROFILE_FOLDER"];
  if (folder === undefined) return () => Promise.resolve();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  return async () => {
    const { profile } = await session.post("Profiler.stop");
    writeFileSync(join(folder, `${Date.now()}.cpuprofile`), JSON.stringify(profile));
    session.disconnect();
  };
}

function writtenBytes(): number {
  try {
    return Number(/write_bytes: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
