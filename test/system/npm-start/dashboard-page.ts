// Reads the dashboard example as a user sees it.
import { eventually } from "../../support/eventually";
import type { Locator, Page } from "playwright-core";

/** The line colors of the charts. */
export const COLOURS = { solar: "#e8a317", charge: "#2f9e6e" };

/** More than a page with a list and a few links needs. */
const MOST_PRESSES = 20;

/** The number in the gauge, and the dash that replaces it. */
export const gauge = (page: Page): Locator => page.locator(".nrdb-ui-gauge-value span");
export const noValue = (page: Page): Locator => page.locator(".no-value .nrdb-ui-text-value");
export const age = (page: Page): Locator => page.locator(".power-age");
export const problem = (page: Page): Locator => page.locator(".problem");
export const chart = (page: Page, title: "power" | "charge"): Locator =>
  page.locator(".nrdb-ui-chart canvas").nth(title === "power" ? 0 : 1);

/** The values in the circles of the power flow, by name, such as solar, used, battery. */
export async function powers(page: Page): Promise<Record<string, string>> {
  const names = await page.locator(".power-name").allTextContents();
  const values = await page.locator(".power-value").allTextContents();
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}

/** The table of the sites, row by row. */
export async function siteRows(page: Page): Promise<string[][]> {
  const rows = await page.locator(".sites tbody tr").all();
  return Promise.all(
    rows.map(async (row) => (await row.locator("td").allTextContents()).map((cell) => cell.trim())),
  );
}

/**
 * The dashboard may draw its list again while it is open, which closes it, or swallows the click: a user sees that
 * the other system is still chosen, and chooses again.
 */
export async function chooseSystem(page: Page, label: string): Promise<void> {
  const field = page.locator(".nrdb-ui-dropdown .v-field");
  const item = page.locator(".v-overlay .v-list-item", { hasText: label });
  const chosen = field.locator(".v-select__selection-text", { hasText: label });
  await eventually(
    () => `${label} cannot be chosen`,
    async () => {
      if (!(await item.isVisible())) await field.click();
      return item
        .click({ timeout: 2000 })
        .then(() => chosen.waitFor({ timeout: 2000 }))
        .then(
          () => true,
          () => undefined,
        );
    },
  );
}

/** The number of pixels of a canvas in the given color (`#rrggbb`). */
export async function countPixels(canvas: Locator, color: string): Promise<number> {
  return canvas.evaluate((element: HTMLCanvasElement, color: string) => {
    const { width, height } = element;
    const { data } = element.getContext("2d")!.getImageData(0, 0, width, height);
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1;
    return count;
  }, color);
}

/** The number of opaque pixels of a canvas that are dark in every channel, such as those of dark text. */
export async function countDarkPixels(canvas: Locator): Promise<number> {
  return canvas.evaluate((element: HTMLCanvasElement) => {
    const { data } = element.getContext("2d")!.getImageData(0, 0, element.width, element.height);
    const [dark, opaque] = [0x80, 0xa0];
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
      if (data.slice(at, at + 3).every((channel) => channel < dark) && data[at + 3]! > opaque) count += 1;
    return count;
  });
}

/** The left and right edges of each row of cards, in pixels. */
export async function rowEdges(page: Page): Promise<{ left: number; right: number }[]> {
  const cards = await page.locator(".nrdb-ui-group").all();
  const rows = new Map<number, { left: number; right: number }>();
  for (const card of cards) {
    const box = await card.boundingBox();
    if (!box) continue;
    const [top, left, right] = [box.y, box.x, box.x + box.width].map(Math.round) as [number, number, number];
    const row = rows.get(top) ?? { left, right };
    rows.set(top, { left: Math.min(row.left, left), right: Math.max(row.right, right) });
  }
  return [...rows.values()];
}

/** Presses Tab until an element that matches has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  const isThere = `document.activeElement?.closest(${JSON.stringify(selector)}) !== null`;
  for (let press = 0; press < MOST_PRESSES; press++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate<boolean>(isThere)) return;
  }
  throw new Error(`${selector} is not reached by the keyboard`);
}
