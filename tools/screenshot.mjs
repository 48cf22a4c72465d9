// npm run screenshot: draws docs/demo-flow.png, the first example at work as the editor shows it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root, startDemo } from "./demo.mjs";
import { openEditor } from "./editor-browser.mjs";

const SIZE = { width: 1346, height: 706, scale: 2 };
/** Until the debug nodes, too, show what has come. */
const SETTLING = 500;

const browser =
  process.env.CHROMIUM ?? execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
const userDir = mkdtempSync(join(tmpdir(), "energy-sites-demo-"));
const settings = { "editorTheme.palette.catalogues": [] };
const demo = await startDemo({ userDir, settings });
try {
  await demo.runtime.ready;
  const editor = await openEditor(demo.runtime.url, browser, SIZE);
  await editor.page.evaluate(() => {
    window.RED.actions.invoke("core:toggle-sidebar", false);
    window.RED.actions.invoke("core:toggle-palette", false);
  });
  await editor.page.waitForFunction(() => {
    const nodes = window.RED.nodes.filterNodes({ z: window.RED.workspaces.active() });
    const readers = nodes.filter(({ type }) => type.startsWith("energy-"));
    return readers.every(({ status }) => status?.shape === "dot");
  });
  await pause(SETTLING);
  mkdirSync(join(root, "docs"), { recursive: true });
  await editor.page.screenshot({ path: join(root, "docs", "demo-flow.png") });
  await editor.close();
} finally {
  await demo.stop();
  rmSync(userDir, { recursive: true, force: true });
}
