// Tests how a user gets from a node that is red to a text for an issue.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import {
  cancelDialog,
  deploy,
  discardOpenDialog,
  dragIn,
  fill,
  openAccount,
  openDialog,
  saveDialog,
  waitForStatus,
} from "../editor-page";
import { eventually } from "../eventually";

/** Right of the groups of the example, below the node that the editor suite has dropped. */
const POSITION = { x: 760, y: 720 };
/** Above the node that stays there. */
const NEXT = { x: 760, y: 670 };
/** Not a site of the simulated service. */
const UNKNOWN_SITE = "no-such-site-4711";
const { url: ISSUES } = (require("../../../package.json") as { bugs: { url: string } }).bugs;

export function describeDiagnostics(editor: () => EditorBrowser): void {
  describe("diagnostics", () => {
    const page = (): Page => editor().page;
    const link = (name: string): Locator => page().locator(".energy-diagnostics button", { hasText: name });
    const text = (): Locator => page().locator(".energy-report");

    afterEach(() => discardOpenDialog(page()));

    async function shown(): Promise<string> {
      await text().waitFor();
      return text().inputValue();
    }

    async function closeReport(): Promise<void> {
      await page().locator("#energy-diagnostics-close").click();
      await text().waitFor({ state: "detached" });
    }

    /** Pastes into a field of the dialog, as into an issue. */
    async function pasted(): Promise<string> {
      const area = page().locator("#paste-here");
      await page().evaluate("$('<textarea id=paste-here>').appendTo('.energy-diagnostics-tray').focus()");
      await page().keyboard.press("Control+V");
      const value = await area.inputValue();
      await page().evaluate("$('#paste-here').remove()");
      return value;
    }

    it("answer a node that is red: Why? leads to a text that can be copied into an issue", async () => {
      const id = await dragIn(page(), "energy-site-info", POSITION);
      await openDialog(page(), id);
      assert.equal(await link("").count(), 1);
      await link("Diagnostics").click();
      await page().getByText("The node is not deployed. Deploy first.").waitFor();
      // The browser reports every refusal.
      assert.match(editor().errors.splice(0).join(), /^Failed to load resource: [^,]*400[^,]*$/);

      await page().locator("#node-input-account").selectOption("energy-demo-account");
      await fill(page(), "siteId", UNKNOWN_SITE);
      await page().locator("#node-input-onDeploy").check();
      await saveDialog(page());
      await deploy(page());
      await waitForStatus(page(), id, /id not found/);
      await openDialog(page(), id);
      await link("Why?").click();

      const report = await shown();
      assert.match(
        report,
        /#### What to do\n\n- Not found \(404\)\. Check the id\..*\([^()]*site id-[0-9a-f]+\)/i,
      );
      assert.match(report, /code ENERGY_HTTP, .*\[notFound\], status code 404/);
      assert.match(report, /- what Site id-[0-9a-f]+ .*, outcome 404\n/);
      assert.match(report, /- Node-RED: \d+\.\d+\.\d+/);
      for (const secret of [UNKNOWN_SITE, id, "energy-demo-account", "127.0.0.1"])
        assert.ok(!report.includes(secret), secret);
      const href = await page().locator(".energy-diagnostics-tray a").getAttribute("href");
      assert.equal(href, `${ISSUES}/new/choose`);

      await page().locator("#energy-diagnostics-copy").click();
      await page().locator(".red-ui-notification", { hasText: "Copied" }).waitFor();
      assert.equal(await pasted(), report);

      await closeReport();
      await cancelDialog(page());
    });

    it("are copied where the browser offers no clipboard, as on http in a home network", async () => {
      await openAccount(page(), "energy-demo-account");
      await page().evaluate(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })",
      );
      try {
        await link("Diagnostics").click();
        const report = await shown();
        assert.match(report, /- service: demo\n/);
        await page().locator("#energy-diagnostics-copy").click();
        await eventually(
          () => "the text was not copied",
          async () => (await pasted()) === report || undefined,
        );
        await closeReport();
      } finally {
        await page().evaluate("delete navigator.clipboard");
      }
      await cancelDialog(page());
    });

    it("are not offered for a new account, but for a node that calls no service", async () => {
      await openAccount(page());
      assert.equal(await link("").count(), 0);
      await cancelDialog(page());
      const id = await dragIn(page(), "energy-points", NEXT);
      await openDialog(page(), id);
      assert.equal(await link("").count(), 1);
      await cancelDialog(page());
      await page().keyboard.press("Delete");
    });
  });
}
