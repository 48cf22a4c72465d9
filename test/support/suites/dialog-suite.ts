// Tests for what the dialogs show while a user fills them in.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import { cancelDialog, discardOpenDialog, dragIn, errorOf, fill, openDialog, setFold } from "../editor-page";
import { eventually } from "../eventually";

/** Right of the groups of the example, below the node that the editor suite has dropped. */
const POSITION = { x: 760, y: 720 };
const NO_SITE = "Site: required on a schedule; enter an id, or * for all sites";

export function describeDialogs(editor: () => EditorBrowser): void {
  describe("the dialogs", () => {
    const page = (): Page => editor().page;
    const field = (property: string): Locator => page().locator(`#node-input-${property}`);

    afterEach(() => discardOpenDialog(page()));

    /** Drags a node in and opens its dialog; the changes are discarded. */
    async function inDialog(type: string, fillIn: () => Promise<void>): Promise<void> {
      await openDialog(page(), await dragIn(page(), type, POSITION));
      try {
        await fillIn();
      } finally {
        await cancelDialog(page());
        await page().keyboard.press("Delete");
      }
    }

    /** The editor validates on key events; a new node shows an error once its field was left. */
    async function write(property: string, value: string): Promise<void> {
      await fill(page(), property, value);
      await page().keyboard.press("End");
      await leave();
    }

    async function leave(): Promise<void> {
      await page().evaluate("document.activeElement.blur()");
    }

    /** Without a text, expects the field to be valid. */
    async function says(property: string, ...expected: string[]): Promise<void> {
      let shown: string[] = [];
      await eventually(
        () => `${property} shows ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}`,
        async () => {
          shown = await errorOf(page(), property).allTextContents();
          return JSON.stringify(shown) === JSON.stringify(expected) || undefined;
        },
      );
    }

    it("show what is missing below the account and site of a new node once the user has left them", () =>
      inDialog("energy-telemetry-poll", async () => {
        // The only account is chosen already.
        await field("account").selectOption("_ADD_");
        await field("account").focus();
        await says("account");
        await leave();
        await says("account", "Account: property value missing");
        await says("siteId");
        await write("siteId", "");
        await says("siteId", NO_SITE);
        await write("siteId", "demo-home");
        await says("siteId");
        await write("siteId", "");
        await says("siteId", NO_SITE);
        await field("account").selectOption("energy-demo-account");
        await says("account");
      }));

    it("update the message when another field changes", () =>
      inDialog("energy-telemetry-poll", async () => {
        await write("siteId", "");
        await says("siteId", NO_SITE);
        await write("repeat", "0");
        await field("onDeploy").uncheck();
        await says("siteId");
        await write("repeat", "often");
        await says("repeat", "Repeat every (min) must be a number from 0 to 10080.");
      }));

    it("show what is wrong with the path of a value", () =>
      inDialog("energy-latest-value", async () => {
        await write("path", "storage.");
        const error = errorOf(page(), "path");
        await error.waitFor();
        assert.match(String(await error.textContent()), /^Value: ./);
        await write("path", "storage.stateOfCharge");
        await says("path");
      }));

    it("show what is wrong with the value and limits of a threshold", () =>
      inDialog("energy-threshold", async () => {
        await write("property", "");
        await says("property", "Value must not be empty.");
        await write("high", "");
        await says("high", "High at or above must be a number.");
        await write("high", "20");
        await write("low", "60");
        await says("low", "Low must be below High. Correct one of them.");
      }));

    it("show an error once, and never as a tooltip of the editor", async () => {
      // It would stay after the error is corrected, cover the field below, and become the name of its own.
      await page().evaluate(`
        window.makeTooltip = RED.popover.tooltip;
        window.tooltips = [];
        RED.popover.tooltip = (target, ...rest) => {
          if ($(target).is("input, select")) tooltips.push(target.attr("id"));
          return makeTooltip(target, ...rest);
        }`);
      for (const type of ["energy-threshold", "energy-telemetry-poll"]) await inDialog(type, leave);
      const tooltips = await page().evaluate("RED.popover.tooltip = makeTooltip; tooltips");
      assert.deepEqual(tooltips, []);
    });

    it("hide settings that a poll without a store ignores", () =>
      inDialog("energy-telemetry-poll", async () => {
        await page().locator(".energy-fold[data-fold='completeness'] summary").click();
        for (const store of ["none", "file"]) {
          await field("store").selectOption(store);
          for (const property of ["fillGaps", "gapHours", "lookBack"])
            assert.equal(await field(property).isVisible(), store === "file", `${store}: ${property}`);
        }
      }));

    it("preview a threshold with one request for the day, whatever is edited", async () => {
      let requests = 0;
      const count = (request: { url(): string }): void => {
        if (request.url().includes("/day?")) requests += 1;
      };
      page().on("request", count);
      const id = await dragIn(page(), "energy-threshold", POSITION);
      const [source, target] = ["canvas-value", id].map((node) => `RED.nodes.node("${node}")`);
      await page().evaluate(`RED.nodes.addLink({ source: ${source}, sourcePort: 0, target: ${target} })`);
      await openDialog(page(), id);
      const fold = page().locator(".energy-fold[data-fold='preview']");
      await setFold(page(), "preview", true);
      for (const [high, low, switches] of [
        ["1", "0", /^Demo house, yesterday: .*\d.* high$/],
        ["101", "-1", /^Demo house, yesterday: –$/],
      ] as const) {
        await write("high", high);
        await write("low", low);
        await fold.locator(".energy-note", { hasText: switches }).waitFor();
      }
      page().off("request", count);
      assert.equal(requests, 1);
      await cancelDialog(page());
      await page().keyboard.press("Delete");
    });

    it("preview the topics of mqtt readings while the prefix is typed", () =>
      inDialog("energy-mqtt", async () => {
        const topic = page().locator("#energy-mqtt-topic");
        assert.equal(await topic.textContent(), "Topic: energy/SITE/SYSTEM/live");
        await write("prefix", "${HOUSE}/<b>");
        assert.equal(await topic.textContent(), "Topic: ${HOUSE}/<b>/SITE/SYSTEM/live");
        await field("layout").selectOption("values");
        assert.equal(await topic.textContent(), "Topic: ${HOUSE}/<b>/SITE/SYSTEM/live/storage/stateOfCharge");
      }));
  });
}
