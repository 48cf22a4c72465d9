// Tests how little it takes a new user to get from an empty flow to the state of charge in the debug sidebar.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import { CountingUser } from "../counting-user";

const MOST_DRAGS = 5;
const MOST_CLICKS = 11;
const MOST_SECONDS = 120;
const ENABLED_BUTTON =
  ".red-ui-flow-node-button:not(.red-ui-flow-node-button-disabled) .red-ui-flow-node-button-button";

/** The flow must be empty. */
export function describeFirstValue(editor: () => EditorBrowser): void {
  describe("a new user", () => {
    const page = (): Page => editor().page;
    const find = (selector: string): Locator => page().locator(selector);
    const node = (id: string): Locator => find(`[id='${id}'] rect.red-ui-flow-node`);
    const choice = (text: string): Locator => find(".energy-list [role=option]").filter({ hasText: text });

    /** Resolves with the id of the new node. */
    async function dragIn(user: CountingUser, type: string, left: number): Promise<string> {
      const source = find(`.red-ui-palette-node[data-palette-type='${type}']`);
      await user.drag(source, find("#red-ui-workspace"), { x: left, y: 0 });
      return page().evaluate<string>("RED.view.selection().nodes[0].id");
    }

    it("gets from an empty flow to the state of charge in few drags and clicks, without a key", async function () {
      assert.equal(await find(".red-ui-flow-node-group").count(), 0, "nodes in the flow");
      const user = new CountingUser(page());
      const value = await dragIn(user, "energy-latest-value", -200);
      const debug = await dragIn(user, "debug", 100);
      await user.drag(
        find(`[id='${value}'] .red-ui-flow-port-output`).first(),
        find(`[id='${debug}'] .red-ui-flow-port-input`),
      );

      await user.doubleClick(node(value));
      await user.click(find("#node-input-btn-account-add"));
      await user.click(find(".energy-card").getByText("Demo"));
      await user.click(find("#node-config-dialog-ok"));
      // Each list opens by itself.
      await user.click(choice("Demo house"));
      await user.click(choice("Battery charge (%)"));
      await user.click(find("#node-dialog-ok"));
      await find(".red-ui-tray").waitFor({ state: "detached" });
      await user.click(find("#red-ui-header-button-deploy"));
      // Node-RED 5 shows the debug messages from the start.
      const messages = find(".red-ui-debug-content-list");
      if (!(await messages.isVisible())) await user.click(find("#red-ui-tab-debug-link-button"));
      // The button waits for the deploy.
      await user.click(find(`[id='${value}'] ${ENABLED_BUTTON}`));
      const message = messages.locator(".red-ui-debug-msg-type-number").first();
      await message.waitFor();

      const { drags, clicks, keys, seconds } = user.effort;
      const effort = `${drags} drags, ${clicks} clicks, ${keys} keys, ${seconds} s`;
      if (this.test) this.test.title += ` (${effort})`;
      assert.ok(Number(await message.textContent()) > 0, String(await message.textContent()));
      assert.ok(drags <= MOST_DRAGS && clicks <= MOST_CLICKS && seconds <= MOST_SECONDS, effort);
      assert.equal(keys, 0);
    });
  });
}
