// Suggests the known measurements while a path is typed; any other path is accepted too.
import type { WidgetTypedInputTypeDefinition } from "node-red__editor-client";
import { UNITS } from "../../src/models/measurements";

interface Suggestion {
  value: string;
  label: string;
}

const SUGGESTIONS: Suggestion[] = [...UNITS].map(([path, unit]) => ({
  value: path,
  label: `${path} (${unit})`,
}));

/** The measurements that contain the typed text, ignoring case. */
function suggestions(typed: string): Suggestion[] {
  const wanted = typed.trim().toLowerCase();
  return SUGGESTIONS.filter(({ value }) => value.toLowerCase().includes(wanted));
}

/** Missing from the published types. */
type SuggestingType = WidgetTypedInputTypeDefinition & {
  autoComplete: (typed: string, done: (found: Suggestion[]) => void) => void;
};

export function suggestPaths(field: JQuery, label: string): void {
  const type: SuggestingType = {
    value: "path",
    label,
    icon: "fa fa-line-chart",
    autoComplete: (typed, done) => done(suggestions(typed)),
  };
  field.typedInput({ types: [type] });
}
