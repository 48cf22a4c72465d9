// Says what is wrong with a setting, in the words that the runtime uses for the same mistake.
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
