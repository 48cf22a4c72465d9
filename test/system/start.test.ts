// npm start, as a person meets it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { type DemoProcess, startDemoProcess } from "../support/demo-process";
import { exampleNames, readExample } from "../support/examples";
import { readMqtt } from "../support/mqtt-reader";
import type { FlowNode } from "../support/runtime";
import { temporaryFolder } from "../support/temporary";

async function flowOf({ editorUrl }: DemoProcess): Promise<FlowNode[]> {
  return (await (await fetch(`${editorUrl}/flows`)).json()) as FlowNode[];
}

async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return once(socket, "connect").then(
    () => {
      socket.destroy();
      return true;
    },
    () => false,
  );
}

describe("npm start", () => {
  it("publishes readings to its broker, where any client reads them", async () => {
    const demo = await startDemoProcess(temporaryFolder());
    const reader = await readMqtt(demo.brokerUrl, "energy/#");
    const { payload } = await reader.reading("energy/demo-house/demo-house-1");
    assert.equal(typeof (JSON.parse(payload) as { endTime: unknown }).endTime, "string");
    await reader.close();
    await demo.end("SIGINT");
  });

  it("opens all examples at once, with the demo account once", async () => {
    const demo = await startDemoProcess(temporaryFolder());
    const flow = await flowOf(demo);
    const expected = new Set(exampleNames.flatMap((name) => readExample(name).map(({ id }) => id)));
    assert.deepEqual(flow.map(({ id }) => id).toSorted(), [...expected].toSorted());
    await demo.end("SIGINT");
  });

  it("keeps what a person has changed in the flow", async () => {
    const userDir = temporaryFolder();
    const own = [{ id: "own-tab", type: "tab", label: "My own" }];
    writeFileSync(join(userDir, "flows.json"), JSON.stringify(own));
    const demo = await startDemoProcess(userDir);
    assert.deepEqual(await flowOf(demo), own);
    await demo.end("SIGINT");
    assert.deepEqual(JSON.parse(readFileSync(join(userDir, "flows.json"), "utf8")), own);
  });

  it("takes the next free ports while another one runs", async () => {
    const demos = [await startDemoProcess(temporaryFolder()), await startDemoProcess(temporaryFolder())];
    const urls = demos.flatMap(({ editorUrl, brokerUrl }) => [editorUrl, brokerUrl]);
    assert.equal(new Set(urls).size, 4);
    for (const demo of demos) await demo.end("SIGINT");
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`ends with code 0 on ${signal}, and leaves nothing running`, async () => {
      const demo = await startDemoProcess(temporaryFolder());
      assert.equal(await demo.end(signal), 0);
      assert.deepEqual(
        [await isListening(demo.editorUrl), await isListening(demo.brokerUrl)],
        [false, false],
      );
    });
  }
});
