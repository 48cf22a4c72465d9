// The test button of the account dialog: calls the service with what is typed, before anything is deployed.
import type { TestAnswer } from "../../src/choices/choices";
import { inputOf } from "../shared/editor/controls";
import { faultTextOf } from "../shared/editor/fault-text";
import { revealErrors } from "../shared/editor/field-errors";
import { currentValue } from "../shared/editor/fields";
import { sharedText } from "../shared/editor/texts";
import { accountDraft } from "./draft.editor";
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
  let running: JQuery.jqXHR | undefined;
  const stop = (): void => {
    running?.abort();
    running = undefined;
    show([]);
  };

  $(BUTTON).on("click", () => {
    stop();
    const [first] = revealErrors(node);
    if (first) {
      show([{ kind: "failed", text: sharedText("test.incomplete") }]);
      inputOf(first).trigger("focus");
      return;
    }
    show([{ kind: "running", text: sharedText("test.running") }]);
    const isDemo = currentValue(node, "service") === "demo";
    const request = send(node);
    running = request;
    request.then(
      (answer: TestAnswer) => show(resultLines(answer, isDemo)),
      (failed: JQuery.jqXHR) => {
        if (running === request) show([{ kind: "failed", text: failureText(failed) }]);
      },
    );
  });
  // A result is about what was typed when it was found.
  $(BUTTON).closest("form").on("input change", stop);
  $(BUTTON).on("remove", stop);
}

function send(node: EditorNode): JQuery.jqXHR {
  return $.ajax({
    url: `energy-sites/accounts/${encodeURIComponent(String(node["id"]))}/test`,
    method: "POST",
    contentType: "application/json",
    data: JSON.stringify({ account: accountDraft(node) }),
    dataType: "json",
  });
}

function failureText({ status, responseJSON }: JQuery.jqXHR): string {
  const fault = faultTextOf(responseJSON);
  if (fault !== undefined) return fault;
  if (status === 0) return sharedText("test.noAnswer");
  return status === 401 || status === 403
    ? sharedText("test.forbidden")
    : sharedText("test.refused", { status });
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
