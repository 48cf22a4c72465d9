// Describes what is wrong with a setting, in the same words as the runtime.
import { type ErrorText, type TextValue, translate } from "../../../src/errors";
import type { Fault } from "../../../src/settings/setting";
import { shownText } from "../../../src/shown-text";
import { sharedText } from "./texts";

/** Characters of a stored value in the error about it. */
const LONGEST = 80;

export function faultText([key, values]: Fault): string {
  const plain = Object.entries(values ?? {}).map(([name, value]) => [name, withoutMarkup(value)] as const);
  return translated({ key, values: Object.fromEntries(plain) });
}

/** Node-RED shows the errors of a config node as HTML in its sidebar, and the value may come from an imported flow. */
function withoutMarkup(value: TextValue): TextValue {
  return typeof value === "string" ? shownText(value, LONGEST).replaceAll("<", "‹") : value;
}

/** The text of a fault that an admin route answered; undefined if the answer is none, such as that of a proxy. */
export function faultTextOf(answer: unknown): string | undefined {
  const { fault } = (answer ?? {}) as { fault?: { text?: ErrorText } };
  return fault?.text && translated(fault.text);
}

function translated(text: ErrorText): string {
  return translate(text, {
    text: (name, filled) => sharedText(`error.${name}`, filled),
    label: (name) => RED._(`@energy-sites/node-red/${name}`),
    count: (value) => value.toLocaleString(),
  });
}
