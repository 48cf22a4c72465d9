// Tests every node as a user meets it: dragged in, configured, deployed, read in the debug sidebar, and opened again.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import { CountingUser } from "../counting-user";
import {
  cancelDialog,
  deploy,
  discardOpenDialog,
  dragIn,
  fill,
  openDialog,
  openNode,
  pick,
  pressButton,
  saveDialog,
} from "../editor-page";

/** Away from the edges of the canvas, where a drag scrolls it. */
const TOP = 120;
const ROW = 60;

interface UsedNode {
  type: string;
  configure?: () => Promise<void>;
  /** The type whose messages it gets. A node without one is run by its button, or by itself. */
  fedBy?: string;
  runsItself?: true;
  /** What the debug sidebar says about its message. */
  message: RegExp;
}

/** The only account of the flow is the demo. */
export function describeEveryNode(editor: () => EditorBrowser): void {
  describe("every node", () => {
    const page = (): Page => editor().page;
    const field = (property: string): Locator => page().locator(`#node-input-${property}`);
    const ids = new Map<string, string>();
    const debugs = new Map<string, string>();

    async function chooseSite(name: string): Promise<void> {
      await field("siteId").locator("+ .red-ui-typedInput-container input").click();
      await page().locator(".energy-list [role=option]", { hasText: name }).click();
    }

    const nodes: UsedNode[] = [
      {
        type: "site-list",
        configure: async () => void (await field("output").selectOption("sites")),
        message: /demo-house : msg\.payload : Object/,
      },
      { type: "site-info", configure: () => chooseSite("Demo house"), message: /msg\.payload : Object/ },
      {
        type: "telemetry-poll",
        configure: async () => {
          await chooseSite("Demo house");
          await fill(page(), "repeat", "60");
        },
        runsItself: true,
        message: /demo-house\/demo-house-1 : msg\.payload : Object/,
      },
      {
        type: "latest-value",
        configure: async () => {
          await chooseSite("Demo house");
          await pick(page(), "path", "charge", "Battery charge (%)");
        },
        message: /demo-house\/demo-house-1 : msg\.payload : number/,
      },
      {
        type: "rgm-read",
        configure: () => chooseSite("Demo farm"),
        message: /demo-farm\/[\w-]+ : msg\.payload : Object/,
      },
      {
        type: "history",
        configure: async () => {
          await chooseSite("Demo house");
          await field("range").selectOption("yesterday");
          await field("output").selectOption("batch");
        },
        message: /demo-house\/demo-house-1 : msg\.payload : array\[/,
      },
      {
        type: "alerts",
        configure: () => page().getByLabel("Low", { exact: true }).uncheck(),
        message: /msg\.payload : array\[/,
      },
      {
        type: "threshold",
        configure: async () => {
          await fill(page(), "high", "0.1");
          await fill(page(), "low", "0");
        },
        fedBy: "latest-value",
        message: /demo-house\/demo-house-1 : msg\.payload : number/,
      },
      {
        type: "points",
        configure: () => fill(page(), "measurement", "house"),
        fedBy: "telemetry-poll",
        message: /msg\.payload : array\[/,
      },
      {
        type: "mqtt",
        configure: async () => {
          await fill(page(), "prefix", "house");
          await page().locator("[data-fold='homeAssistant'] summary").click();
          await field("discovery").uncheck();
        },
        fedBy: "telemetry-poll",
        message: /house\/demo-house\/[^ ]+ : msg\.payload : string/,
      },
    ];

    before(() => page().locator(".red-ui-tab-button a:has(.fa-plus):visible").click());
    afterEach(() => discardOpenDialog(page()));

    async function wire(from: string, to: string): Promise<void> {
      await new CountingUser(page()).drag(
        page().locator(`[id='${from}'] .red-ui-flow-port-output`).first(),
        page().locator(`[id='${to}'] .red-ui-flow-port-input`),
      );
      const isWired = `RED.nodes.filterLinks({ source: { id: "${from}" }, target: { id: "${to}" } }).length === 1`;
      assert.ok(await page().evaluate<boolean>(isWired), `no wire from ${from} to ${to}`);
    }

    for (const [index, { type, configure, fedBy }] of nodes.entries()) {
      it(`is dragged in, configured and wired: ${type}`, async () => {
        const y = TOP + index * ROW;
        const id = await dragIn(page(), `energy-${type}`, { x: 220, y });
        ids.set(type, id);
        await openDialog(page(), id);
        await configure?.();
        await saveDialog(page());
        const debug = await dragIn(page(), "debug", { x: 640, y });
        debugs.set(type, debug);
        await wire(id, debug);
        if (fedBy) await wire(String(ids.get(fedBy)), id);
        assert.equal(await page().evaluate(`RED.nodes.node("${id}").valid`), true);
      });
    }

    it("is deployed, and sends a message", async () => {
      await page().evaluate("RED.sidebar.show('debug')");
      await deploy(page());
      for (const { type, fedBy, runsItself } of nodes)
        if (!fedBy && !runsItself) await pressButton(page(), String(ids.get(type)));
      for (const { type, message } of nodes) {
        const name = await page().evaluate<string>(`RED.nodes.node("${debugs.get(type)}").name`);
        const messages = page().locator(".red-ui-debug-msg", { hasText: `node: ${name}` });
        await messages.filter({ hasText: message }).first().waitFor();
      }
    });

    /** Everything that a deploy would send. */
    function flow(): Promise<unknown> {
      return page().evaluate("RED.nodes.createCompleteNodeSet({ credentials: true })");
    }

    async function isUnchanged(before: unknown): Promise<void> {
      assert.deepEqual(await flow(), before);
      assert.equal(await page().evaluate("RED.nodes.dirty()"), false);
    }

    it("is not changed by a look at its dialog", async () => {
      const before = await flow();
      for (const id of ids.values()) {
        await openNode(page(), id);
        await saveDialog(page());
      }
      await isUnchanged(before);
    });

    it("is not changed by changes that are cancelled", async () => {
      const before = await flow();
      for (const id of ids.values()) {
        await openNode(page(), id);
        await changeAll();
        await cancelDialog(page());
      }
      await isUnchanged(before);
    });

    async function changeAll(): Promise<void> {
      await fill(page(), "name", "another name");
      const visible = (selector: string): Promise<Locator[]> =>
        page().locator(`.energy-dialog ${selector}:visible`).all();
      for (const number of await visible(".energy-number")) await number.fill("7");
      for (const box of await visible("input[type=checkbox]")) await box.click();
      for (const list of await visible("select:not(#node-input-account)"))
        await list.selectOption({ index: (await list.locator("option").count()) - 1 });
    }
  });
}
