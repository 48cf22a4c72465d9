// The button of a node on the canvas: it runs the deployed node now, as a message would.
import { adminRequest, NoAnswer } from "../admin-request";
import { sharedText } from "../texts";

/** @param canRun whether the node, as it is set, can run without a message */
export function runButton(canRun: (node: EditorNode) => boolean = () => true): EditorButton {
  return {
    enabled() {
      return !this["changed"];
    },
    visible() {
      return canRun(this);
    },
    onclick() {
      if (this["changed"]) warnOfChanges();
      else run(this);
    },
  };
}

/** Whether the node has a site of its own; system ids are optional. */
export function hasSite({ siteId, siteIdType = "str", systemIdType }: EditorNode): boolean {
  return Boolean(siteId) && siteIdType !== "msg" && systemIdType !== "msg";
}

function warnOfChanges(): void {
  const message = RED._("notification.warnings.undeployedChanges");
  RED.notify(RED._("notification.warning", { message }), "warning");
}

function run(node: EditorNode): void {
  const label = RED.utils.getNodeLabel(node);
  adminRequest(["nodes", String(node["id"]), "run"], { body: {} }).then(
    () => notify("success", sharedText("button.started", { label })),
    (error: unknown) => notify("error", sharedText("button.failed", { reason: reasonOf(error) })),
  );
}

function reasonOf(error: unknown): string {
  const { message, status } = error instanceof NoAnswer ? error : { message: "", status: 0 };
  return message || (status === 0 ? sharedText("button.noAnswer") : `HTTP ${status}`);
}

function notify(type: "success" | "error", text: string): void {
  RED.notify(escaped(text), { type, id: "energy-sites-run", timeout: type === "success" ? 2000 : 5000 });
}

/** A notification is HTML. */
function escaped(text: string): string {
  return $("<div>").text(text).html();
}
