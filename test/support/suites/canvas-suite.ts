// Tests for what a user sees and presses on the canvas: labels, statuses, buttons, and folded settings in the dialogs.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import {
  cancelDialog,
  deploy,
  discardOpenDialog,
  errorOf,
  fill,
  openDialog,
  setFold,
  pressButton,
  saveDialog,
  waitForStatus,
} from "../editor-page";
import { eventually } from "../eventually";
import { FLOW_NODES } from "../flow-nodes";
import type { FlowNode } from "../runtime";

const TAB = "canvas-tab";

/** A tab of nodes without names, which use the account of the example. */
export const CANVAS_FLOW: FlowNode[] = [
  { id: TAB, type: "tab", label: "canvas" },
  node("canvas-value", "latest-value", 0, { path: "storage.stateOfCharge" }),
  node("canvas-yesterday", "history", 1, { range: "yesterday", output: "batch" }),
  node("canvas-message", "history", 2, { range: "message" }),
  node("canvas-poll", "telemetry-poll", 3),
  node("canvas-alerts", "alerts", 4),
  node("canvas-all", "history", 5, {
    siteId: "*",
    systemId: "*",
    range: "yesterday",
    output: "batch",
    wires: [["canvas-count"], ["canvas-count"]],
  }),
  {
    id: "canvas-count",
    type: "function",
    z: TAB,
    x: 620,
    y: 480,
    func: `const seen = context.get("seen") ?? [];
if (msg.payload.percent === undefined && !seen.includes(msg.topic)) seen.push(msg.topic);
context.set("seen", seen);
node.status({ text: seen.length + " systems, " + (msg.payload.finished ? "finished" : "reading") });`,
    wires: [[]],
  },
  {
    id: "canvas-debug",
    type: "debug",
    z: TAB,
    x: 620,
    y: 80,
    active: true,
    tosidebar: true,
    complete: "payload",
    targetType: "msg",
    wires: [],
  },
];

function node(id: string, name: string, row: number, properties: object = {}): FlowNode {
  const defaults = FLOW_NODES[name]?.defaults;
  const common = { account: "energy-demo-account", siteId: "demo-house", wires: [["canvas-debug"]] };
  return {
    id,
    type: `energy-${name}`,
    z: TAB,
    x: 260,
    y: 80 + row * 80,
    ...defaults,
    ...common,
    ...properties,
  };
}

