// The values of the records that reach a threshold, found along the wires in the editor: what its field Value offers, the last ones,
// and those of yesterday, as a chart with both limits that shows when it would have switched.
import type { DayAnswer, LastValue, ValueNow } from "../../src/choices/choices";
import {
  type Edge,
  edgeOf,
  stepByReading,
  type ThresholdRule,
  type ThresholdState,
} from "../../src/decisions/threshold";
import { isPlausible } from "../../src/models/measurements";
import { decimalOf } from "../../src/settings/rules";
import { MINUTE } from "../../src/time-units";
import { adminRequest, reasonOf } from "../shared/editor/admin-request";
import { currentText, fieldOf, followFields, formOf, oneId } from "../shared/editor/dialog/fields";
import { isNeverSaved } from "../shared/editor/new-nodes";
import { AccountLists } from "../shared/editor/pickers/account-lists";
import {
  type Choice,
  firstToRead,
  measurementName,
  shownValue,
  valueChoices,
} from "../shared/editor/pickers/choices";
import { PickedField } from "../shared/editor/pickers/picked-field";
import { ownText } from "../shared/editor/texts";

const PAYLOAD = "payload";
/** The port of a node's inputs, as the editor counts. */
const INPUT = 1;
/** Not part of a record. */
const DERIVED = "derived.";
/** A dialog shows no more last values. */
const MAX_SHOWN = 3;

/** Of the chart, with room for a line's width. */
const [WIDTH, HEIGHT, MARGIN] = [360, 90, 4];

type Point = Readonly<{ at: number; value: number }>;
type Switch = Point & { edge: Edge };

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
async function systemOf(
  node: EditorNode,
  lists: AccountLists,
): Promise<[siteId: string, systemId: string] | undefined> {
  const reader = readerOf(node);
  if (!reader) return undefined;
  const siteId = oneId(reader["siteId"], reader["siteIdType"]) ?? firstToRead(await lists.sites(""))?.siteId;
  if (siteId === undefined) return undefined;
  const systemId =
    oneId(reader["systemId"], reader["systemIdType"]) ?? (await lists.systems(siteId))[0]?.systemId;
  return systemId === undefined ? undefined : [siteId, systemId];
}

/**
 * The path of the record's value that a property of the message is; "" for anything else.
 * @param path of the value that is the payload; "" if that is a record
 */
export function recordPath(property: string, path: string): string {
  if (property === PAYLOAD) return path;
  return property.startsWith(`${PAYLOAD}.`) ? property.slice(PAYLOAD.length + 1) : "";
}

/** Call this when the typed input exists. */
export function prepareValues(node: EditorNode): void {
  // Of the account whose records reach the node.
  const lists = new AccountLists(() => String(readerOf(node)?.["account"]));
  prepareField(node, lists);
  showLastValues(node);
  preparePreview(node, lists);
}

