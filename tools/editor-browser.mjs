// Opens Node-RED pages in Debian's Chromium, for the screenshots and the browser tests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Block requests to other machines.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

const TIMEOUT = 60_000;
/** Node-RED 5 shows a tip before it has a place for tips, if it loads slowly. */
const TIP_ERROR = /^TypeError: .*reading 'html'/;

/**
 * Stops the movements of a page, whose pictures cost more than what they lead to. Dialogs still slide in, as for users
 * who are quicker than them.
 */
const STILL =
  "*:not(.red-ui-tray), ::before, ::after { transition: none !important; animation: none !important }";

/** No flow or help text of ours draws a diagram, and the library for that costs as much as the rest of the editor. */
function lighten(style) {
  addEventListener("DOMContentLoaded", () => {
    const sheet = document.createElement("style");
    sheet.textContent = style;
    document.head.append(sheet);
    const diagrams = window.RED?.editor?.mermaid;
    if (diagrams) diagrams.render = async () => undefined;
  });
}

export async function openEditor(url, executablePath, size) {
  const browser = await openPage(url, executablePath, size);
  await editorReady(browser.page);
  return browser;
}

export async function editorReady(page) {
  await page.locator(".red-ui-palette-node[data-palette-type='inject']").waitFor();
  await page.locator("#red-ui-loading-progress").waitFor({ state: "hidden" });
}

export async function openPage(
  url,
  executablePath,
  { width = 1400, height = 900, scale = 1, locale = "en-US", time } = {},
) {
  const profile = mkdtempSync(join(tmpdir(), "energy-sites-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: ARGUMENTS,
    headless: true,
    locale,
    viewport: { width, height },
    deviceScaleFactor: scale,
  });
  const [page] = context.pages();
  page.setDefaultTimeout(TIMEOUT);
  const errors = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => {
    if (!TIP_ERROR.test(String(error))) errors.push(String(error));
  });
  await page.addInitScript(lighten, STILL);
  if (time !== undefined) await page.clock.install({ time });
  await page.goto(url);
  return {
    page,
    errors,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
