// Diagnostics in the dialogs of accounts and nodes: fetches the report about what is deployed, and shows it to be copied.
import { adminRequest, reasonOf } from "./admin-request";
import { addRow, linkButton } from "./dialog/fields";
import { notify, sharedText } from "./texts";

/** `bugs` of package.json. */
const ISSUES = "https://github.com/energy-sites/node-red/issues";
/** Leaves a part of the dialog below visible. */
const WIDTH = 720;

/** Adds a link to the dialog. */
export function addDiagnostics(node: EditorNode): void {
  const deployed = RED.nodes.node(node.id);
  // There is nothing to report about a node that is not part of the flow yet.
  if (!deployed) return;
  const needsReason = deployed.status?.fill === "red" || deployed.status?.fill === "yellow";
  const button = linkButton(sharedText(needsReason ? "diagnostics.why" : "diagnostics.button"));
  const problem = $("<span>", { class: "energy-hint", role: "status" });
  addRow(node).addClass("energy-diagnostics").append(button, problem);

  button.on("click", () => {
    problem.text("");
    button.prop("disabled", true);
    reportOn(node)
      .catch((error: unknown) => problem.text(reasonOf(error)))
      .finally(() => button.prop("disabled", false));
  });
}

/** Shows the report on an account or a node. Rejects with NoAnswer. */
export async function reportOn({ id, _def: { category } }: EditorNode): Promise<void> {
  const kind = category === "config" ? "accounts" : "nodes";
  const { text } = await adminRequest<{ text: string }>([kind, id, "diagnostics"]);
  showReport(text);
}

/** A panel beside the dialog: a text to select or copy, and where to paste it. */
function showReport(text: string): void {
  const area = $("<textarea>")
    .addClass("energy-report")
    .prop("readonly", true)
    .attr({ "aria-label": sharedText("diagnostics.label"), spellcheck: "false" })
    .val(text)
    // The browser would scroll to the cursor at the end.
    .prop({ selectionStart: 0, selectionEnd: 0 });
  const issues = $("<a>")
    .attr({ href: `${ISSUES}/new/choose`, target: "_blank", rel: "noopener" })
    .text(sharedText("diagnostics.issue"));
  const note = $("<p>").append(document.createTextNode(`${sharedText("diagnostics.note")} `), issues);
  const content = $("<div>").addClass("energy-diagnostics-tray").append(note, area);
  RED.tray.show({
    title: sharedText("diagnostics.title"),
    width: WIDTH,
    buttons: [
      {
        id: "energy-diagnostics-close",
        text: sharedText("diagnostics.close"),
        click: () => RED.tray.close(),
      },
      {
        id: "energy-diagnostics-copy",
        class: "primary",
        text: sharedText("diagnostics.copy"),
        click: () => copy(text, area),
      },
    ],
    focusElement: area,
    open: (tray) => void tray.find(".red-ui-tray-body").append(content),
  });
}

/** If this fails, the text is selected, so that the user can copy it. */
function copy(text: string, area: JQuery): void {
  if (RED.clipboard.copyText(text)) return notify("success", sharedText("diagnostics.copied"));
  area.trigger("focus").trigger("select");
  notify("warning", sharedText("diagnostics.notCopied"));
}