function prepareField(node: EditorNode, lists: AccountLists): void {
  const reader = readerOf(node);
  const path = pathOf(reader);
  const values = (): Promise<readonly ValueNow[]> =>
    systemOf(node, lists)
      .then((system) => (system ? lists.values(...system) : []))
      .catch(() => []);
  const line = async (): Promise<string> => {
    const text = field.text();
    if (!field.isText()) return "";
    if (text === PAYLOAD && path === "" && reader) return node._("hint.record");
    return measurementName(recordPath(text, path)) ?? "";
  };
  const list = async (typed: string): Promise<{ choices: Choice[] }> => ({
    choices: choices(typed.replace(/^payload\.?/, ""), await values(), path),
  });
  const field = new PickedField(node, "property", { list, line }, "msg");
  const update = (): void => void line().then((text) => field.say(text));
  field.onChange(update);
  update();
  // The default is right for a value alone; the list opens for what a record has.
  if (!isNeverSaved(node) || !reader || path !== "" || field.text() !== PAYLOAD) return;
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
function showLastValues(node: EditorNode): void {
  const note = $("#energy-last-values");
  adminRequest<LastValue[]>(["thresholds", node.id, "values"])
    .then((values) => followFields(node, () => void note.text(lastValues(node, values))))
    // What is shown here is only a help.
    .catch(() => undefined);
}

/** "Last value 90.2: between the limits"; with the subject of each if there are several. */
function lastValues(node: EditorNode, values: readonly LastValue[]): string {
  const limit = (property: string): number => decimalOf(fieldOf(node, property).val()) ?? Number.NaN;
  const limits = { high: limit("high"), low: limit("low") };
  const shown = values.slice(0, MAX_SHOWN).map(({ subject, value }) => {
    const text = ownText(node, `last.${edgeOf(value, limits) ?? "between"}`, { value: shownValue(value) });
    return values.length > 1 ? `${subject}: ${text}` : text;
  });
  return [...shown, ...(values.length > MAX_SHOWN ? ["…"] : [])].join(" · ");
}

/** Reads when the fold is opened, and follows the fields. */
function preparePreview(node: EditorNode, lists: AccountLists): void {
  const fold = formOf(node).find("details[data-fold='preview']");
  const [chart, note] = [fold.find(".energy-chart"), fold.find(".energy-note").first()];
  let latest = 0;
  const update = (): void => {
    if (!fold.prop("open")) return;
    const request = (latest += 1);
    void previewOf(node, lists)
      .catch((error: unknown) => ({ text: reasonOf(error), svg: "" }))
      .then(({ text, svg }) => {
        // A later request may have been answered first.
        if (request !== latest) return;
        note.text(text);
        chart.html(svg).attr("aria-label", text);
      });
  };
  fold.on("toggle", update);
  formOf(node).on("change", update);
}

async function previewOf(node: EditorNode, lists: AccountLists): Promise<{ text: string; svg: string }> {
  const path = recordPath(currentText(node, "property"), pathOf(readerOf(node)));
  const system = path === "" ? undefined : await systemOf(node, lists);
  if (!system) return { text: node._("preview.noSource"), svg: "" };
  const day = await lists.day(...system, path);
  const rule = ruleOf(node);
  const known = day.values.flatMap(([at, value]) => (value === null ? [] : [{ at, value }]));
  if (!rule || known.length === 0) return { text: node._(rule ? "preview.none" : "preview.limits"), svg: "" };
  const switches = switchesOf(known, rule, path);
  const times = switches.map(({ at, edge }) =>
    ownText(node, `preview.${edge}`, { time: timeText(at, day.zone) }),
  );
  const { name: site = system[0] } = (await lists.site(system[0])) ?? {};
  const text = ownText(node, "preview.switches", { site, times: times.join(", ") || "–" });
  return { text, svg: chartOf(day, known, switches, rule) };
}

/** Undefined while a limit is missing. */
function ruleOf(node: EditorNode): ThresholdRule | undefined {
  const number = (property: string): number | undefined =>
    decimalOf(currentText(node, property)) ?? undefined;
  const [high, low, hold = 0] = [number("high"), number("low"), number("hold")];
  if (high === undefined || low === undefined || low >= high) return undefined;
  return { high, low, hold: hold * MINUTE, maxAge: 0, repeat: 0, min: number("min"), max: number("max") };
}

/** When the node would have sent on output 1 or 2. */
export function switchesOf(values: readonly Point[], rule: ThresholdRule, path: string): Switch[] {
  const momentAt = (now: number) => ({ now, monotonic: now, isSure: true, knownSince: 0, jumpedAt: 0 });
  let state: ThresholdState = { arrival: momentAt(0) };
  return values.flatMap(({ at, value }) => {
    const reason = isPlausible(path, value) ? undefined : "implausible";
    const step = stepByReading(state, { value, end: at, reason }, momentAt(at), rule);
    state = step.state;
    return step.decision?.edge ? [{ at, value, edge: step.decision.edge }] : [];
  });
}

function timeText(at: number, timeZone: string): string {
  return new Date(at).toLocaleTimeString(RED.i18n.lang(), { hour: "2-digit", minute: "2-digit", timeZone });
}

/** Numbers only: nothing in it was written by anyone. */
function chartOf(
  { start, end }: DayAnswer,
  values: readonly Point[],
  switches: readonly Switch[],
  { high, low }: ThresholdRule,
): string {
  const all = [...values.map(({ value }) => value), high, low];
  const [top, bottom] = [Math.max(...all), Math.min(...all)];
  const x = (at: number): string => (((at - start) / (end - start)) * WIDTH).toFixed(1);
  const y = (value: number): string =>
    (MARGIN + ((top - value) / (top - bottom)) * (HEIGHT - 2 * MARGIN)).toFixed(1);
  const points = values.map(({ at, value }) => `${x(at)},${y(value)}`).join(" ");
  const limits = [high, low].map((limit) => `<line x1="0" x2="${WIDTH}" y1="${y(limit)}" y2="${y(limit)}"/>`);
  const marks = switches.map(
    ({ at, value, edge }) =>
      `<circle class="energy-chart-${edge}" cx="${x(at)}" cy="${y(value)}" r="${MARGIN}"/>`,
  );
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}">${limits.join("")}<polyline points="${points}"/>${marks.join("")}</svg>`;
}
