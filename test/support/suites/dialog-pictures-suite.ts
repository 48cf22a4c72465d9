// Takes a picture of every dialog in every look, for people to judge, and tests that none cuts a text.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type EditorBrowser, openEditor } from "../../../tools/editor-browser.mjs";
import { cutTexts } from "../cut-texts";
import { cancelDialog, discardOpenDialog, openAccount, openNode } from "../editor-page";
import { PICTURED_NODES } from "../picture-flow";
import { ROOT } from "../package";
import { chromium, needed } from "../requirements";
import type { Runtime } from "../runtime";
import { startService, type TestService } from "../service";
import { type Theme, useTheme } from "../theme";

const FOLDER = join(ROOT, "test", "system", "screenshots");
const ENGLISH = "en-US";
const LANGUAGES = [ENGLISH, "de", "ja"];
/** One look is enough for other languages, whose texts are what differs. */
const WIDTHS: Record<string, number[]> = { [ENGLISH]: [1400, 1000] };
const ONE_WIDTH = [1400];
const LIGHT: Theme[] = ["light"];
/** Tall enough for every dialog. */
const HEIGHT = 1240;
const NO_SERVICE = "https://127.0.0.1:1";
const UNFOLD = `document.querySelectorAll(".energy-dialog details").forEach((fold) => (fold.open = true))`;
const HAS_FOLD = `document.querySelector(".energy-dialog details:not([open])") !== null`;

/**
 * The flow of the pictures must be deployed.
 * @param name of the version, for the folder
 */
export function describePictures(
  runtime: () => Runtime,
  name: string,
  themes: Theme[],
  languages: string[] = LANGUAGES,
): void {
  const folder = join(FOLDER, name.replaceAll(" ", "-"));

  for (const language of languages) {
    describe(`the pictures of the dialogs, ${language}`, () => {
      let editor: EditorBrowser;
      let service: TestService;
      const page = (): Page => editor.page;

      before(async function () {
        const browser = needed(chromium, this);
        service = await startService();
        mkdirSync(folder, { recursive: true });
        editor = await openEditor(runtime().url, browser, { locale: language, height: HEIGHT });
      });
      after(async () => {
        await editor?.close();
        await service?.close();
      });

      /** In all widths and themes of the language, with its folds closed and open. */
      async function draw(dialog: string): Promise<void> {
        const faults = [await drawAll(dialog)];
        if (await page().evaluate<boolean>(HAS_FOLD)) {
          await page().evaluate(UNFOLD);
          faults.push(await drawAll(`${dialog}-unfolded`));
        }
        assert.deepEqual(faults.flat(), []);
      }

      async function drawAll(dialog: string): Promise<string[]> {
        const faults: string[] = [];
        // No button is highlighted.
        await page().mouse.move(0, 0);
        for (const width of WIDTHS[language] ?? ONE_WIDTH) {
          await page().setViewportSize({ width, height: HEIGHT });
          for (const theme of language === ENGLISH ? themes : LIGHT) {
            await useTheme(page(), theme);
            const file = [dialog, language, width, ...(theme === "dark" ? [theme] : [])].join("-");
            await page()
              .locator(".red-ui-tray")
              .last()
              .screenshot({ path: join(folder, `${file}.png`) });
          }
          faults.push(...(await cutTexts(page(), ".energy-dialog")).map((text) => `${width} px: ${text}`));
        }
        return faults;
      }

      afterEach(async () => {
        await discardOpenDialog(page());
        await useTheme(page(), "light");
        await page().setViewportSize({ width: 1400, height: HEIGHT });
      });

      for (const node of PICTURED_NODES) {
        it(`show ${node.type}`, async () => {
          await openNode(page(), node.id);
          // The name of the site comes from the account.
          if (node["siteId"]) await page().locator(".energy-picked", { hasText: "Demo" }).first().waitFor();
          await draw(node.type.replace("energy-", ""));
          await cancelDialog(page());
        });
      }

      it("show a new account", async () => {
        await openAccount(page());
        await draw("account-new");
        await cancelDialog(page());
      });

      it("show the demo account", async () => {
        await openAccount(page(), "energy-demo-account");
        await draw("account-demo");
        await cancelDialog(page());
      });

      it("show an account that has passed its test, and one that has failed", async () => {
        await openAccount(page());
        const { baseUrl, clientId, clientSecret } = service;
        await fillIn({ baseUrl, clientId, clientSecret });
        await testAccount("passed");
        await draw("account-passed");
        await fillIn({ baseUrl: NO_SERVICE });
        await testAccount("failed");
        await draw("account-failed");
        await cancelDialog(page());
        // The browser logs the answer of Node-RED.
        assert.match(String(editor.errors.pop()), /status of 502/);
        assert.deepEqual(editor.errors, []);
      });

      async function fillIn(settings: Record<string, string>): Promise<void> {
        for (const [property, value] of Object.entries(settings))
          await page().locator(`#node-config-input-${property}`).fill(value);
      }

      async function testAccount(result: "passed" | "failed"): Promise<void> {
        await page().locator("#energy-test").click();
        await page().locator(`.energy-result-${result}`).first().waitFor();
      }
    });
  }
}
