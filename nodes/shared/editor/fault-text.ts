// Describes what is wrong with a setting, in the same words as the runtime.
import { translate } from "../../../src/errors";
import type { Fault } from "../../../src/settings/setting";
import { sharedText } from "./texts";

export function faultText([key, values]: Fault): string {
  return translate(
    { key, values: values ?? {} },
    {
      text: (name, filled) => sharedText(`error.${name}`, filled),
      label: (name) => RED._(`@energy-sites/node-red/${name}`),
    },
  );
}
