// Types of lint-layers.mjs, for its tests.
export function forbiddenImports(path: string, source: string): string[];
