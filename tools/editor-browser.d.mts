// Types of editor-browser.mjs, for the tests.
import type { Page } from "playwright-core";

export interface EditorBrowser {
  page: Page;
  /** What the page has reported as an error: on the console, or thrown and not caught. */
  errors: string[];
  close(): Promise<void>;
}

/** In CSS pixels; `scale` is the number of pixels for each. */
interface PageSize {
  width?: number;
  height?: number;
  scale?: number;
}

/** The editor, once it is ready to be used. */
export function openEditor(
  url: string,
  /** The Chromium program. */
  executablePath: string,
  size?: PageSize,
): Promise<EditorBrowser>;

export function openPage(
  url: string,
  executablePath: string,
  /** `time`: what the clock of the page shows now; it runs on from there, and can be set. */
  options?: PageSize & { time?: number },
): Promise<EditorBrowser>;
