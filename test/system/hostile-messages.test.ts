// Tests that a Node-RED process with the package lives through odd messages, and that each of them ends exactly once.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { eventually } from "../support/eventually";
import { ODD_FORMS, ODD_VALUES } from "../support/odd-values";
import { ROOT } from "../support/package";
import { type FlowNode, NODE_RED, type Runtime, startRuntime } from "../support/runtime";

const TARGETS: [type: string, properties: object][] = [
  ["energy-site-list", { output: "list" }],
  ["energy-site-info", {}],
  ["energy-telemetry-poll", { repeat: 0, onDeploy: false }],
  ["energy-latest-value", {}],
  ["energy-rgm-read", { mode: "latest" }],
  ["energy-alerts", { scope: "account", output: "list" }],
  ["energy-history", { range: "message" }],
  ["energy-threshold", { high: 20, low: 10, property: "payload", propertyType: "msg" }],
  ["energy-mqtt", { layout: "json" }],
  ["energy-points", { target: "influxdb" }],
  ["energy-points", { target: "chart" }],
];

const BUSY_WATCH = join(ROOT, "test", "support", "busy-watch.cjs");

/** Where a message holds an odd value. `grid` is a group of its record. */
const PLACES = ["payload", "energy", "siteId", "other", "error", "topic", "grid"];

/** What the flow has counted. */
interface Counts {
  sent?: number;
  completed?: number;
  failed?: number;
  internal?: number;
  isOver?: boolean;
}

/** Sends every odd value in every place to each node, in changing forms, without copying the messages itself. */
function sender(): string {
  const source = readFileSync(join(ROOT, "test", "support", "odd-values.ts"), "utf8");
  const { code } = transformSync(source.replaceAll("export const", "const"), { loader: "ts" });
  return `${code}
    const targets = ${TARGETS.length};
    const record = { startTime: new Date(Date.now() - 3e5).toISOString(), endTime: new Date().toISOString() };
    const forms = Object.values(ODD_FORMS);
    const message = (value, place, form) => {
      const payload = { ...record, grid: place === "grid" ? value : { power: 12 } };
      return form({ siteId: "demo-house", payload, ...(place === "grid" ? {} : { [place]: value }) });
    };
    const sendAll = async () => {
      let sent = 0;
      for (const make of Object.values(ODD_VALUES))
        for (const place of ${JSON.stringify(PLACES)}) {
          sent += 1;
          const value = make();
          for (let target = 0; target < targets; target += 1) {
            const form = forms[(sent + target) % forms.length];
            // One by one, so that what keeps Node-RED busy is a single message.
            await new Promise((resolve) => setTimeout(resolve, 1));
            try {
              const outputs = Array.from({ length: targets }, (_, index) =>
                index === target ? message(value, place, form) : null);
              node.send(outputs, false);
              global.set("sent", (global.get("sent") ?? 0) + 1);
            } catch {
              // A function node cannot send a message in this form.
            }
          }
        }
      global.set("isOver", true);
    };
    void sendAll();
    return null;`;
}

function counter(id: string, code: string): FlowNode {
  return { id, z: "tab", type: "function", func: `${code} return null;`, wires: [[]] };
}

function count(name: string): string {
  return `global.set("${name}", (global.get("${name}") ?? 0) + 1);`;
}

function flow(): FlowNode[] {
  const ports = [["one", "other"], ["one"], ["one"]];
  const empty = { siteId: "", siteIdType: "str", systemId: "", systemIdType: "str" };
  const targets = TARGETS.map(([type, properties], index) => {
    const node = { id: `target-${index}`, z: "tab", type, account: "the-account", wires: ports };
    return { ...node, ...empty, ...properties };
  });
  const ids = targets.map(({ id }) => id);
  return [
    { id: "tab", type: "tab", label: "Tab" },
    { id: "the-account", type: "energy-account", service: "demo" },
    ...targets,
    { id: "start", z: "tab", type: "inject", props: [], wires: [["sender"]] },
    {
      id: "sender",
      z: "tab",
      type: "function",
      func: sender(),
      outputs: ids.length,
      wires: ids.map((id) => [id]),
    },
    { id: "errors", z: "tab", type: "catch", scope: ids, wires: [["failed"]] },
    counter(
      "failed",
      `${count("failed")} if (!/^ENERGY_(?!INTERNAL)/.test(msg.energy.error.code)) { ${count("internal")} }`,
    ),
    { id: "ends", z: "tab", type: "complete", scope: ids, wires: [["completed"]] },
    counter("completed", count("completed")),
    counter("one", ""),
    counter("other", ""),
    { id: "ask", z: "tab", type: "http in", url: "/counts", method: "get", wires: [["answer"]] },
    {
      id: "answer",
      z: "tab",
      type: "function",
      func: "msg.payload = Object.fromEntries(global.keys().map((key) => [key, global.get(key)])); return msg;",
      wires: [["respond"]],
    },
    { id: "respond", z: "tab", type: "http response", wires: [] },
  ];
}

describe("a Node-RED process", () => {
  let runtime: Runtime;

  before(async () => {
    runtime = await startRuntime(NODE_RED, { NODE_OPTIONS: `--require "${BUSY_WATCH}"` });
  });
  after(() => runtime.stop());

  it("lives and answers whatever messages hold, and each message ends once", async () => {
    let last: Counts = {};
    await runtime.deploy(flow());
    const started = runtime.output().length;
    await runtime.inject("start");
    const allEnded = async (): Promise<true | undefined> => {
      last = await runtime.json<Counts>("/counts");
      const { completed = 0, failed = 0, sent, isOver } = last;
      return (isOver && completed + failed >= (sent ?? 0)) || undefined;
    };
    await eventually(() => `${JSON.stringify(last)}\n${runtime.output().slice(-2000)}`, allEnded, 200_000);
    await runtime.json("/counts");
    await allEnded();
    const { sent = 0, completed = 0, failed = 0, internal = 0 } = last;
    const most = Object.keys(ODD_VALUES).length * PLACES.length * TARGETS.length;
    assert.ok(sent > (most * (Object.keys(ODD_FORMS).length - 5)) / Object.keys(ODD_FORMS).length);
    assert.deepEqual([completed + failed, internal], [sent, 0]);
    const busy = [
      ...runtime
        .output()
        .slice(started)
        .matchAll(/\[busy for (\d+) ms\]/g),
    ].map(([, ms]) => Number(ms));
    // A tenth of a second for a million values on a quiet machine.
    assert.ok(Math.max(0, ...busy) < 3000, `Node-RED was busy for ${busy.join(", ")} ms at a time`);
    assert.doesNotMatch(runtime.output(), /uncaught|unhandled|Unexpected error/i);
  });
});
