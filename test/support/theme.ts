// Switches the editor between its themes.
import type { Page } from "playwright-core";

/** Versions before Node-RED 5 have no dark theme. */
export type Theme = "light" | "dark";

/** As the user setting of Node-RED 5 does it. */
export async function useTheme(page: Page, theme: Theme): Promise<void> {
  await page.evaluate(`document.documentElement.classList.toggle("nr-theme-dark", ${theme === "dark"})`);
}