export function describeCanvas(editor: () => EditorBrowser): void {
  describe("the canvas", () => {
    const page = (): Page => editor().page;
    const field = (property: string): Locator => page().locator(`#node-input-${property}`);
    const fold = (name: string): Locator => page().locator(`.energy-fold[data-fold='${name}']`);
    const summary = (name: string): Locator => fold(name).locator(".energy-fold-summary");
    const button = (id: string): Locator => page().locator(`[id='${id}'] .red-ui-flow-node-button`);
    const message = (type: string): Locator =>
      page().locator(".red-ui-debug-msg", { hasText: type }).last().locator(".red-ui-debug-msg-row").first();

    before(() => page().evaluate(`RED.workspaces.show("${TAB}"); RED.sidebar.show("debug")`));
    afterEach(() => discardOpenDialog(page()));
    after(async () => {
      await page().evaluate(`RED.workspaces.show(RED.nodes.getWorkspaceOrder()[0])`);
    });

    /** Waits: the name of a site comes a moment later. */
    async function hasLabel(id: string, expected: string): Promise<void> {
      const label = page().locator(`[id='${id}'] .red-ui-flow-node-label`);
      let shown: string | null = "";
      await eventually(
        () => `${id} is labeled "${shown}", not "${expected}"`,
        async () => {
          shown = await label.textContent();
          return shown === expected || undefined;
        },
      );
    }

    async function inDialog(id: string, look: () => Promise<void>): Promise<void> {
      await openDialog(page(), id);
      await look();
      await cancelDialog(page());
    }

    it("labels nodes without a name by the name of their site and what they read", async () => {
      await hasLabel("canvas-value", "latest value: Demo house, battery charge");
      await hasLabel("canvas-yesterday", "history: Demo house, yesterday");
      await hasLabel("canvas-message", "history: Demo house");
      await hasLabel("canvas-alerts", "alerts: all sites");
    });

    it("runs a node by its button: its message is in the debug sidebar, and its status is rounded", async () => {
      await pressButton(page(), "canvas-value");
      await page()
        .locator(".red-ui-notification", { hasText: /^Started: .*battery charge/ })
        .waitFor();
      await message("number").waitFor();
      await waitForStatus(page(), "canvas-value", /^\d+ % · \d\d:\d\d$/);
    });

    it("reads yesterday of the site by the button, and has none where the message sets the range", async () => {
      assert.equal(await button("canvas-message").isVisible(), false);
      await pressButton(page(), "canvas-yesterday");
      // A day has 276 to 300 records; after the end of DST, the last hour is a message of its own.
      await page()
        .locator(".red-ui-debug-msg", { hasText: /array\[(276|288)\]/ })
        .first()
        .waitFor();
    });

    it("reads yesterday of all sites by the button, until it is finished", async () => {
      await pressButton(page(), "canvas-all");
      // Five sites have systems, one of them two.
      await waitForStatus(page(), "canvas-count", /^6 systems, finished$/);
    });

    it("refuses the button until a change is deployed", async () => {
      await openDialog(page(), "canvas-value");
      await fill(page(), "maxAge", "20");
      await saveDialog(page());
      const disabled = button("canvas-value").and(page().locator(".red-ui-flow-node-button-disabled"));
      await disabled.waitFor();
      const requests: string[] = [];
      page().on("request", (request) => requests.push(request.url()));
      await pressButton(page(), "canvas-value");
      await page().locator(".red-ui-notification", { hasText: "undeployed changes" }).waitFor();
      assert.deepEqual(
        requests.filter((url) => url.endsWith("/run")),
        [],
      );
      await deploy(page());
      await disabled.waitFor({ state: "detached" });
    });

    it("folds what most users never set, and sums up what is set there", () =>
      inDialog("canvas-poll", async () => {
        assert.equal(await field("gapHours").isVisible(), false);
        assert.equal(
          await summary("completeness").textContent(),
          "position in a file · gaps retried for 72 h · maximum age automatic",
        );
        assert.equal(await summary("delivery").textContent(), "sent to the flow");
        await setFold(page(), "delivery", true);
        await field("delivery").selectOption("confirmed");
        await setFold(page(), "delivery", false);
        assert.equal(
          await summary("delivery").textContent(),
          "confirmed by a message, else resent after 60 s",
        );
      }));

    it("shows all rows of telemetry poll without scrolling at 900 px", () =>
      inDialog("canvas-poll", async () => {
        const bottom = await page().evaluate<number>(
          "document.querySelector('.energy-fold[data-fold=delivery]').getBoundingClientRect().bottom",
        );
        const end = await page().evaluate<number>(
          "document.querySelector('.red-ui-tray-footer').getBoundingClientRect().top",
        );
        assert.ok(bottom < end, `the last row ends at ${bottom}, the dialog at ${end}`);
      }));

    it("opens a fold by itself if a setting in it is invalid, and lets the user close it", async () => {
      const setGapHours = (hours: string): Promise<void> =>
        page().evaluate(`RED.nodes.node("canvas-poll").gapHours = ${hours}`);
      await setGapHours("'often'");
      await inDialog("canvas-poll", async () => {
        await errorOf(page(), "gapHours").waitFor();
        assert.equal(await field("delivery").isVisible(), false);
        await setFold(page(), "completeness", false);
        assert.equal(await field("gapHours").isVisible(), false);
      });
      await setGapHours("72");
    });

    it("says when a node runs", () =>
      inDialog("canvas-poll", async () => {
        const times = page().locator(".energy-run-times");
        assert.equal(await times.textContent(), "runs shortly after :00, :05, …");
        for (const [minutes, text] of [
          ["60", "runs shortly after :00"],
          ["7", "runs every 7 min"],
          ["0", "on a message only"],
          // The default.
          ["", "runs shortly after :00, :05, …"],
          ["often", ""],
        ] as const) {
          await fill(page(), "repeat", minutes);
          assert.equal(await times.textContent(), text);
        }
      }));

    it("takes days for history, the last one not before the first", () =>
      inDialog("canvas-yesterday", async () => {
        assert.equal(await field("from").isVisible(), false);
        await field("range").selectOption("fromTo");
        await errorOf(page(), "from").waitFor();
        await field("from").fill("2026-03-02");
        await field("to").fill("2026-03-01");
        await errorOf(page(), "to").getByText("The last day must not be before the first.").waitFor();
        await field("to").fill("2026-03-02");
        await page().locator(".energy-error:visible").waitFor({ state: "detached" });
      }));

    it("keeps a day of history that is an environment variable", async () => {
      await page().evaluate(
        `Object.assign(RED.nodes.node("canvas-yesterday"), {range: "fromTo", from: "\${DAY}"})`,
      );
      await inDialog("canvas-yesterday", async () => {
        assert.equal(await field("from").inputValue(), "${DAY}");
        assert.equal(await errorOf(page(), "from").count(), 0);
      });
      await page().evaluate(
        `Object.assign(RED.nodes.node("canvas-yesterday"), {range: "yesterday", from: ""})`,
      );
    });

    it("ticks all severities where the list is empty, and keeps it so", async () => {
      const boxes = page().locator("#energy-severities input");
      const stored = (): Promise<string[]> =>
        page().evaluate<string[]>("RED.nodes.node('canvas-alerts').severities");
      await openDialog(page(), "canvas-alerts");
      assert.equal(await boxes.and(page().locator(":checked")).count(), 3);
      for (const index of [0, 1, 2]) await boxes.nth(index).uncheck();
      await page().getByText("Tick at least one severity.").waitFor();
      for (const index of [2, 0, 1]) await boxes.nth(index).check();
      await saveDialog(page());
      assert.deepEqual(await stored(), []);
      assert.equal(await page().evaluate("RED.nodes.node('canvas-alerts').changed"), false);
    });

    it("keeps the palette's labels away from its ports", async () => {
      const gaps = await page().evaluate<number[]>(`
        [...document.querySelectorAll("#red-ui-palette-container-energy_sites .red-ui-palette-node")].map((node) => {
          const text = document.createRange();
          text.selectNodeContents(node.querySelector(".red-ui-palette-label"));
          const port = node.querySelector(".red-ui-palette-port-output").getBoundingClientRect();
          return port.left - text.getBoundingClientRect().right;
        })`);
      assert.ok(gaps.length > 0 && gaps.every((gap) => gap >= 1), gaps.join(", "));
    });
  });
}
