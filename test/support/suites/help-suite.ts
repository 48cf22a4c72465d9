// Tests that a link in the help opens the import dialog at the examples, where the example that it names is listed.
import assert from "node:assert/strict";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import { MODULE } from "../package";

const LINK = ".red-ui-help [data-energy-example]:visible";
const IMPORT = ".ui-dialog:visible:has(#red-ui-clipboard-dialog-import-text)";
const EXAMPLES = "#red-ui-clipboard-dialog-import-tab-examples";

export function describeHelp(editor: () => EditorBrowser): void {
  describe("the help sidebar", () => {
    it("leads to the example in the import dialog, from every kind of node", async () => {
      const { page } = editor();
      const examples = page.locator(EXAMPLES);
      for (const type of ["energy-account", "energy-telemetry-poll"]) {
        await page.evaluate(`RED.sidebar.help.show("${type}")`);
        const link = page.locator(LINK).last();
        const example = await link.textContent();
        assert.ok(example);
        await link.click();
        await examples.getByText(MODULE, { exact: true }).click();
        await examples.getByText(example, { exact: true }).waitFor();
        assert.equal(await page.locator(IMPORT).count(), 1);
        await page.locator("#red-ui-clipboard-dialog-cancel").click();
        await examples.waitFor({ state: "hidden" });
      }
    });
  });
}
