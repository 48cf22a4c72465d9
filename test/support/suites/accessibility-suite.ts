// Tests that every dialog is accessible: to axe-core as it opens, with its errors and with everything unfolded.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import { violationsIn } from "../accessibility";
import { cancelDialog, discardOpenDialog, dragIn, openAccount, openDialog } from "../editor-page";
import { setNames } from "../package";
import { type Theme, useTheme } from "../theme";

/** Right of the groups of the example, below the nodes that other suites have dropped. */
const POSITION = { x: 760, y: 780 };
const DIALOG = ".energy-dialog";
/** Shows all errors of a new node, and everything that is folded or shown by choice. */
const SHOW_ALL = `(() => {
  for (const fold of document.querySelectorAll("${DIALOG} details")) fold.open = true;
  for (const field of document.querySelectorAll("${DIALOG} :is(input, select, button, a)")) {
    field.focus();
    field.blur();
  }
})()`;

export function describeAccessibility(editor: () => EditorBrowser, themes: Theme[]): void {
  for (const theme of themes) {
    describe(`the dialogs in the ${theme} theme`, () => {
      const page = (): Page => editor().page;

      before(() => useTheme(page(), theme));
      after(() => useTheme(page(), "light"));
      afterEach(() => discardOpenDialog(page()));

      async function isAccessible(): Promise<void> {
        assert.deepEqual(await violationsIn(page(), DIALOG), [], "as opened");
        await page().evaluate(SHOW_ALL);
        assert.deepEqual(await violationsIn(page(), DIALOG), [], "with errors, unfolded");
      }

      for (const name of setNames.filter((set) => set !== "account")) {
        it(`are accessible: ${name}`, async () => {
          await openDialog(page(), await dragIn(page(), `energy-${name}`, POSITION));
          await isAccessible();
          await cancelDialog(page());
          await page().keyboard.press("Delete");
        });
      }

      it("are accessible: a new account", async () => {
        await openAccount(page());
        await isAccessible();
        await page().locator("#energy-test").click();
        assert.deepEqual(await violationsIn(page(), DIALOG), [], "tested");
        await cancelDialog(page());
      });

      it("are accessible: the demo account", async () => {
        await openAccount(page(), "energy-demo-account");
        await isAccessible();
        await cancelDialog(page());
      });
    });
  }
}
