// Takes a picture of every dialog in every look, for people to judge, and tests that none cuts a text, that axe-core finds
// nothing, and that Tab goes through it from top to bottom.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { editorReady, type EditorBrowser } from "../../../tools/editor-browser.mjs";
import { violationsIn } from "../accessibility";
import { cutTexts } from "../cut-texts";
import { cancelDialog, discardOpenDialog, openAccount, openNode } from "../editor-page";
import { ROOT } from "../package";
import { PICTURED_NODES } from "../picture-flow";
import { startService, type TestService } from "../service";
import { type Theme, useTheme } from "../theme";

const FOLDER = join(ROOT, "test", "system", "screenshots");
const DIALOG = ".energy-dialog";
const ENGLISH = "en-US";
const LANGUAGES = [ENGLISH, "de", "ja"];
/** How wide people draw a dialog: as narrow as Node-RED opens one, and with room. */
const WIDTHS = [500, 900];
const THEMES: Theme[] = ["light", "dark"];
/** What is pictured. The layout does not depend on the theme. */
const LOOKS: { width: number; theme: Theme }[] = [
  { width: 500, theme: "light" },
  { width: 900, theme: "light" },
  { width: 500, theme: "dark" },
];
/** Tall enough for every dialog. */
const SIZE = { width: 1400, height: 1240 };
const USUAL_SIZE = { width: 1400, height: 900 };
const NO_SERVICE = "https://127.0.0.1:1";
const UNFOLD = `document.querySelectorAll("${DIALOG} details").forEach((fold) => (fold.open = true))`;
const HAS_FOLD = `document.querySelector("${DIALOG} details:not([open])") !== null`;
/** Node-RED keeps a dialog from becoming narrower than its content was at first. */
const LEAST_WIDTH = `parseInt($(".red-ui-tray-body").last().css("min-width"))`;
/** Shows errors. */
const BREAK = `$("${DIALOG}").find(".energy-number:visible, #node-input-siteId").val("-?").trigger("change")`;
/** More than any dialog has fields. */
const MOST_TABS = 60;
/** The top of what has the focus; null outside the dialog. */
const FOCUSED = `(() => {
  const { activeElement: focused } = document;
  const row = focused.closest("${DIALOG} :is(.form-row, summary, .energy-card)");
  return row && { top: row.getBoundingClientRect().top, what: row.innerText.slice(0, 40) };
})()`;

/**
 * The flow of the pictures must be deployed, and the page shows it.
 * @param name of the version, for the folder
 * @param isOnce one look of the English dialogs is enough, because all are pictured in another version
 */
export function describePictures(editor: () => EditorBrowser, name: string, isOnce = false): void {
  const languages = isOnce ? [ENGLISH] : LANGUAGES;
  const themes = isOnce ? THEMES.slice(0, 1) : THEMES;
  const folder = join(FOLDER, name.replaceAll(" ", "-"));

  for (const language of languages) {
    const isEnglish = language === ENGLISH;

    describe(`the pictures of the dialogs, ${language}`, () => {
      let service: TestService;
      const page = (): Page => editor().page;
      const tray = (): Locator => page().locator(".red-ui-tray").last();

      before(async () => {
        service = await startService();
        mkdirSync(folder, { recursive: true });
        await page().setViewportSize(SIZE);
        await page().evaluate(`localStorage.setItem("editor-language", "${language}")`);
        await page().reload();
        await editorReady(page());
      });
      after(async () => {
        await service?.close();
        await page().setViewportSize(USUAL_SIZE);
        await page().evaluate(`localStorage.removeItem("editor-language")`);
      });
      afterEach(() => discardOpenDialog(page()));

      /** With its folds closed and open; in English by keyboard and with errors, too. */
      async function draw(dialog: string): Promise<void> {
        const hasFold = await page().evaluate<boolean>(HAS_FOLD);
        const faults = await drawAll(dialog, !hasFold);
        if (hasFold) {
          await page().evaluate(UNFOLD);
          faults.push(...(await drawAll(`${dialog}-unfolded`)));
        }
        if (isEnglish) {
          await isInOrder();
          await page().evaluate(BREAK);
          for (const theme of themes) {
            await useTheme(page(), theme);
            faults.push(...(await violationsIn(page(), DIALOG)));
          }
        }
        assert.deepEqual(faults, []);
      }

      /** Its texts fit in all widths. One look is enough for other languages, whose texts are what differs. */
      async function drawAll(dialog: string, isWhole = true): Promise<string[]> {
        // No button is highlighted.
        await page().mouse.move(0, 0);
        const least = await page().evaluate<number>(LEAST_WIDTH);
        const faults = least > Math.min(...WIDTHS) ? [`${dialog} cannot be narrower than ${least} px`] : [];
        for (const { width, theme } of LOOKS.slice(0, isEnglish && isWhole && !isOnce ? LOOKS.length : 1)) {
          await useTheme(page(), theme);
          await setWidth(width);
          const file = [dialog, language, width, ...(theme === "dark" ? [theme] : [])].join("-");
          const clip = await tray().boundingBox();
          assert.ok(clip, "the dialog is missing");
          // Of the page, because a picture of an element takes half as long again.
          await page().screenshot({ path: join(folder, `${file}.png`), clip });
        }
        await useTheme(page(), "light");
        for (const width of WIDTHS) {
          await setWidth(width);
          faults.push(...(await cutTexts(page(), DIALOG)).map((text) => `${width} px: ${text}`));
        }
        return faults;
      }

      async function setWidth(width: number): Promise<void> {
        await page().evaluate(`$(".red-ui-tray").last().width(${width})`);
      }

      /** Tab goes from each field to the next one below or beside it, and out of the dialog at its end. */
      async function isInOrder(): Promise<void> {
        await page().locator(`${DIALOG} :is(input:not([type=hidden]), select)`).first().focus();
        const rows: { top: number; what: string }[] = [];
        for (let tabs = 0; tabs < MOST_TABS; tabs++) {
          const row = await page().evaluate<(typeof rows)[number] | null>(FOCUSED);
          if (!row) break;
          rows.push(row);
          await page().keyboard.press("Tab");
        }
        const sorted = rows.toSorted((one, other) => one.top - other.top);
        assert.deepEqual(
          rows.map(({ what }) => what),
          sorted.map(({ what }) => what),
        );
        assert.ok(rows.length > 1 && rows.length < MOST_TABS, `${rows.length} fields`);
      }

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
        assert.deepEqual(await drawAll("account-passed"), []);
        await fillIn({ baseUrl: NO_SERVICE });
        await testAccount("failed");
        assert.deepEqual(await drawAll("account-failed"), []);
        await cancelDialog(page());
        // The browser logs the answer of Node-RED.
        assert.match(String(editor().errors.pop()), /status of 502/);
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
