// Types of editor-browser.mjs, for the tests.
import type { Page } from "playwright-core";

export interface EditorBrowser {
  page: Page;
  /** Errors of the page: console errors and uncaught exceptions. */
  errors: string[];
  close(): Promise<void>;
}

/** In CSS pixels; `scale` is the device pixel ratio. */
interface PageOptions {
  width?: number;
  height?: number;
  scale?: number;
  /** The language of the browser; English without it. */
  locale?: string;
}

/** Resolves once the editor is ready. */
export function openEditor(
  url: string,
  /** The path of the Chromium executable. */
  executablePath: string,
  options?: PageOptions,
): Promise<EditorBrowser>;

/** Resolves once the editor is ready, for instance after a reload. */
export function editorReady(page: Page): Promise<void>;

export function openPage(
  url: string,
  executablePath: string,
  /** `time` sets the page's clock, which then runs on and can be set again. */
  options?: PageOptions & { time?: number },
): Promise<EditorBrowser>;
