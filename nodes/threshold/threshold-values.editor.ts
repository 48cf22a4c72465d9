// What the field Value of a threshold offers: the payload, or a value of the record that the nodes before it send.
import type { LastValue, ValueNow } from "../../src/choices/choices";
import { adminRequest } from "../shared/editor/admin-request";
import { fieldOf, formOf } from "../shared/editor/dialog/fields";
import { isFresh } from "../shared/editor/new-nodes";
import { shownValue } from "../shared/editor/pickers/choices";
import type { Choice } from "../shared/editor/pickers/combobox";
import { PickedField } from "../shared/editor/pickers/picked-field";
import { measurementName, valueChoices } from "../shared/editor/pickers/values";
import { PAYLOAD, readerOf, sourceOf } from "./threshold-source.editor";

/** Not part of a record. */
const DERIVED = "derived.";
/** A dialog shows no more last values. */
const MAX_SHOWN = 3;

/** Call this when the typed input exists. */
export function prepareValues(node: EditorNode): void {
  const { reader, path } = readerOf(node);
  let known: Promise<readonly ValueNow[]> | undefined;
  const values = (): Promise<readonly ValueNow[]> =>
    (known ??= sourceOf(node)
      .then((source) => source?.lists.values(source.siteId, source.systemId) ?? [])
      .catch(() => []));
  const line = async (): Promise<string> => {
    const text = field.text();
    if (!field.isText() || text === "") return "";
    if (text !== PAYLOAD) return measurementName(text.slice(PAYLOAD.length + 1)) ?? "";
    if (path !== "") return measurementName(path) ?? "";
    return reader ? node._("hint.record") : "";
  };
  const list = async (typed: string): Promise<{ choices: Choice[] }> => ({
    choices: choices(typed.replace(/^payload\.?/, ""), await values(), path),
  });
  const field = new PickedField(node, "property", { list, line }, "msg");
  const update = (): void => void line().then((text) => field.say(text));
  field.onChange(update);
  update();
  // The default is right for a value alone; the list opens for what a record has.
  if (!isFresh(node) || !reader || path !== "" || field.text() !== PAYLOAD) return;
  field.set("");
  field.focus();
}

function choices(typed: string, values: readonly ValueNow[], path: string): Choice[] {
  if (path === "")
    return valueChoices(typed, values)
      .filter(({ value }) => !value.startsWith(DERIVED))
      .map((choice) => ({
        ...choice,
        value: `${PAYLOAD}.${choice.value}`,
        detail: `${PAYLOAD}.${choice.value}`,
      }));
  const now = shownValue(values.find((value) => value.path === path)?.value);
  return [{ value: PAYLOAD, text: measurementName(path) ?? path, now, detail: PAYLOAD }];
}

/** Says where the last values of the deployed node are between the limits in the dialog. */
export function showLastValues(node: EditorNode): void {
  const note = $("#energy-last-values");
  adminRequest<{ values: LastValue[] }>(["thresholds", node.id, "values"])
    .then(({ values }) => {
      const update = (): unknown => note.text(lastValues(node, values));
      formOf(node).on("change input", update);
      update();
    })
    // What is shown here is only a help.
    .catch(() => undefined);
}

/** "Last value 90.2: between the limits"; with the subject of each if there are several. */
function lastValues(node: EditorNode, values: readonly LastValue[]): string {
  const limit = (property: string): number => Number(fieldOf(node, property).val() || Number.NaN);
  const [high, low] = [limit("high"), limit("low")];
  const place = (value: number): string => {
    if (value >= high) return "last.high";
    return value <= low ? "last.low" : "last.between";
  };
  const shown = values.slice(0, MAX_SHOWN).map(({ subject, value }) => {
    const text = node._(place(value), { value: shownValue(value) });
    return values.length > 1 ? `${subject}: ${text}` : text;
  });
  return [...shown, ...(values.length > MAX_SHOWN ? ["…"] : [])].join(" · ");
}
