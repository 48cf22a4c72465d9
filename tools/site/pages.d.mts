// The types of pages.mjs, for the tests.
export interface Page {
  source: string;
  url: string;
  title: string | undefined;
}
export const PAGES: readonly Page[];
export function linkOf(source: string, link: string): string;
export function idOf(title: string): string;
export function missing(root: string, files: readonly string[]): string[];
