// Describes what is wrong with a setting, in the same words as the runtime.
import { type ErrorText, translate } from "../../../src/errors";
import type { Fault } from "../../../src/settings/setting";
import { sharedText } from "./texts";

export function faultText([key, values]: Fault): string {
  return translated({ key, values: values ?? {} });
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
  });
}
