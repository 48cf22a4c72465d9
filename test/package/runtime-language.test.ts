// Tests that the texts of errors are in the language of the runtime, as set in settings.js.
import assert from "node:assert/strict";
import { eventually } from "../support/eventually";
import { type FlowNode, NODE_RED, startRuntime } from "../support/runtime";
import { catalogue } from "./editor-set";

/** Keeps the text of the error of a node that has no account. */
const FLOW: FlowNode[] = [
  { id: "tab", type: "tab", label: "error" },
  { id: "start", z: "tab", type: "inject", props: [], once: true, onceDelay: 0.1, wires: [["read"]] },
  { id: "read", z: "tab", type: "energy-site-list", account: "", wires: [[]] },
  { id: "catch", z: "tab", type: "catch", scope: ["read"], wires: [["keep"]] },
  {
    id: "keep",
    z: "tab",
    type: "change",
    rules: [{ t: "set", p: "text", pt: "global", to: "error.message", tot: "msg" }],
    wires: [[]],
  },
];

describe("a runtime in Spanish", () => {
  it("reports errors to a catch node in its language", async () => {
    // Node-RED's own catalogue is es-ES, ours is es.
    const runtime = await startRuntime(NODE_RED, {}, undefined, { lang: "es-ES" });
    try {
      // Node-RED takes a node without a place on the canvas for a config node.
      await runtime.deploy(FLOW.map((node) => ({ ...node, x: 0, y: 0 })));
      const text = await eventually(
        () => `no error was caught:\n${runtime.output()}`,
        async () => {
          const { memory } = await runtime.json<{ memory?: { text?: { msg: string } } }>("/context/global");
          return memory?.text?.msg;
        },
      );
      assert.equal(text, catalogue("account", "es").get("error.accountMissing"));
    } finally {
      await runtime.stop();
    }
  });
});
