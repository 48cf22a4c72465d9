// The test button of the account dialog: calls the service with what is typed, before anything is deployed.
import type { TestAnswer } from "../../src/choices/choices";
import { adminRequest, NoAnswer } from "../shared/editor/admin-request";
import { inputOf } from "../shared/editor/dialog/controls";
import { revealErrors } from "../shared/editor/dialog/field-errors";
import { currentValue } from "../shared/editor/dialog/fields";
import { sharedText } from "../shared/editor/texts";
import { accountDraft } from "./account-draft.editor";
import { type ResultLine, resultLines } from "./test-result.editor";

const BUTTON = "#energy-test";
const RESULT = "#energy-test-result";
const ICONS = {
  running: "fa-spinner fa-pulse",
  passed: "fa-check-circle",
  warning: "fa-exclamation-triangle",
  failed: "fa-times-circle",
} as const;

export function prepareTest(node: EditorNode): void {
  let running = new AbortController();
  const stop = (): void => {
    running.abort();
    show([]);
  };
  const test = (): void => {
    running = new AbortController();
    const { signal } = running;
    const showUnlessStopped = (lines: ResultLine[]): void => {
      if (!signal.aborted) show(lines);
    };
    const isDemo = currentValue(node, "service") === "demo";
    show([{ kind: "running", text: sharedText("test.running") }]);
    adminRequest<TestAnswer>(["accounts", String(node["id"]), "test"], {
      body: { account: accountDraft(node) },
      signal,
    }).then(
      (answer) => showUnlessStopped(resultLines(answer, isDemo)),
      (error: unknown) => showUnlessStopped([{ kind: "failed", text: failureText(error) }]),
    );
  };

  $(BUTTON).on("click", () => {
    stop();
    const [first] = revealErrors(node);
    if (!first) return test();
    show([{ kind: "failed", text: sharedText("test.incomplete") }]);
    inputOf(first).trigger("focus");
  });
  // A result is about what was typed when it was found.
  $(BUTTON).closest("form").on("input change", stop);
  $(BUTTON).on("remove", stop);
}

function failureText(error: unknown): string {
  if (!(error instanceof NoAnswer)) return sharedText("test.noAnswer");
  const { message, status, isForbidden } = error;
  if (message) return message;
  if (isForbidden) return sharedText("test.forbidden");
  return status === 0 ? sharedText("test.noAnswer") : sharedText("test.refused", { status });
}

function show(lines: ResultLine[]): void {
  const shown = lines.map(({ kind, text }) =>
    $("<div>", { class: `energy-result energy-result-${kind}` }).append(
      $("<i>", { class: `fa ${ICONS[kind]}`, "aria-hidden": "true" }),
      $("<span>").text(text),
    ),
  );
  $(RESULT)
    .empty()
    .append(...shown);
}
