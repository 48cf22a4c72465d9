// Tests for who can use the dashboard of npm start: on any screen, by keyboard, in a dark theme, and with alerts yet unknown.
import assert from "node:assert/strict";
import { type EditorBrowser, openPage } from "../../../tools/editor-browser.mjs";
import {
  chart,
  chooseSystem,
  COLOURS,
  countDarkPixels,
  countPixels,
  gauge,
  rowEdges,
  tabTo,
} from "./dashboard-page";
import { violationsIn } from "../../support/accessibility";
import type { DemoProcess } from "../../support/demo-process";
import { eventually } from "../../support/eventually";
import { readExample } from "../../support/examples";
import { chromium, needed } from "../../support/requirements";
import type { FlowNode } from "../../support/runtime";

const WIDTHS = [390, 760, 1000, 1400];
const DARK = {
  surface: "#1b2a2c",
  primary: "#4fb3ba",
  bgPage: "#101718",
  groupBg: "#1b2426",
  groupOutline: "#33474a",
};
const OUTLINE_WIDTH = "2px";

/** Lists and hints that the dashboard itself opens above the page are outside. */
const PAGE = "#app";

/** More than the list shows without scrolling. */
const SEVERITIES = ["LOW", "HIGH", "CRITICAL", "MEDIUM", ...Array.from({ length: 12 }, () => "LOW")];

/** Puts made-up alerts on the page instead of those of the account. */
const ALERTS: FlowNode = {
  id: "made-up-alerts",
  type: "inject",
  z: "dashboard",
  props: [
    { p: "payload", v: JSON.stringify(SEVERITIES.map(alertOf)), vt: "json" },
    {
      p: "energy",
      v: JSON.stringify({ alerts: SEVERITIES.map(notesOf) }),
      vt: "json",
    },
    { p: "readAt", v: "", vt: "date" },
  ],
  wires: [["dashboard-alert-list"]],
};

function alertOf(severity: string): object {
  return { siteId: "demo-house", severity, title: `An alert that is ${severity}` };
}

function notesOf(severity: string, index: number): object {
  const level = severity === "CRITICAL" ? "OTHER" : severity;
  return { severity: level, alertKey: `${severity}-${index}`, isOpen: true };
}

