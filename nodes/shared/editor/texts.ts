// Texts that several nodes share, from the catalogue of the account; errors in the same words as the runtime.
import { type ErrorText, errorText, type TextArguments, translate } from "../../../src/errors";
import { mapValues } from "../../../src/objects";
import { catalogueValues, shownText } from "../../../src/shown-text";

/** Characters of a stored value in the error about it. */
const LONGEST = 80;

/** `key` is, for example, `label.repeat`; the values replace placeholders such as __min__. */
export function sharedText(key: string, values?: Record<string, string | number>): string {
  return RED._(`@energy-sites/node-red/account:${key}`, values && catalogueValues(values));
}

/** A text of the node's own catalogue with values, which others may have written. */
export function ownText(node: EditorNode, key: string, values: Record<string, string | number>): string {
  return node._(key, catalogueValues(values));
}

export function faultText(...fault: TextArguments): string {
  return errorMessage(errorText(...fault), withoutMarkup);
}

/** Node-RED shows the errors of a config node as HTML in its sidebar, and the value may come from an imported flow. */
function withoutMarkup(value: string | number): string | number {
  return typeof value === "string" ? shownText(value, LONGEST).replaceAll("<", "‹") : value;
}

/** The text of the last notification is replaced. */
export function notify(type: "success" | "warning" | "error", text: string): void {
  RED.notify($("<p>").text(text), {
    type,
    id: "energy-sites",
    timeout: type === "success" ? 2000 : 5000,
  });
}

/** @param shown how values are shown; by default, as they are */
export function errorMessage(text: ErrorText, shown: typeof withoutMarkup = (value) => value): string {
  return translate(text, {
    text: (name, filled) => sharedText(`error.${name}`, mapValues(filled, shown)),
    label: (name) => RED._(`@energy-sites/node-red/${name}`),
    count: (value) => value.toLocaleString(RED.i18n.lang()),
  });
}
