// The test button of the account's dialog: calls the service with what is typed, before anything is deployed.
import type { TestAnswer } from "../../src/choices/choices";
import { correctionText } from "../../src/time-units";
import { adminRequest, reasonOf } from "../shared/editor/admin-request";
import { revealErrors } from "../shared/editor/dialog/field-errors";
import { currentValue } from "../shared/editor/dialog/fields";
import { accountDraft } from "../shared/editor/pickers/account-lists";
import { faultText, sharedText } from "../shared/editor/texts";

const BUTTON = "#energy-test";
const RESULT = "#energy-test-result";
const ICONS = {
  running: "fa-spinner fa-pulse",
  passed: "fa-check-circle",
  warning: "fa-exclamation-triangle",
  failed: "fa-times-circle",
} as const;

interface ResultLine {
  kind: keyof typeof ICONS;
  text: string;
}

export function prepareTest(node: EditorNode): void {
  let running = new AbortController();
  const stop = (): void => {
    running.abort();
    show([]);
  };
  $(BUTTON).on("click", () => {
    stop();
    if (revealErrors(node)) return show([{ kind: "failed", text: sharedText("test.incomplete") }]);
    running = new AbortController();
    void test(node, running.signal);
  });
  // A result is about what was typed when it was found.
  $(BUTTON).closest("form").on("input change", stop);
  $(BUTTON).on("remove", stop);
}

async function test(node: EditorNode, signal: AbortSignal): Promise<void> {
  show([{ kind: "running", text: sharedText("test.running") }]);
  const isDemo = currentValue(node, "service") === "demo";
  const lines = await adminRequest<TestAnswer>(["accounts", node.id, "test"], {
    body: { account: accountDraft(node) },
    signal,
  }).then(
    (answer) => resultLines(answer, isDemo),
    (error: unknown): ResultLine[] => [{ kind: "failed", text: reasonOf(error) }],
  );
  if (!signal.aborted) show(lines);
}

/** One line for what was found, and one for each thing to do about it. */
export function resultLines(answer: TestAnswer, isDemo: boolean): ResultLine[] {
  const { needPc1, clock } = answer;
  if (isDemo) return [{ kind: "passed", text: sharedText("test.demo", countOf(answer)) }];
  const lines = [sitesLine(answer)];
  if (needPc1 > 0) lines.push({ kind: "warning", text: sharedText("test.choosePc1") });
  if (clock !== undefined) lines.push({ kind: "warning", text: faultText(correctionText(clock)) });
  return lines;
}

function countOf({ sites, names }: TestAnswer): { count: number; names: string } {
  return { count: sites, names: [...names, ...(sites > names.length ? ["…"] : [])].join(", ") };
}

function sitesLine(answer: TestAnswer): ResultLine {
  const { sites, needPc1 } = answer;
  if (sites === 0) return { kind: "warning", text: sharedText("test.noSites") };
  if (needPc1 === 0) return { kind: "passed", text: sharedText("test.connected", countOf(answer)) };
  const text =
    sites === 1 ? sharedText("test.onlySitePc1") : sharedText("test.connectedPc1", { sites, count: needPc1 });
  return { kind: "passed", text };
}

function show(lines: ResultLine[]): void {
  const shown = lines.map(({ kind, text }) =>
    $("<div>", { class: `energy-result energy-result-${kind}` }).append(
      $("<i>", { class: `fa ${ICONS[kind]}`, "aria-hidden": "true" }),
      $("<span>").text(text),
    ),
  );
  $(RESULT).empty().append(shown);
}
