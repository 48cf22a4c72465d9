// Checks a part of a page for accessibility with axe-core, by the rules of WCAG 2.2 level AA and its best practices.
import type { Page } from "playwright-core";

const AXE = require.resolve("axe-core/axe.min.js");

interface AxeResults {
  violations: { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }[];
}

/** What is wrong inside the elements that match, one text for each. The rest of the page belongs to Node-RED. */
export async function violationsIn(page: Page, selector: string): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.addScriptTag({ path: AXE });
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run({ include: [[${JSON.stringify(selector)}]] }, { resultTypes: ["violations"] })`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}): ${target.join(" ")}: ${failureSummary}`),
  );
}
