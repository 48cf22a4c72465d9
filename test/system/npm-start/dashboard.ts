// Tests for the dashboard of npm start in a real browser, on desktop and phone screens.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Locator } from "playwright-core";
import { type EditorBrowser, openPage } from "../../../tools/editor-browser.mjs";
import { openAlerts } from "../../../src/demo/alerts";
import { SITES } from "../../../src/demo/sites";
import { MINUTE } from "../../../src/time-units";
import {
  age,
  chart,
  chooseSystem,
  COLOURS,
  gauge,
  countPixels,
  noValue,
  powers,
  problem,
  siteRows,
} from "./dashboard-page";
import type { DemoProcess } from "../../support/demo-process";
import { eventually } from "../../support/eventually";
import { chromium, needed } from "../../support/requirements";
import type { FlowNode } from "../../support/runtime";

const PHONE = { width: 390, height: 844 };
const TICK = 10_000;

/** Enough pixels for a line in the chart, but not for the dot in its legend. */
const CURVE = 150;

/** @param startTime in milliseconds: since when alerts may have been read */
export function describeDashboard(started: () => DemoProcess, startTime: () => number): void {
  let demo: DemoProcess;
  let browser: EditorBrowser;

  before(async function () {
    const program = needed(chromium, this);
    demo = started();
    browser = await openPage(demo.dashboardUrl, program, { time: Date.now() });
    // Without a value, a gauge briefly shows its minimum.
    await gauge(browser.page).getByText(/[1-9]/).waitFor();
  });
  after(async () => {
    await browser?.close();
  });
  afterEach(() => {
    assert.deepEqual(browser.errors, [], "the browser's console");
  });

  const drawn = (title: "power" | "charge", color: string): Promise<true> =>
    eventually(
      () => `no line in the ${title} chart`,
      async () => (await countPixels(chart(browser.page, title), color)) > CURVE || undefined,
    );

  it("shows the battery's state of charge in percent, and all power values with their unit", async () => {
    const percent = Number(await gauge(browser.page).textContent());
    assert.ok(percent >= 10 && percent <= 100, String(percent));
    const values = Object.values(await powers(browser.page));
    assert.equal(values.length, 4);
    for (const value of values) assert.match(value, /^\d+ W$|^\d+[.,]\d\d kW$/);
  });

  it("shows the age of the values", async () => {
    assert.match(
      (await age(browser.page).textContent()) ?? "",
      /^Measured until \d\d:\d\d, (just now|\d min ago)$/,
    );
  });

  it("charts the last 24 hours", async () => {
    await drawn("power", COLOURS.solar);
    await drawn("charge", COLOURS.charge);
  });

  it("lists every system of every site, with a dash for values that are not measured", async () => {
    const rows = await siteRows(browser.page);
    const expected = SITES.flatMap(({ siteName, systems }) =>
      systems.length > 1
        ? systems.map(({ generation }, index) => `${siteName}, system ${index + 1} (${generation})`)
        : [siteName],
    );
    assert.deepEqual(
      rows.map(([name]) => name),
      expected,
    );
    const rowOf = (name: string): string[] => rows.find(([first]) => first === name) ?? [];
    assert.equal(rowOf("Demo cabin")[2], "–", "third-party solar is not measured");
    assert.equal(rowOf("Demo balcony")[5], "–", "there is no battery");
    assert.deepEqual(rowOf("Demo empty site").slice(2), ["–", "–", "–", "–", "no system"]);
    assert.match(rowOf("Demo house")[4] ?? "", /^-?\d+\.\d\d\u{a0}kW$/u);
    assert.match(rowOf("Demo house")[6] ?? "", /^\d\d:\d\d$/);
  });

  it("shows the energy of today, yesterday and this month, where it went, and each day of the month", async () => {
    const { page } = browser;
    const cells = (title: string): Locator =>
      page.locator(".energy tr", { has: page.getByRole("rowheader", { name: title }) }).locator("td");
    let used: string[] = [];
    await eventually(
      () => `no totals: ${used.join(", ")}`,
      async () => {
        used = await cells("Used").allTextContents();
        return used.every((text) => /\d/.test(text)) || undefined;
      },
    );
    for (const title of ["Solar", "Used", "From grid", "To grid"])
      for (const text of await cells(title).allTextContents()) assert.match(text, /^[\d.,]+$/, title);
    for (const text of await cells("Self-sufficiency").allTextContents()) assert.match(text, /^\d+\s%$|^–$/u);
    assert.match(
      (await page.getByRole("img", { name: /kWh in all$/ }).getAttribute("aria-label")) ?? "",
      /^This month by day: solar [\d.,]+, used/,
    );
    const bars = await page.locator(".energy figure").last().locator("rect").count();
    assert.ok(bars >= 2 && bars <= 62, `${bars} bars`);
  });

  it("lists and counts the open alerts", async () => {
    const titles = await browser.page.locator(".alerts li strong").allTextContents();
    const openAt = (time: number): string[] =>
      SITES.flatMap((site) => openAlerts(site, time)).map(({ title }) => String(title));
    // They were read at some time since the start, and several may have begun or ended since.
    let readAt = startTime();
    while (!isDeepStrictEqual(openAt(readAt).toSorted(), titles.toSorted())) {
      readAt += 1000;
      assert.ok(readAt < Date.now() + 1000, titles.join(", "));
    }
    assert.equal(await browser.page.locator(".alerts h2").textContent(), `Open alerts (${titles.length})`);
  });

  it("switches to another system immediately, with a dash if it has no battery", async () => {
    const { page } = browser;
    await chooseSystem(page, "Demo balcony");
    await noValue(page).waitFor();
    assert.equal(await noValue(page).textContent(), "–");
    assert.equal(await gauge(page).isVisible(), false);
    assert.equal((await powers(page))["battery"], "–");
    await drawn("power", COLOURS.solar);
    assert.equal(
      await countPixels(chart(page, "charge"), COLOURS.charge),
      0,
      "the line of the other system must be gone",
    );

    await chooseSystem(page, "Demo house");
    await gauge(page).waitFor();
    await drawn("charge", COLOURS.charge);
  });

  it("fits a phone", async () => {
    const { page } = browser;
    const size = page.viewportSize();
    await page.setViewportSize(PHONE);
    await page.reload();
    await gauge(page).waitFor();
    await drawn("power", COLOURS.solar);
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    assert.ok(width <= PHONE.width, `${width} pixels wide`);
    const measured = await page.locator(".sites th", { hasText: "Measured" }).boundingBox();
    assert.ok(measured && measured.x + measured.width <= PHONE.width, "the last column of the table");
    if (size) await page.setViewportSize(size);
  });

  it("fades out old values if no new ones arrive", async () => {
    const { page } = browser;
    assert.equal(await page.locator(".power--old").count(), 0);
    await page.clock.setSystemTime(Date.now() + 30 * MINUTE);
    await page.clock.runFor(TICK);
    await page.locator(".power--old").waitFor();
    assert.match((await age(page).textContent()) ?? "", /, 3\d min ago$/);
  });

  /** Of changed nodes only, so that the page is not reloaded. */
  async function deployChanges(nodes: FlowNode[]): Promise<void> {
    const headers = { "Content-Type": "application/json", "Node-RED-Deployment-Type": "nodes" };
    assert.ok((await demo.admin("/flows", { method: "POST", headers, body: JSON.stringify(nodes) })).ok);
  }

  it("replaces values with advice if the service cannot be read", async () => {
    const { page } = browser;
    const flow = (await (await demo.admin("/flows")).json()) as FlowNode[];
    const cut = flow.map((node) =>
      node.type === "energy-account" ? { ...node, service: "live", baseUrl: "" } : node,
    );
    await deployChanges(cut);
    // Check the open page, and then a page opened later.
    for (const prepare of [() => Promise.resolve(), () => page.reload()]) {
      await prepare();
      await age(page).getByText("The service could not be read").waitFor();
      await problem(page).getByText("No base URL. Enter the URL").waitFor();
      await noValue(page).waitFor();
      await page.locator(".sites td", { hasText: "not read" }).first().waitFor();
      await eventually(
        () => "the values are still shown",
        async () => isDeepStrictEqual(Object.values(await powers(page)), ["–", "–", "–", "–"]) || undefined,
      );
    }

    const isCleared = async (): Promise<true | undefined> =>
      (await countPixels(chart(page, "power"), COLOURS.solar)) === 0 || undefined;
    await chooseSystem(page, "Demo balcony");
    // A page that is still loading what it showed before may miss a choice, as any page may: a user chooses again.
    await eventually(
      () => "the lines of the previous system are still shown",
      async () => {
        if (await eventually(() => "", isCleared, 5000).catch(() => false)) return true;
        await chooseSystem(page, "Demo farm");
        await chooseSystem(page, "Demo balcony");
        return undefined;
      },
    );
    await deployChanges(flow);
  });
}
