// Switches the editor between its themes.
import type { Page } from "playwright-core";

export type Theme = "light" | "dark";

/** The colors of a dark theme for Node-RED 4, which has none of its own: those that people install set these. */
const DARK = {
  "form-background": "#121212",
  "form-button-background": "#222",
  "form-input-background": "#121212",
  "form-input-border-color": "#444",
  "form-input-border-error-color": "#d6615f",
  "form-placeholder-color": "#777",
  "form-text-color": "#ccc",
  "list-item-background-hover": "#2b2b2b",
  "list-item-background-selected": "#222",
  "primary-background": "#1e1e1e",
  "primary-text-color": "#ccc",
  "secondary-background": "#121212",
  "secondary-border-color": "#4a4a4a",
  "secondary-text-color": "#999",
  "text-color-error": "#ad1625",
  "text-color-link": "#08c",
  "text-color-success": "#3a3",
  "text-color-warning": "#cab200",
  "workspace-button-background": "#121212",
  "workspace-button-color": "#999",
} as const;

/** As the user setting of Node-RED 5 does it, or a theme's style sheet in Node-RED 4. */
export async function useTheme(page: Page, theme: Theme): Promise<void> {
  const colors = Object.entries(DARK).map(([name, color]) => `--red-ui-${name}: ${color};`);
  const sheet = `<style id='dark-theme'>:root { ${colors.join(" ")} }</style>`;
  const isDark = theme === "dark";
  await page.evaluate(`document.documentElement.classList.toggle("nr-theme-dark", ${isDark});
    document.querySelector("#dark-theme")?.remove();
    if (${isDark} && RED.settings.version.startsWith("4.")) $("head").append(${JSON.stringify(sheet)})`);
}
