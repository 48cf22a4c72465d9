// Offers the values of a record under the names that people use, each with what it is now.
import type { ValueNow } from "../../../../src/choices/choices";
import { sharedText } from "../texts";
import { isInRecord, measurementName } from "./measurements";

/** The line below the field: the value's name, or that the newest record has no such value. */
export async function valueLine(
  path: string,
  values: () => Promise<readonly ValueNow[] | undefined>,
): Promise<string> {
  const name = measurementName(path);
  if (path === "" || name) return name ?? "";
  const known = await values();
  return known && known.length > 0 && !isInRecord(path, known) ? sharedText("picker.unknownValue") : "";
}

/** A text field with an icon, as the other pickers have it. */
export function makeValueInput(field: JQuery): void {
  field.typedInput({
    types: [{ value: "path", label: sharedText("picker.values"), icon: "fa fa-line-chart" }],
  });
}
