// Diagnostics in the dialogs of accounts and nodes: fetches the report about what is deployed, and shows it to be copied.
import { adminRequest, NoAnswer } from "../admin-request";
import { formOf } from "../dialog/fields";
import { sharedText } from "../texts";
import { showReport } from "./diagnostics-tray";

/** Adds a button to the dialog of an account, or a link to that of a node. */
export function addDiagnostics(node: EditorNode): void {
  const isAccount = node._def.category === "config";
  const id = String(node["id"]);
  const deployed = RED.nodes.node(id);
  // There is nothing to report about a node that is not part of the flow yet.
  if (!deployed) return;
  const needsReason = deployed.status?.fill === "red" || deployed.status?.fill === "yellow";
  const button = $("<button>")
    .attr("type", "button")
    .addClass(isAccount ? "red-ui-button" : "energy-link")
    .text(sharedText(needsReason ? "diagnostics.why" : "diagnostics.button"));
  if (isAccount) button.prepend($("<i>").addClass("fa fa-stethoscope"), " ");
  const problem = $("<span>").addClass("energy-hint").attr("role", "status");
  const form = formOf(node);
  const row = isAccount
    ? form.find("[data-energy-diagnostics]")
    : $("<div>").appendTo(form.children().last());
  row.addClass("form-row energy-diagnostics").append(button, problem);

  button.on("click", () => {
    problem.text("");
    button.prop("disabled", true);
    adminRequest<{ text: string }>([isAccount ? "accounts" : "nodes", id, "diagnostics"])
      .then(({ text }) => showReport(text))
      .catch((error: unknown) => problem.text(reasonOf(error)))
      .finally(() => button.prop("disabled", false));
  });
}

function reasonOf(error: unknown): string {
  return (error instanceof NoAnswer && error.message) || sharedText("diagnostics.noAnswer");
}
