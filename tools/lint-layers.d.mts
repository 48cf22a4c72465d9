// Types for lint-layers.mjs, used by its tests.
export function forbiddenImports(path: string, source: string): string[];
