// Tests for npm start, as a user would run it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { type EditorBrowser, openEditor } from "../../../tools/editor-browser.mjs";
import { type DemoProcess, startDemoProcess } from "../../support/demo-process";
import { exampleNames, readExample } from "../../support/examples";
import { eventually } from "../../support/eventually";
import { readMqtt } from "../../support/mqtt-reader";
import { chromium, needed } from "../../support/requirements";
import { type FlowNode, JQUERY } from "../../support/runtime";
import { assertTidy } from "../../support/suites/example-layout-suite";
import { MODULE } from "../../support/package";
import { temporaryFolder } from "../../support/temporary";

/** Nodes of the examples that are in no package of this project. */
const NOT_INSTALLED = ["postgresql"];

async function flowOf(demo: DemoProcess): Promise<FlowNode[]> {
  return (await (await demo.admin("/flows")).json()) as FlowNode[];
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

/** What the started demo does. */
export function describeStarted(started: () => DemoProcess): void {
  it("publishes readings to its broker, where any client with the password can read them", async () => {
    const demo = started();
    const { brokerUrl, user: username, password } = demo;
    const reader = await readMqtt(brokerUrl, "energy/#", undefined, { username, password });
    const { payload } = await reader.reading("energy/demo-house/demo-house-1/live");
    assert.equal(typeof (JSON.parse(payload) as { endTime: unknown }).endTime, "string");
    await reader.close();
  });

  it("opens all examples together but those for packages of others, sharing one demo account", async () => {
    const demo = started();
    const flow = await flowOf(demo);
    const examples = exampleNames
      .map(readExample)
      .filter((nodes) => nodes.every(({ type }) => !NOT_INSTALLED.includes(type)));
    assert.equal(examples.length, exampleNames.length - NOT_INSTALLED.length);
    const expected = new Set(examples.flat().map(({ id }) => id));
    assert.deepEqual(flow.map(({ id }) => id).toSorted(), [...expected].toSorted());
  });

  it("writes the hours of totals to its stand-in for Home Assistant", async () => {
    const demo = started();
    const path = "/energy-sites/nodes/home-assistant-past-statistics/diagnostics";
    const report = async (): Promise<string> => (await demo.admin(path, { headers: JQUERY })).text();
    // Complete to the last hour, and nothing waits.
    const complete = /complete to \S+T\d\d:00:00\.000Z, [^\\]*, owed 0\\n/;
    await eventually(
      () => "no hours were written",
      async () => complete.test(await report()) || undefined,
      60_000,
    );
  });

  describe("the printed link", () => {
    let editor: EditorBrowser;

    before(async function () {
      editor = await openEditor(started().editorUrl, needed(chromium, this));
    });
    after(() => editor?.close());

    it("logs in anyone who opens it, and takes the password out of the address", async () => {
      await editor.page.locator("#red-ui-header-button-user").waitFor();
      assert.equal(editor.page.url().includes(started().password), false);
    });

    it("leads to the examples whose nodes other editors lack, laid out without an overlap", async () => {
      const answer = await started().admin("/nodes", { headers: { Accept: "application/json" } });
      const sets = (await answer.json()) as { module: string; types: string[] }[];
      const ofOthers = new Set(
        sets.flatMap(({ module, types }) => (module === "node-red" || module === MODULE ? [] : types)),
      );
      const examples = exampleNames.filter((name) =>
        readExample(name).some(({ type }) => ofOthers.has(type)),
      );
      for (const name of ["08-dashboard.json", "10-influxdb.json", "15-home-assistant-past.json"])
        assert.ok(examples.includes(name), name);
      for (const name of examples) await assertTidy(editor.page, name);
    });
  });
}

/** How it starts and ends. */
export function describeStarts(): void {
  const demos: DemoProcess[] = [];

  /** With one example, which takes a fraction of the work of all. */
  async function start({ flow = readExample("07-home-assistant.json"), isRunByNpm = false } = {}) {
    const userDir = temporaryFolder();
    writeFileSync(join(userDir, "flows.json"), JSON.stringify(flow));
    const demo = await startDemoProcess(userDir, isRunByNpm);
    demos.push(demo);
    return { ...demo, userDir };
  }

  afterEach(async () => {
    for (const demo of demos.splice(0)) await demo.end("SIGINT");
  });

  it("keeps the user's changes to the flow", async () => {
    const own = [{ id: "own-tab", type: "tab", label: "My own" }];
    const demo = await start({ flow: own });
    assert.deepEqual(await flowOf(demo), own);
    await demo.end("SIGINT");
    assert.deepEqual(JSON.parse(readFileSync(join(demo.userDir, "flows.json"), "utf8")), own);
  });

  it("uses the next free ports while another instance is running", async () => {
    const both = [await start(), await start()];
    const urls = both.flatMap(({ editorUrl, brokerUrl }) => [editorUrl, brokerUrl]);
    assert.equal(new Set(urls).size, 4);
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`exits with code 0 on ${signal}, and leaves nothing running`, async () => {
      const demo = await start();
      assert.equal(await demo.end(signal), 0);
      assert.deepEqual(
        [await isListening(demo.editorUrl), await isListening(demo.brokerUrl)],
        [false, false],
      );
    });
  }

  it("leaves nothing running when the parent npm process ends", async () => {
    const demo = await start({ isRunByNpm: true });
    await demo.end("SIGTERM");
    assert.deepEqual([await isListening(demo.editorUrl), await isListening(demo.brokerUrl)], [false, false]);
  });
}