export function describeDashboardLook(started: () => DemoProcess): void {
  let demo: DemoProcess;
  let browser: EditorBrowser;

  async function deploy(change: (node: FlowNode) => FlowNode, added: FlowNode[] = []): Promise<void> {
    const body = JSON.stringify([...readExample("08-dashboard.json").map(change), ...added]);
    const headers = { "Content-Type": "application/json" };
    assert.ok((await demo.admin("/flows", { method: "POST", headers, body })).ok);
    await browser.page.reload();
    await gauge(browser.page).waitFor();
  }

  before(async function () {
    const program = needed(chromium, this);
    demo = started();
    browser = await openPage(demo.dashboardUrl, program);
    // Others may have left a system without a battery.
    await chooseSystem(browser.page, "Demo house");
    await gauge(browser.page).waitFor();
  });
  after(async () => {
    await browser?.close();
  });

  for (const width of WIDTHS)
    it(`leaves no hole at ${width} pixels`, async () => {
      const { page } = browser;
      await page.setViewportSize({ width, height: 900 });
      const edges = await eventually(
        () => "the page has not been laid out",
        async () => {
          const rows = await rowEdges(page);
          return rows.every(({ right }) => right <= width) ? rows : undefined;
        },
      );
      assert.ok(edges.length >= 3, "three rows of cards");
      const left = edges[0]?.left ?? 0;
      for (const row of edges) assert.deepEqual(row, { left, right: width - left });
    });

  it("names sites and systems, and shows no id", async () => {
    const { page } = browser;
    await page.locator(".alerts li").first().waitFor();
    assert.doesNotMatch(await page.locator("body").innerText(), /demo-/);
  });

  it("is operated by keyboard, and shows where the keyboard is", async () => {
    const { page } = browser;
    await tabTo(page, ".nrdb-ui-dropdown");
    const field = page.locator(".nrdb-ui-dropdown .v-field");
    assert.equal(await field.evaluate((element) => getComputedStyle(element).outlineWidth), OUTLINE_WIDTH);
    await page.getByRole("combobox", { name: "System" }).waitFor();
    const farm = page.getByRole("option", { name: "Demo farm" });
    await eventually(
      () => "the list does not open",
      async () => {
        // As a user does who sees no list, because the page has just renewed its options.
        if (!(await farm.isVisible())) await page.keyboard.press("ArrowDown");
        return (await farm.isVisible()) || undefined;
      },
    );
    await eventually(
      () => "the farm is not chosen",
      async () => {
        if (await farm.evaluate((option) => option === document.activeElement)) return true;
        await page.keyboard.press("ArrowDown");
        return undefined;
      },
    );
    await page.keyboard.press("Enter");
    await page.locator(".nrdb-ui-dropdown").getByText("Demo farm").waitFor();

    await tabTo(page, ".alerts-list");
    const list = page.getByRole("region", { name: "Open alerts" });
    assert.equal(await list.evaluate((element) => getComputedStyle(element).outlineWidth), OUTLINE_WIDTH);
  });

  it("is accessible", async () => {
    let violations: unknown[] = [];
    // A chart without points, as after the choice of another site, has no text yet.
    await eventually(
      () => JSON.stringify(violations),
      async () => {
        violations = await violationsIn(browser.page, PAGE);
        return violations.length === 0 || undefined;
      },
    );
  });

  it("lists unknown severities first, then the most severe", async () => {
    const { page } = browser;
    await deploy((node) => (node.id === "dashboard-keep" ? { ...node, wires: [[]] } : node), [ALERTS]);
    await demo.admin(`/inject/${ALERTS.id}`, { method: "POST" });
    await page.locator(".alerts li").first().waitFor();
    const levels = await page.locator(".alerts-level").allTextContents();
    assert.deepEqual(levels.slice(0, 4), ["CRITICAL", "HIGH", "MEDIUM", "LOW"]);
  });

  for (const width of WIDTHS)
    it(`cuts no alert in half at ${width} pixels`, async () => {
      const { page } = browser;
      await page.setViewportSize({ width, height: 900 });
      const list = page.getByRole("region", { name: "Open alerts" });
      const cut = (): Promise<string[]> =>
        list.evaluate((region) => {
          const end = region.getBoundingClientRect().bottom;
          return [...region.querySelectorAll("li")]
            .filter((item) => {
              const { top, bottom } = item.getBoundingClientRect();
              return top < end && bottom > end + 1;
            })
            .map((item) => item.textContent ?? "");
        });
      await eventually(
        () => "an alert is cut",
        async () => (await cut()).length === 0 || undefined,
      );
      assert.ok(await list.evaluate((region) => region.scrollHeight > region.clientHeight), "all fit");
    });

  it("is dark where the system is, accessible, the text of its charts too", async () => {
    const { page } = browser;
    const background = (): Promise<string> =>
      page.evaluate<string>("getComputedStyle(document.querySelector('.v-application')).backgroundColor");
    const light = await background();
    await page.emulateMedia({ colorScheme: "dark" });
    assert.notEqual(await background(), light);
    for (const title of ["power", "charge"] as const)
      await eventually(
        () => `the ${title} chart has dark text`,
        async () => (await countDarkPixels(chart(page, title))) === 0 || undefined,
      );
    assert.deepEqual(await violationsIn(page, PAGE), []);
    await page.emulateMedia({ colorScheme: "light" });
    assert.equal(await background(), light);
  });

  it("is accessible in a dark theme, the text of its charts too", async () => {
    await deploy((node) => (node.type === "ui-theme" ? { ...node, colors: DARK } : node));
    const { page } = browser;
    for (const [title, color] of [
      ["power", COLOURS.solar],
      ["charge", COLOURS.charge],
    ] as const)
      await eventually(
        () => `the ${title} chart is empty or has dark text`,
        async () => {
          const isDrawn = (await countPixels(chart(page, title), color)) > 0;
          return (isDrawn && (await countDarkPixels(chart(page, title))) === 0) || undefined;
        },
      );
    assert.deepEqual(await violationsIn(page, PAGE), []);
  });
}
