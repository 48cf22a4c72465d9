// Tests for the pickers of the dialogs: sites, systems and values are found by name, and any other text is kept.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { editorReady, type EditorBrowser } from "../../../tools/editor-browser.mjs";
import { violationsIn } from "../accessibility";
import { cancelDialog, discardOpenDialog, dragIn, fill, isOpen, openDialog } from "../editor-page";
import { eventually } from "../eventually";
import { serveSites, siteIds } from "../many-sites";
import { startService } from "../service";

/** Right of the groups of the example. */
const POSITION = { x: 760, y: 720 };
/** Nothing listens there. */
const NO_SERVICE = "https://127.0.0.1:1";
const CHARGE = "storage.stateOfCharge";
/** What dialogs may spend in a minute on the charges of the sites in a list. */
const MOST_CHARGES = 15;

export function describePickers(editor: () => EditorBrowser): void {
  describe("the pickers", () => {
    const page = (): Page => editor().page;
    const list = (): Locator => page().locator(".energy-list");
    const choice = (text: string | RegExp): Locator => list().locator("[role=option]", { hasText: text });
    const row = (property: string): Locator =>
      page().locator(".red-ui-tray .form-row", { has: page().locator(`#node-input-${property}`) });
    const input = (property: string): Locator => row(property).locator(".red-ui-typedInput-input");
    const stored = (property: string): Promise<string> =>
      page().locator(`#node-input-${property}`).inputValue();
    let asked: string[] = [];
    const listen = (request: { url(): string; method(): string }): void => {
      const [, path] = /energy-sites\/accounts\/[^/]+\/(.*)$/.exec(request.url()) ?? [];
      if (path !== undefined) asked.push(`${request.method()} ${path}`);
    };

    beforeEach(() => {
      asked = [];
      page().on("request", listen);
    });
    afterEach(async () => {
      page().off("request", listen);
      await discardOpenDialog(page());
    });

    /** Drags a node in and opens its dialog; the changes are discarded. */
    async function inDialog(type: string, test: () => Promise<void>): Promise<void> {
      await openDialog(page(), await dragIn(page(), type, POSITION));
      await test();
      await cancelDialog(page());
      await page().keyboard.press("Delete");
    }

    /** The quiet line below a field. */
    async function says(property: string, text: string | RegExp): Promise<void> {
      await row(property).locator(".energy-picked", { hasText: text }).waitFor();
    }

    async function hasFocus(property: string): Promise<void> {
      await row(property).locator(".red-ui-typedInput-input:focus").waitFor();
    }

    /** Adds a live account in the dialog of a node. */
    async function addAccount(settings: Record<string, string>): Promise<void> {
      await page().locator("#node-input-btn-account-add").click();
      await isOpen(page(), "node-config");
      for (const [property, value] of Object.entries(settings))
        await page().locator(`#node-config-input-${property}`).fill(value);
      await page().locator("#node-config-dialog-ok").click();
      await isOpen(page());
    }

    it("lead a new node from its account to the state of charge in three clicks", () =>
      inDialog("energy-latest-value", async () => {
        assert.equal(await page().locator("#node-input-account").inputValue(), "energy-demo-account");
        await input("siteId").click();
        await choice("Demo twin houses, New York").click();
        await says("siteId", "Demo twin houses, New York, PC1");
        await hasFocus("systemId");
        await choice("demo-twin-b, PC1").click();
        await hasFocus("path");
        await choice("Battery charge (%)")
          .getByText(/^\d+(\.\d)?$/)
          .waitFor();
        await choice("Battery charge (%)").click();
        await says("path", "Battery charge (%)");
        assert.deepEqual(
          [await stored("siteId"), await stored("systemId"), await stored("path")],
          ["demo-twin", "demo-twin-b", CHARGE],
        );
        // Each list was requested once, except that of the sites while their charges are being read.
        const lists = asked.filter((one, index) => one !== "GET sites" || index === 0);
        assert.deepEqual(lists, [
          "GET sites",
          "GET systems?siteId=demo-twin",
          "GET values?siteId=demo-twin&systemId=demo-twin-b",
        ]);
      }));

    it("find a site by its place and say that a site with several systems needs a choice", () =>
      inDialog("energy-history", async () => {
        await input("siteId").click();
        await choice("Demo house").waitFor();
        assert.equal(await choice(/^All/).count(), 1);
        await page().keyboard.type("new york");
        await page().keyboard.press("Enter");
        assert.equal(await stored("siteId"), "demo-twin");
        await hasFocus("systemId");
        await choice("demo-twin-a").waitFor();
        await page().keyboard.press("Tab");
        await says("systemId", /^This site has 2 systems: choose one, or \* for all$/);
      }));

    it("can be used by keyboard, and never get in its way", () =>
      inDialog("energy-telemetry-poll", async () => {
        await page().locator("#node-input-account").focus();
        for (let presses = 0; presses < 6 && !(await list().isVisible()); presses++)
          await page().keyboard.press("Tab");
        await hasFocus("siteId");
        await choice("All 6 sites").waitFor();
        await page().keyboard.press("Tab");
        await list().waitFor({ state: "detached" });
        assert.equal(await stored("siteId"), "");

        await input("siteId").focus();
        await choice("Demo house").waitFor();
        await page().keyboard.press("Escape");
        await list().waitFor({ state: "detached" });
        assert.ok(await page().locator("#node-dialog-ok").isVisible());
        await page().keyboard.press("ArrowDown");
        await choice("Demo house").waitFor();
        await page().keyboard.press("ArrowUp");
        const marked = await list().locator("[aria-selected=true]").getAttribute("title");
        assert.equal(marked, "demo-twin");
        await page().keyboard.press("ArrowDown");
        await page().keyboard.press("Enter");
        assert.equal(await stored("siteId"), "*");

        // The list of a field that is filled in stays closed while the focus passes through.
        await page().keyboard.press("Shift+Tab");
        await page().keyboard.press("Tab");
        await hasFocus("siteId");
        assert.equal(await list().count(), 0);
      }));

    it("name their fields for screen readers", () =>
      inDialog("energy-latest-value", async () => {
        for (const [property, name] of [
          ["siteId", "Site"],
          ["systemId", "System"],
          ["path", "Value"],
        ] as const)
          await row(property).getByRole("combobox", { name, exact: true }).waitFor();
        await row("siteId").getByRole("button", { name: "Site: Site", exact: true }).waitFor();
        await input("siteId").click();
        await page().keyboard.press("ArrowDown");
        await list().locator("[aria-selected=true]").waitFor();
        assert.deepEqual(await violationsIn(page(), ".energy-list"), []);
        assert.deepEqual(await violationsIn(page(), ".energy-dialog"), []);
        await page().keyboard.press("Escape");
        await row("siteId").locator(".red-ui-typedInput-type-select").click();
        await page().locator(".red-ui-typedInput-options:visible").getByText("msg.").click();
        await row("siteId").getByRole("button", { name: "Site: msg.", exact: true }).waitFor();
        await input("siteId").click();
        assert.equal(await list().count(), 0, "a property of the message has no list of sites");
      }));

    it("keep a text that is in no list, and say so", () =>
      inDialog("energy-latest-value", async () => {
        await fill(page(), "siteId", "demo-attic");
        await page().keyboard.press("Tab");
        await says("siteId", "Not among the sites of this account");
        await fill(page(), "siteId", "demo-house");
        await page().keyboard.press("Tab");
        await says("siteId", "Demo house, Berlin, PC2");
        await fill(page(), "systemId", "demo-house-9");
        await page().keyboard.press("Tab");
        await says("systemId", "Not among the systems of this site");
        await fill(page(), "systemId", "");
        await fill(page(), "path", "storage.temperature");
        await page().keyboard.press("Tab");
        await says("path", "Not in the newest record of this site");
        for (const text of ["${SITE}", "*"]) {
          await fill(page(), "siteId", text);
          await page().keyboard.press("Tab");
          await row("siteId").locator(".energy-picked").waitFor({ state: "hidden" });
          assert.equal(await stored("siteId"), text);
        }
      }));

    it("say that a site has no revenue-grade meter", () =>
      inDialog("energy-rgm-read", async () => {
        await fill(page(), "siteId", "demo-house");
        await page().keyboard.press("Tab");
        await says("systemId", "No revenue-grade meter at this site");
        await fill(page(), "siteId", "demo-farm");
        await page().keyboard.press("Tab");
        await row("systemId").locator(".energy-picked").waitFor({ state: "hidden" });
      }));

    it("take the only site of an account", async () => {
      const service = await startService();
      serveSites(service, ["demo-house"]);
      const { baseUrl, clientId, clientSecret } = service;
      await inDialog("energy-latest-value", async () => {
        await addAccount({ baseUrl, clientId, clientSecret });
        await says("siteId", "demo-house");
        assert.equal(await stored("siteId"), "demo-house");
        await hasFocus("path");
        await choice("Battery charge (%)").waitFor();
      });
      await service.close();
      await page().reload();
      await editorReady(page());
    });

    it("read the sites of an account that is not deployed, search many of them on the server, and stay usable when it is down", async () => {
      const service = await startService();
      serveSites(service, siteIds(120));
      const charges = (): number => service.requestsTo(/telemetry$/).length;
      const { baseUrl, clientId, clientSecret } = service;
      await inDialog("energy-latest-value", async () => {
        asked = [];
        await addAccount({ baseUrl, clientId, clientSecret });
        await hasFocus("siteId");
        await list().getByText("50 of 120 sites").waitFor();
        await eventually(
          () => `${charges()} requests for charges`,
          async () => charges() === MOST_CHARGES || undefined,
        );
        asked = [];
        await page().keyboard.type("site-119", { delay: 20 });
        await choice("site-119").waitFor();
        assert.equal(await choice(/site/).count(), 1);
        // The keys of a word are one search; the list may have been loading charges.
        assert.ok(asked.length >= 1 && asked.length <= 2, asked.join(", "));
        await page().keyboard.press("Enter");
        assert.equal(await stored("siteId"), "site-119");
      });
      assert.equal(charges(), MOST_CHARGES);
      await service.close();

      await inDialog("energy-latest-value", async () => {
        await addAccount({ baseUrl: NO_SERVICE, clientId, clientSecret });
        await hasFocus("siteId");
        await says("siteId", /127\.0\.0\.1/);
        await page().keyboard.type("my-site");
        await page().keyboard.press("Tab");
        assert.equal(await stored("siteId"), "my-site");
        await input("path").click();
        await choice("Battery charge (%)").click();
        assert.equal(await stored("path"), CHARGE);
      });
      // The browser logs each answer of Node-RED that the service is down.
      editor().errors.splice(0);
      await page().reload();
      await editorReady(page());
    });
  });
}
