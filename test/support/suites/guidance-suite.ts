// Tests for what leads people: the search of the palette, the tour of the first steps, and the actions.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { editorReady, type EditorBrowser } from "../../../tools/editor-browser.mjs";
import {
  cancelDialog,
  deploy,
  discardOpenDialog,
  dragIn,
  openAccount,
  openDialog,
  saveDialog,
} from "../editor-page";
import { eventually } from "../eventually";
import { exampleNames, readExample } from "../examples";
import { setNames } from "../package";

/** Right of the groups of the example, below the nodes that other suites have dropped. */
const POSITION = { x: 760, y: 720 };
const SEARCH = "#red-ui-palette-search input";
const FOUND = ".red-ui-palette-node[data-palette-type^='energy-']:visible";
const FOUND_TYPES = `$("${FOUND}").toArray().map((node) => node.dataset.paletteType)`;
const TOUR = ".red-ui-tourGuide-popover:visible";
/** The editor looks at a step 100 ms after it has shown it, and fails if the tour is over by then: a later timer comes after that. */
const STEP_SHOWN = "new Promise((resolve) => setTimeout(resolve, 100))";
/** The editor fades its shade out some time after the mouse has come to the place that a step lights up. */
const NO_SHADE = ".red-ui-tourGuide-shade { pointer-events: none }";
const OFFER = ".energy-dialog button:has-text('Show me the first three steps')";

const ALL = setNames.filter((name) => name !== "account");
/** The nodes that people look for by these words. */
const WORDS: Record<string, readonly string[]> = {
  energy: ALL,
  battery: ALL,
  solar: ALL,
  influx: ["points"],
  "home assistant": ["mqtt", "statistics"],
  cost: ["totals"],
};

/** The page shows the example flow. */
export function describeGuidance(editor: () => EditorBrowser): void {
  describe("the guidance", () => {
    const page = (): Page => editor().page;
    const tour = (): Locator => page().locator(TOUR);

    afterEach(() => discardOpenDialog(page()));

    /** The editor searches on keys. */
    async function search(word: string): Promise<void> {
      await page().locator(SEARCH).fill(word);
      await page().locator(SEARCH).press("End");
    }

    it("finds the nodes in the palette by the words that people type", async () => {
      for (const [word, expected] of Object.entries(WORDS)) {
        let found: string[] = [];
        await search(word);
        await eventually(
          () => `${word} finds ${found.join(", ")}`,
          async () => {
            const types = await page().evaluate<string[]>(FOUND_TYPES);
            found = types.map((type) => type.slice("energy-".length));
            return JSON.stringify(found.toSorted()) === JSON.stringify([...expected].toSorted()) || undefined;
          },
        );
      }
      await search("");
      await page()
        .locator(FOUND)
        .nth(ALL.length - 1)
        .waitFor();
    });

    it("shows the first three steps when the first account starts them, and offers them once", async () => {
      await page().evaluate("localStorage.removeItem('energy-first-steps')");
      await page().addStyleTag({ content: NO_SHADE });
      await openAccount(page());
      await page().locator(OFFER).click();
      await cancelDialog(page());
      await tour().getByText("Drag latest value onto the flow.").waitFor();
      const id = await dragIn(page(), "energy-latest-value", POSITION);
      await tour().getByText("Double-click it.").waitFor();
      await openDialog(page(), id);
      await page().locator("#node-input-siteId + .red-ui-typedInput-container input").click();
      await page().locator(".energy-list [role=option]", { hasText: "Demo house" }).click();
      await saveDialog(page());
      await tour().getByText("Deploy.").waitFor();
      await page().evaluate(STEP_SHOWN);
      await deploy(page());
      await tour().waitFor({ state: "detached" });

      await openAccount(page());
      assert.equal(await page().locator(OFFER).count(), 0);
      await cancelDialog(page());
    });

    /** As Node-RED's list of actions runs it. */
    async function act(label: string): Promise<void> {
      await page().keyboard.press("Control+Shift+p");
      await page().locator("#red-ui-actionList input").fill(label);
      await page().keyboard.press("End");
      await page().locator("#red-ui-actionList li:visible", { hasText: label }).click();
    }

    it("has an action for diagnostics", async () => {
      await page().evaluate("RED.view.select({ nodes: [] })");
      await act("energy sites: diagnostics");
      const report = page().locator(".energy-report");
      await report.waitFor();
      assert.match(await report.inputValue(), /Node-RED/);
      await page().locator("#energy-diagnostics-close").click();
      await report.waitFor({ state: "detached" });
    });

    it("has an action that imports all examples, each node once", async () => {
      const tabs = exampleNames.map((name) => readExample(name).find(({ type }) => type === "tab")?.id);
      for (const _again of [1, 2]) {
        await act("energy sites: import all examples");
        await page().waitForFunction(`${JSON.stringify(tabs)}.every((id) => RED.nodes.workspace(id))`);
      }
      const tabsNow = await page().evaluate<string[]>("RED.nodes.getWorkspaceOrder()");
      assert.equal(new Set(tabsNow).size, tabsNow.length);
      await page().reload();
      await editorReady(page());
    });
  });
}
