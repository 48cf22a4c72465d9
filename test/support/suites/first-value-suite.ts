// Tests how little it takes a new user to get to the first value, to yesterday's kWh, to a threshold, and to Home Assistant.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import { type Broker, startBroker } from "../broker";
import { CountingUser } from "../counting-user";
import { standStill, waitForStatus } from "../editor-page";
import { readExample } from "../examples";
import type { FlowNode } from "../runtime";

const MOST_SECONDS = 120;
const TAB = { id: "journey-tab", type: "tab", label: "journey" };
const DEMO = { id: "journey-demo", type: "energy-account", name: "", service: "demo" };

/**
 * The flow must be empty.
 * @param isWhole otherwise, the way to the first value is enough
 */
export function describeFirstValue(
  editor: () => EditorBrowser,
  useFlow: (flow: FlowNode[]) => Promise<void>,
  isWhole: boolean,
): void {
  describe("a new user", () => {
    const page = (): Page => editor().page;
    const find = (selector: string): Locator => page().locator(selector);
    const node = (id: string): Locator => find(`[id='${id}'] rect.red-ui-flow-node`);
    const choice = (text: string): Locator => find(".energy-list [role=option]").filter({ hasText: text });
    const next = (text: string): Locator => find(".red-ui-notification button").filter({ hasText: text });
    const site = (): Locator => find("#node-input-siteId + .red-ui-typedInput-container input").first();
    let broker: Broker;

    before(async () => {
      broker = await startBroker();
    });
    after(async () => {
      // These tests open lists while dialogs still move, as users do; others wait for dialogs.
      await standStill(page());
      await useFlow([TAB, DEMO]);
      await broker.close();
    });

    /** Resolves with the id of the new node. */
    async function dragIn(user: CountingUser, type: string, left: number, top = 0): Promise<string> {
      const source = find(`.red-ui-palette-node[data-palette-type='${type}']`);
      await user.drag(source, find("#red-ui-workspace"), { x: left, y: top });
      return page().evaluate<string>("RED.view.selection().nodes[0].id");
    }

    async function wire(user: CountingUser, from: string, to: string): Promise<void> {
      const port = find(`[id='${from}'] .red-ui-flow-port-output`).first();
      await user.drag(port, find(`[id='${to}'] .red-ui-flow-port-input`));
    }

    async function done(user: CountingUser): Promise<void> {
      await user.click(find("#node-dialog-ok"));
      await find(".red-ui-tray").waitFor({ state: "detached" });
    }

    function isWithin(user: CountingUser, most: { drags: number; clicks: number; keys: number }): string {
      const { drags, clicks, keys, seconds } = user.effort;
      const effort = `${drags} drags, ${clicks} clicks, ${keys} keys, ${seconds} s`;
      assert.ok(drags <= most.drags && clicks <= most.clicks && seconds <= MOST_SECONDS, effort);
      assert.ok(keys <= most.keys, effort);
      return effort;
    }

    it("gets from an empty flow to the state of charge with 3 drags and 9 clicks, without a key", async function () {
      assert.equal(await find(".red-ui-flow-node-group").count(), 0, "nodes in the flow");
      const user = new CountingUser(page());
      const value = await dragIn(user, "energy-latest-value", -200);
      const debug = await dragIn(user, "debug", 100);
      await wire(user, value, debug);
      await user.doubleClick(node(value));
      await user.click(find(".energy-demo button"));
      // Each list opens by itself.
      await user.click(choice("Demo house"));
      await user.click(choice("Battery charge (%)"));
      await done(user);
      await user.click(find("#red-ui-header-button-deploy"));
      // Node-RED 5 shows the debug messages from the start.
      const messages = find(".red-ui-debug-content-list");
      if (!(await messages.isVisible())) await user.click(find("#red-ui-tab-debug-link-button"));
      const message = messages.locator(".red-ui-debug-msg-type-number").first();
      await message.waitFor();
      assert.ok(Number(await message.textContent()) > 0, String(await message.textContent()));
      const effort = isWithin(user, { drags: 3, clicks: 9, keys: 0 });
      if (this.test) this.test.title += ` (${effort})`;
    });

    if (!isWhole) return;

    it("gets from an empty flow to what was used yesterday with 3 drags and 8 clicks, without a key", async function () {
      await useFlow([TAB, DEMO]);
      const user = new CountingUser(page());
      const totals = await dragIn(user, "energy-totals", -200);
      const debug = await dragIn(user, "debug", 100);
      await wire(user, totals, debug);
      await user.doubleClick(node(totals));
      await user.click(site());
      await user.click(choice("Demo house"));
      await user.choose(find("#node-input-period"), "yesterday");
      await done(user);
      await user.click(find("#red-ui-header-button-deploy"));
      await waitForStatus(page(), totals, /^Yesterday: [1-9][\d.]* kWh/);
      const effort = isWithin(user, { drags: 3, clicks: 8, keys: 0 });
      if (this.test) this.test.title += ` (${effort})`;
    });

    it("gets from a poll to a threshold with 3 drags, and types nothing but the limits", async function () {
      await useFlow([TAB, DEMO]);
      const user = new CountingUser(page());
      const poll = await dragIn(user, "energy-telemetry-poll", -250);
      await user.doubleClick(node(poll));
      await user.click(site());
      await user.click(choice("Demo house"));
      await done(user);
      await user.click(next("threshold"));
      await find("#node-input-high").waitFor();
      await user.click(choice("Battery charge (%)"));
      await user.click(find("#node-input-high"));
      await user.type("0.2");
      await user.click(find("#node-input-low"));
      await user.type("0.1");
      await done(user);
      const threshold = await page().evaluate<string>(
        "RED.nodes.filterNodes({ type: 'energy-threshold' })[0].id",
      );
      const debug = await dragIn(user, "debug", 200, 100);
      await wire(user, threshold, debug);
      await user.click(find("#red-ui-header-button-deploy"));
      await waitForStatus(page(), threshold, /^high, waiting for 0\.1$/);
      const effort = isWithin(user, { drags: 3, clicks: 12, keys: 6 });
      if (this.test) this.test.title += ` (${effort})`;
    });

    it("gets all readings to Home Assistant with 4 drags and 9 clicks, and nothing to repair", async function () {
      const { ENERGY_DEMO_MQTT_PORT: port } = broker.env;
      const known = readExample("02-readings-to-mqtt.json").find(({ type }) => type === "mqtt-broker");
      assert.ok(known);
      const server = { ...known, broker: "127.0.0.1", port };
      const out = { id: "journey-out", type: "mqtt out", z: TAB.id, x: 700, y: 300, broker: server.id };
      const seen = { id: "journey-seen", type: "mqtt in", z: TAB.id, x: 200, y: 500, broker: server.id };
      await useFlow([
        TAB,
        DEMO,
        server,
        { ...out, topic: "", qos: "", retain: "", wires: [] },
        { ...seen, topic: "energy/+/+/live", qos: "2", wires: [["journey-count"]] },
        {
          id: "journey-count",
          type: "function",
          z: TAB.id,
          x: 400,
          y: 500,
          func: "const seen = context.get('seen') ?? []; if (!seen.includes(msg.topic)) seen.push(msg.topic); context.set('seen', seen); node.status({ text: seen.length + ' topics' });",
          wires: [[]],
        },
      ]);
      const user = new CountingUser(page());
      const poll = await dragIn(user, "energy-telemetry-poll", -250);
      await user.doubleClick(node(poll));
      await user.click(site());
      await user.click(choice("All 6 sites"));
      await done(user);
      await user.click(next("mqtt readings"));
      const readings = await page().evaluate<string>("RED.nodes.filterNodes({ type: 'energy-mqtt' })[0].id");
      await wire(user, readings, out.id);
      await user.click(find("#red-ui-header-button-deploy"));
      // Five sites have systems, one of them two.
      await waitForStatus(page(), "journey-count", /^6 topics$/);
      const effort = isWithin(user, { drags: 4, clicks: 9, keys: 0 });
      if (this.test) this.test.title += ` (${effort})`;
    });
  });
}
