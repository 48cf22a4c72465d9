// Types of editor-browser.mjs, for the tests.
import type { Page } from "playwright-core";

export interface EditorBrowser {
  page: Page;
  /** What the page has reported as an error: on the console, or thrown and not caught. */
  errors: string[];
  close(): Promise<void>;
}

export function openEditor(
  url: string,
  /** The Chromium program. */
  executablePath: string,
  /** In CSS pixels; `scale` is the number of pixels for each. */
  options?: { width?: number; height?: number; scale?: number },
): Promise<EditorBrowser>;
