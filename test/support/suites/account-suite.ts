// Tests for the dialog of the account: what a new one shows, and what its test says before anything is deployed.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import {
  cancelDialog,
  deploy,
  discardOpenDialog,
  errorOf,
  openAccount,
  openDialog,
  saveDialog,
} from "../editor-page";
import { startService, type TestService } from "../service";

/** Nothing listens there. */
const NO_SERVICE = "https://127.0.0.1:1";
const NO_CLIENT_ID = "No client ID. In the account, enter the one from your provider.";
const DEMO_ACCOUNT = "energy-demo-account";
/** A node of the example that uses the account. */
const NODE = "first-look-value";
const PC2_ONLY = "";
/** The sites of the simulated service, four of which need PC1. */
const SITES = "Connected: 6 sites";

export function describeAccount(editor: () => EditorBrowser): void {
  describe("the account", () => {
    let service: TestService;
    const page = (): Page => editor().page;
    const field = (property: string): Locator => page().locator(`#node-config-input-${property}`);
    const add = (): Locator => page().locator("#node-config-dialog-ok");

    before(async () => {
      service = await startService();
    });
    after(() => service.close());
    afterEach(() => discardOpenDialog(page()));

    /** The browser reports each answer that is not a success. */
    function assertRefused(status: number): void {
      assert.match(String(editor().errors.pop()), new RegExp(`status of ${status}`));
    }

    async function fillIn(settings: Record<string, string>): Promise<void> {
      for (const [property, value] of Object.entries(settings)) await field(property).fill(value);
      await page().keyboard.press("End");
    }

    /** Presses the test button and expects these lines. */
    async function testSays(...lines: RegExp[]): Promise<void> {
      await page().locator("#energy-test").click();
      const result = page().locator(".energy-result:not(.energy-result-running)");
      await result.first().waitFor();
      const texts = await result.allTextContents();
      assert.equal(texts.length, lines.length, texts.join(" | "));
      for (const [index, line] of lines.entries()) assert.match(String(texts[index]), line);
    }

    it("opens without errors when it is new, and shows one after its field was left", async () => {
      await openAccount(page());
      assert.deepEqual(await page().locator(".energy-error:visible").allTextContents(), []);
      const color = (property: string): Promise<string> =>
        page().evaluate(`$("#node-config-input-${property}").css("border-color")`);
      const quiet = await color("name");
      await field("clientId").focus();
      assert.equal(await color("baseUrl"), quiet);

      await field("baseUrl").focus();
      await field("name").focus();
      await errorOf(page(), "baseUrl").waitFor();
      assert.notEqual(await color("baseUrl"), quiet);
      assert.equal(await errorOf(page(), "clientSecret").count(), 0);
      await fillIn({ baseUrl: NO_SERVICE });
      await errorOf(page(), "baseUrl").waitFor({ state: "hidden" });
      await cancelDialog(page());
    });

    it("ties each error to its field", async () => {
      await openAccount(page());
      await field("clientId").focus();
      await field("name").focus();
      await errorOf(page(), "clientId").waitFor();
      assert.equal(await field("clientId").getAttribute("aria-invalid"), "true");
      const id = String(await field("clientId").getAttribute("aria-describedby"));
      assert.equal(await page().locator(`[id='${id}']`).textContent(), NO_CLIENT_ID);
      assert.equal(await field("clientSecret").getAttribute("aria-invalid"), null);
      await fillIn({ clientId: "a client" });
      assert.equal(await field("clientId").getAttribute("aria-invalid"), null);
      assert.equal(await page().locator(`[id='${id}']`).textContent(), "");
      await cancelDialog(page());
    });

    it("shows what is missing when it is added, and is added incomplete on the second press", async () => {
      await openAccount(page());
      await add().click();
      await errorOf(page(), "clientSecret").waitFor();
      assert.equal(await page().evaluate("document.activeElement.id"), "node-config-input-baseUrl");
      await saveDialog(page());
      const ids = await page().evaluate<string[]>(
        "(() => { const ids = []; RED.nodes.eachConfig(({ id, type }) => { if (type === 'energy-account') ids.push(id); }); return ids; })()",
      );
      const id = String(ids.find((one) => one !== DEMO_ACCOUNT));
      await openAccount(page(), id);
      await errorOf(page(), "baseUrl").waitFor();
      await cancelDialog(page());
      await page().evaluate(`RED.nodes.remove('${id}')`);
    });

    it("is chosen by keyboard, needs nothing as demo, and hides the settings of the service", async () => {
      await openAccount(page());
      await page().locator("[name='energy-service'][value='live']").focus();
      await page().keyboard.press("ArrowRight");
      assert.equal(await field("service").inputValue(), "demo");
      for (const property of ["baseUrl", "clientSecret", "apiVersion", "timeout"])
        assert.equal(await field(property).isVisible(), false, property);
      assert.equal(await page().locator("#energy-version-choice").isVisible(), false);
      await testSays(/^Connected. 6 simulated sites: Demo /);
      await cancelDialog(page());
    });

    it("reads PC1 and PC2 when it is new, and requires the text of another API version", async () => {
      await openAccount(page());
      const choice = page().locator("#energy-version-choice");
      assert.equal(await choice.inputValue(), "2026-01-01.preview");
      await choice.selectOption("other");
      await field("apiVersion").blur();
      await errorOf(page(), "apiVersion").waitFor();
      await field("apiVersion").pressSequentially("2027");
      await errorOf(page(), "apiVersion").waitFor({ state: "hidden" });
      await cancelDialog(page());
    });

    it("sums up its connection settings, and opens them when one is wrong", async () => {
      await openAccount(page());
      const fold = page().locator("[data-fold='connection']");
      const summary = fold.locator(".energy-fold-summary");
      assert.equal(await summary.textContent(), "30 s · 4 parallel requests · no proxy");
      await fold.locator("summary").press("Enter");
      await fillIn({ timeout: "5", concurrency: "1", requestsPerMinute: "90" });
      assert.equal(
        await summary.textContent(),
        "5 s · 1 parallel request · 90 requests per minute · no proxy",
      );
      await fillIn({ timeout: "0" });
      await field("timeout").blur();
      await errorOf(page(), "timeout").waitFor();
      await cancelDialog(page());
    });

    it("is reached from a node by keyboard", async () => {
      await openDialog(page(), NODE);
      const edit = page().getByRole("button", { name: "Edit Account" });
      await edit.focus();
      await page().keyboard.press("Enter");
      await add().waitFor();
      await page().locator("#node-config-dialog-cancel").click();
      await add().waitFor({ state: "detached" });
      await page().getByRole("button", { name: "Add Account" }).waitFor();
    });

    describe("when it is tested", () => {
      const NEW = (): Record<string, string> => ({
        baseUrl: service.baseUrl,
        clientId: service.clientId,
        clientSecret: service.clientSecret,
      });

      it("shows what is missing, and sends nothing", async () => {
        await openAccount(page());
        await testSays(/^Correct the fields marked above/);
        await errorOf(page(), "clientSecret").waitFor();
        await cancelDialog(page());
      });

      it("says how many sites it sees, and how many need PC1", async () => {
        await openAccount(page());
        await fillIn(NEW());
        await testSays(/^Connected\. 6 sites: Demo balcony, Demo cabin, Demo empty site, …$/);
        await page().locator("#energy-version-choice").selectOption(PC2_ONLY);
        assert.deepEqual(await page().locator(".energy-result").allTextContents(), []);
        await testSays(new RegExp(`^${SITES}, 4 of them need PC1$`), /PC1 and PC2 \(preview API\)/);
        await cancelDialog(page());
      });

      it("says that no service listens there", async () => {
        await openAccount(page());
        await fillIn({ ...NEW(), baseUrl: NO_SERVICE });
        await testSays(/connection refused/i);
        assertRefused(502);
        await cancelDialog(page());
      });

      it("says that the service rejects the credentials", async () => {
        await openAccount(page());
        await fillIn({ ...NEW(), clientSecret: "wrong" });
        await testSays(/rejected.*Check/i);
        assertRefused(502);
        await cancelDialog(page());
      });

      it("uses the stored secret for the server to which it belongs, and for no other", async () => {
        const other = await startService();
        try {
          await openAccount(page(), DEMO_ACCOUNT);
          await page().locator("[name='energy-service'][value='live']").check();
          await fillIn(NEW());
          await saveDialog(page());
          await deploy(page());
          await openAccount(page(), DEMO_ACCOUNT);
          await testSays(/^Connected. 6 sites/);

          const { origin } = await page().evaluate<{ origin: string }>(
            `RED.nodes.node('${DEMO_ACCOUNT}').credentials`,
          );
          assert.equal(origin, service.baseUrl);
          await fillIn({ baseUrl: other.baseUrl });
          await testSays(/^Correct the fields marked above/);
          assert.equal(
            await errorOf(page(), "baseUrl").textContent(),
            `Enter client ID and secret again for this base URL. The stored ones belong to ${service.baseUrl}.`,
          );
          const draft = { service: "live", baseUrl: other.baseUrl };
          const credentials = { clientId: service.clientId, clientSecret: "__PWRD__" };
          const fault = await page().evaluate<{ fault: { text: { key: string } } }>(
            `$.ajax({ url: "energy-sites/accounts/${DEMO_ACCOUNT}/test", method: "POST", contentType: "application/json",
              data: '${JSON.stringify({ account: { ...draft, credentials } })}' }).catch((failed) => failed.responseJSON)`,
          );
          assert.equal(fault.fault.text.key, "credentialsOrigin");
          assertRefused(400);
          assert.deepEqual(other.requests, []);

          await fillIn({ clientId: other.clientId, clientSecret: other.clientSecret });
          await testSays(/^Connected. 6 sites/);
          await page().locator("[name='energy-service'][value='demo']").check();
          await saveDialog(page());
          await deploy(page());
        } finally {
          await other.close();
        }
      });
    });
  });
}
