// npm run screenshot: creates the pictures of the README in docs: first-value.png (from an empty flow to a value, moving) and
// dashboard.png.
// npm run screenshot -- FOLDER creates them elsewhere.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root, startDemo } from "./demo.mjs";
import { openEditor, openPage } from "./editor-browser.mjs";
import { movingPicture } from "./moving-picture.mjs";

/** A summer morning: sun on the roof, a charging battery. A fixed time gives the same pictures on every run. */
const TIME = Date.parse("2026-07-11T08:21:20Z");
const ZONE = "Europe/Berlin";

const FIRST_VALUE_SIZE = { width: 1010, height: 600 };
const DASHBOARD_SIZE = { width: 1200, height: 1610, scale: 1.25 };
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

/** The three steps of the README, in a flow without any node. */
async function drawFirstValue({ editorUrl }) {
  const editor = await openEditor(editorUrl, browser, FIRST_VALUE_SIZE);
  const { page } = editor;
  const frames = [];
  const show = async (seconds) => {
    await pause(RENDER_DELAY);
    frames.push({ png: await page.screenshot(), seconds });
  };
  const dragIn = async (type, left, top) => {
    const source = page.locator(`.red-ui-palette-node[data-palette-type='${type}']`);
    await source.scrollIntoViewIfNeeded();
    const [from, to] = [await source.boundingBox(), await page.locator("#red-ui-workspace").boundingBox()];
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + left, to.y + top, { steps: 10 });
    await page.mouse.up();
    return page.evaluate(() => window.RED.view.selection().nodes[0].id);
  };

  // The login of npm start, and today's date, are not part of the picture.
  await page.addStyleTag({
    content: "#red-ui-header-button-user, .red-ui-debug-msg-date { display: none !important; }",
  });
  await page.evaluate(() => {
    const { RED } = window;
    RED.sidebar.show("debug");
    document.querySelector("#red-ui-palette-container-energy_sites").scrollIntoView();
  });
  await show(1.2);
  const value = await dragIn("energy-latest-value", 200, 110);
  const debug = await dragIn("debug", 410, 230);
  await page.evaluate(
    ([from, to]) => {
      const { RED } = window;
      const [source, target] = [from, to].map((id) => RED.nodes.node(id));
      RED.nodes.addLink({ source, sourcePort: 0, target });
      RED.view.redraw(true);
    },
    [value, debug],
  );
  await page.evaluate(() =>
    document.querySelector("#red-ui-palette-container-energy_sites").scrollIntoView(),
  );
  await show(1.5);
  await page.evaluate((id) => window.RED.editor.edit(window.RED.nodes.node(id)), value);
  await page.locator(".energy-demo button").waitFor();
  await show(1.8);
  await page.locator(".energy-demo button").click();
  const option = (text) => page.locator(".energy-list [role=option]", { hasText: text });
  const site = page.locator("#node-input-siteId + .red-ui-typedInput-container input").first();
  if (
    !(await option("Demo house")
      .isVisible()
      .catch(() => false))
  )
    await site.click();
  await option(/\d %/).first().waitFor();
  await show(2);
  await option("Demo house").click();
  const charge = option("Battery charge (%)");
  await charge.waitFor();
  await charge.hover();
  await show(2);
  await charge.click();
  await show(1.2);
  await page.locator("#node-dialog-ok").click();
  await page.locator(".red-ui-tray").waitFor({ state: "detached" });
  await page.locator("#red-ui-header-button-deploy").click();
  await page.locator(".red-ui-notification").first().waitFor({ state: "detached" });
  await page.evaluate(() => window.RED.sidebar.show("debug"));
  const number = page.locator(".red-ui-debug-msg-type-number:visible").first();
  await pause(RENDER_DELAY);
  if (!(await number.isVisible()))
    await page.locator(`[id='${value}'] .red-ui-flow-node-button-button`).click();
  await number.waitFor();
  await page.addStyleTag({ content: ".red-ui-notification { display: none; }" });
  await show(4);
  writeFileSync(join(folder, "first-value.png"), movingPicture(frames));
  await editor.close();
}

async function drawDashboard({ dashboardUrl }) {
  const dashboard = await openPage(dashboardUrl, browser, { ...DASHBOARD_SIZE, time: TIME });
  await dashboard.page.locator(".nrdb-ui-gauge-value").waitFor();
  // The flows of today, and the days of the month.
  await dashboard.page.locator(".energy svg").nth(1).waitFor();
  await save(dashboard, "dashboard.png");
}

/** Draws on a Node-RED of its own: with the examples or, if there are any, with these nodes. */
async function onDemo(nodes, ...draw) {
  const userDir = mkdtempSync(join(tmpdir(), "energy-sites-demo-"));
  if (nodes) writeFileSync(join(userDir, "flows.json"), JSON.stringify(nodes));
  const settings = { "editorTheme.palette.catalogues": [], "editorTheme.tours": false };
  const demo = await startDemo({ userDir, settings });
  try {
    await demo.runtime.ready;
    for (const picture of draw) await picture(demo);
  } finally {
    await demo.stop();
    rmSync(userDir, { recursive: true, force: true });
  }
}

process.env.TZ = ZONE;
process.env.NODE_OPTIONS = clockAt(TIME);
await onDemo([{ id: "flow", type: "tab", label: "Flow 1" }], drawFirstValue);
await onDemo(undefined, drawDashboard);
