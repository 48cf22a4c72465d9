// Diagnostics in the dialogs of accounts and nodes: fetches the report of what is deployed, and shows it for copying.
import { showReport } from "./diagnostics-tray";
import { faultTextOf } from "./fault-text";
import { sharedText } from "./texts";

/** Adds a button to the dialog of an account, and a link to that of a node that has one. */
export function addDiagnostics(node: EditorNode, form: JQuery): void {
  const isAccount = node._def.category === "config";
  if (!isAccount && !("account" in node._def.defaults)) return;
  const id = String(node["id"]);
  const deployed = RED.nodes.node(id);
  // A new account has nothing to tell.
  if (!deployed) return;
  const needsReason = deployed.status?.fill === "red" || deployed.status?.fill === "yellow";
  const button = $("<button>")
    .attr("type", "button")
    .addClass(isAccount ? "red-ui-button" : "energy-link")
    .text(sharedText(needsReason ? "diagnostics.why" : "diagnostics.button"));
  if (isAccount) button.prepend($("<i>").addClass("fa fa-stethoscope"), " ");
  const problem = $("<span>").addClass("energy-hint").attr("role", "status");
  const row = isAccount
    ? form.find("[data-energy-diagnostics]")
    : $("<div>").appendTo(form.children().last());
  row.addClass("form-row energy-diagnostics").append(button, problem);

  button.on("click", () => {
    problem.text("");
    button.prop("disabled", true);
    const url = `energy-sites/${isAccount ? "accounts" : "nodes"}/${encodeURIComponent(id)}/diagnostics`;
    const request = $.getJSON(url);
    request.then(
      ({ text }: { text: string }) => showReport(text),
      ({ responseJSON }: JQuery.jqXHR) =>
        problem.text(faultTextOf(responseJSON) ?? sharedText("diagnostics.noAnswer")),
    );
    request.always(() => button.prop("disabled", false));
  });
}
