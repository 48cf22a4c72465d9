// The values of the records that reach a threshold, found along the wires in the editor: what its field Value offers, and the last ones.
import type { LastValue, ValueNow } from "../../src/choices/choices";
import { edgeOf } from "../../src/decisions/threshold";
import { adminRequest } from "../shared/editor/admin-request";
import { currentText, fieldOf, followFields } from "../shared/editor/dialog/fields";
import { isFresh } from "../shared/editor/new-nodes";
import { AccountLists } from "../shared/editor/pickers/account-lists";
import { type Choice, measurementName, shownValue, valueChoices } from "../shared/editor/pickers/choices";
import { oneId, PickedField } from "../shared/editor/pickers/picked-field";

const PAYLOAD = "payload";
/** The port of a node's inputs, as the editor counts. */
const INPUT = 1;
/** Not part of a record. */
const DERIVED = "derived.";
/** A dialog shows no more last values. */
const MAX_SHOWN = 3;

/** Where the records of a node come from: the system of a deployed or new account. */
interface Source {
  lists: AccountLists;
  siteId: string;
  systemId: string;
}

/** The node whose telemetry reaches this one, maybe through others. */
function readerOf(node: EditorNode): EditorNode | undefined {
  const reached = new Set([node]);
  // A set that grows is visited to its new end.
  for (const one of reached)
    for (const { source } of RED.nodes.getNodeLinks(one.id, INPUT)) reached.add(source);
  return [...reached].find(
    ({ account, type }) => account !== undefined && /-(latest-value|telemetry-poll)$/.test(type),
  );
}

/** The path of the one value that a node sends; "" if it sends a record. */
function pathOf({ path }: Partial<EditorNode> = {}): string {
  return typeof path === "string" ? path : "";
}

/** The system whose records reach the node, or the first one of several. Rejects with NoAnswer. */
export async function sourceOf(node: EditorNode): Promise<Source | undefined> {
  const reader = readerOf(node);
  if (!reader) return undefined;
  const lists = new AccountLists(() => String(reader["account"]));
  const siteId = oneId(reader["siteId"]) ?? (await lists.sites("")).sites[0]?.siteId;
  if (siteId === undefined) return undefined;
  const systemId = oneId(reader["systemId"]) ?? (await lists.systems(siteId))[0]?.systemId;
  return systemId === undefined ? undefined : { lists, siteId, systemId };
}

/** The path of a record's value in the dialog's field; "" for anything else. */
export function recordPath(node: EditorNode): string {
  const property = currentText(node, "property");
  return property.startsWith(`${PAYLOAD}.`) ? property.slice(PAYLOAD.length + 1) : pathOf(readerOf(node));
}

/** Call this when the typed input exists. */
export function prepareValues(node: EditorNode): void {
  const reader = readerOf(node);
  const path = pathOf(reader);
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
    .then(({ values }) => followFields(node, () => void note.text(lastValues(node, values))))
    // What is shown here is only a help.
    .catch(() => undefined);
}

/** "Last value 90.2: between the limits"; with the subject of each if there are several. */
function lastValues(node: EditorNode, values: readonly LastValue[]): string {
  const limit = (property: string): number => Number(fieldOf(node, property).val() || Number.NaN);
  const limits = { high: limit("high"), low: limit("low") };
  const shown = values.slice(0, MAX_SHOWN).map(({ subject, value }) => {
    const text = node._(`last.${edgeOf(value, limits) ?? "between"}`, { value: shownValue(value) });
    return values.length > 1 ? `${subject}: ${text}` : text;
  });
  return [...shown, ...(values.length > MAX_SHOWN ? ["…"] : [])].join(" · ");
}
