// Shows in the dialog of a threshold when it would have switched yesterday: a chart of the value with both limits.
import type { DayAnswer } from "../../src/choices/choices";
import { awaitingValue, type Edge, stepByReading, type ThresholdRule } from "../../src/decisions/threshold";
import { numberOf } from "../../src/settings/table";
import { MINUTE } from "../../src/time-units";
import { reasonOf } from "../shared/editor/admin-request";
import { currentText, formOf } from "../shared/editor/dialog/fields";
import { recordPath, sourceOf } from "./threshold-values.editor";

const [WIDTH, HEIGHT] = [360, 90];
/** Room for a line's width. */
const MARGIN = 4;

export interface Switch {
  at: number;
  edge: Edge;
}

/** Reads when the fold is opened, and follows the fields. */
export function preparePreview(node: EditorNode): void {
  const fold = formOf(node).find("details[data-fold='preview']");
  const [chart, note] = [fold.find(".energy-chart"), fold.find(".energy-note").first()];
  let shown = 0;
  const update = (): void => {
    if (!fold.prop("open")) return;
    shown += 1;
    const asked = shown;
    void previewOf(node)
      .catch((error: unknown) => ({ text: reasonOf(error), svg: "" }))
      .then(({ text, svg }) => {
        // What was asked for last may come first.
        if (asked !== shown) return;
        note.text(text);
        chart.html(svg).attr("aria-label", text);
      });
  };
  fold.on("toggle", update);
  formOf(node).on("change", update);
}

async function previewOf(node: EditorNode): Promise<{ text: string; svg: string }> {
  const path = recordPath(node);
  const source = path === "" ? undefined : await sourceOf(node);
  if (!source) return { text: node._("preview.noSource"), svg: "" };
  const day = await source.lists.day(source.siteId, source.systemId, path);
  const rule = ruleOf(node);
  const known = day.values.flatMap(([at, value]) => (value === null ? [] : [{ at, value }]));
  if (!rule || known.length === 0) return { text: node._(rule ? "preview.none" : "preview.limits"), svg: "" };
  const switches = switchesOf(known, rule);
  const times = switches.map(({ at, edge }) => node._(`preview.${edge}`, { time: timeText(at, day.zone) }));
  const text = node._("preview.switches", { site: source.siteId, times: times.join(", ") || "–" });
  return { text, svg: chartOf(day, known, switches, rule) };
}

/** Undefined while a limit is missing. */
function ruleOf(node: EditorNode): ThresholdRule | undefined {
  const number = (property: string): number | undefined => numberOf(currentText(node, property));
  const [high, low, hold = 0] = [number("high"), number("low"), number("hold")];
  if (high === undefined || low === undefined || low >= high) return undefined;
  return { high, low, hold: hold * MINUTE, maxAge: 0, repeat: 0, min: number("min"), max: number("max") };
}

/** When the node would have sent on output 1 or 2. */
export function switchesOf(values: readonly { at: number; value: number }[], rule: ThresholdRule): Switch[] {
  const momentAt = (now: number) => ({ now, monotonic: now, isSure: true, knownSince: 0 });
  let state = awaitingValue(momentAt(0), rule);
  return values.flatMap(({ at, value }) => {
    const step = stepByReading(state, { value, end: at }, momentAt(at), rule);
    state = step.state;
    return step.decision && "edge" in step.decision ? [{ at, edge: step.decision.edge }] : [];
  });
}

function timeText(at: number, timeZone: string): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", timeZone });
}

/** Numbers only: nothing in it was written by anyone. */
function chartOf(
  { start, end }: DayAnswer,
  values: readonly { at: number; value: number }[],
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
  const marks = switches.map(({ at, edge }) => {
    const { value = low } = values.find((one) => one.at === at) ?? {};
    return `<circle class="energy-chart-${edge}" cx="${x(at)}" cy="${y(value)}" r="${MARGIN}"/>`;
  });
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}">${limits.join("")}<polyline points="${points}"/>${marks.join("")}</svg>`;
}
