// npm run screenshot: creates the pictures of the README in docs: demo-flow.png (the nodes and the first example in the
// editor), site-picker.png (a dialog with its list of sites) and dashboard.png.
// npm run screenshot -- FOLDER creates them elsewhere.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root, startDemo } from "./demo.mjs";
import { openEditor, openPage } from "./editor-browser.mjs";

/** A summer morning: sun on the roof, a charging battery. A fixed time gives the same pictures on every run. */
const TIME = Date.parse("2026-07-11T08:21:20Z");
const ZONE = "Europe/Berlin";

/** Fits the palette and the first four groups of the example. */
const EDITOR_SIZE = { width: 868, height: 812, scale: 1.75 };
const PICKER_SIZE = { width: 1000, height: 750, scale: 1.5 };
const DASHBOARD_SIZE = { width: 1200, height: 1262, scale: 1.25 };
/** How long to wait for the last updates to render. */
const RENDER_DELAY = 1500;

const folder = resolve(process.argv[2] ?? join(root, "docs"));
const browser =
  process.env.CHROMIUM ?? execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();

/** A Node.js option that starts the process's clock at this time. */
function clockAt(time) {
  const code = `
    const Real = Date;
    const offset = ${time} - Real.now();
    globalThis.Date = class extends Real {
      constructor(...args) {
        super(...(args.length === 0 ? [Real.now() + offset] : args));
      }
      static now() {
        return Real.now() + offset;
      }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

async function save({ page, close }, name) {
  await pause(RENDER_DELAY);
  await page.screenshot({ path: join(folder, name) });
  await close();
}

async function drawEditor({ editorUrl }) {
  const editor = await openEditor(editorUrl, browser, EDITOR_SIZE);
  // The login of npm start is not part of the picture.
  await editor.page.addStyleTag({ content: "#red-ui-header-button-user { display: none !important; }" });
  await editor.page.evaluate(() => {
    window.RED.actions.invoke("core:toggle-sidebar", false);
    window.document.getElementById("red-ui-palette-container-energy_sites").scrollIntoView();
  });
  await editor.page.waitForFunction(() => {
    const nodes = window.RED.nodes.filterNodes({ z: window.RED.workspaces.active() });
    const readers = nodes.filter(({ type }) => type.startsWith("energy-"));
    return readers.every(({ status }) => status?.shape === "dot");
  });
  await save(editor, "demo-flow.png");
}

async function drawSitePicker({ editorUrl }) {
  const editor = await openEditor(editorUrl, browser, PICKER_SIZE);
  const { page } = editor;
  // The dialog of a new node, as if it was dragged in.
  await page.evaluate(() => {
    const { RED } = window;
    const account = RED.nodes.filterNodes({ type: "energy-latest-value" })[0].account;
    const flow = [
      { id: "new", type: "energy-latest-value", z: "", x: 0, y: 0, account, maxAge: 15, repeat: 0 },
    ];
    const { nodes } = RED.nodes.import(flow, { generateIds: true, addFlow: true });
    RED.editor.edit(nodes[0]);
  });
  const site = page.locator("#node-input-siteId + .red-ui-typedInput-container input").first();
  await site.click();
  // Three of the sites have a battery.
  await page.locator(".energy-list [role=option]", { hasText: /\d %/ }).nth(2).waitFor();
  await page.mouse.move(0, 0);
  await pause(RENDER_DELAY);
  await page.locator(".red-ui-tray").screenshot({ path: join(folder, "site-picker.png") });
  await editor.close();
}

async function drawDashboard({ dashboardUrl }) {
  const dashboard = await openPage(dashboardUrl, browser, { ...DASHBOARD_SIZE, time: TIME });
  await dashboard.page.locator(".nrdb-ui-gauge-value").waitFor();
  await save(dashboard, "dashboard.png");
}

process.env.TZ = ZONE;
process.env.NODE_OPTIONS = clockAt(TIME);
const userDir = mkdtempSync(join(tmpdir(), "energy-sites-demo-"));
const settings = { "editorTheme.palette.catalogues": [] };
const demo = await startDemo({ userDir, settings });
try {
  await demo.runtime.ready;
  await drawEditor(demo);
  await drawSitePicker(demo);
  await drawDashboard(demo);
} finally {
  await demo.stop();
  rmSync(userDir, { recursive: true, force: true });
}
