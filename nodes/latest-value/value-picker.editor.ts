// Offers the values of a record under the names that people use, each with what it is now.
import type { ValueNow } from "../../src/choices/choices";
import type { ValuePicker } from "../shared/editor/pickers/value-picker";
import { sharedText } from "../shared/editor/texts";
import { isInRecord, measurementName, valueChoices } from "./value-choices.editor";

export function valuePicker(): ValuePicker {
  return {
    type: { label: sharedText("picker.values"), icon: "fa fa-line-chart" },
    choices: valueChoices,
    line: valueLine,
  };
}

/** The value's name, or that the newest record has no such value. */
async function valueLine(
  path: string,
  values: () => Promise<readonly ValueNow[] | undefined>,
): Promise<string> {
  const name = measurementName(path);
  if (path === "" || name) return name ?? "";
  const known = await values();
  return known && known.length > 0 && !isInRecord(path, known) ? sharedText("picker.unknownValue") : "";
}
