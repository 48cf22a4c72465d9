// Shows a diagnostics report beside the dialog: a text to select or copy, and where to paste it.
import { sharedText } from "../texts";

/** `bugs` of package.json. */
const ISSUES = "https://github.com/energy-sites/node-red/issues";
/** Leaves a part of the dialog below visible. */
const WIDTH = 720;

export function showReport(text: string): void {
  const area = $("<textarea>")
    .addClass("energy-report")
    .prop("readonly", true)
    .attr({ "aria-label": sharedText("diagnostics.label"), spellcheck: "false", wrap: "off" })
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
        click: () => void copy(text, area),
      },
    ],
    focusElement: area,
    open: (tray) => void tray.find(".red-ui-tray-body").append(content),
  });
}

/** Browsers offer a clipboard on https and localhost only; elsewhere, the selection is copied as with Ctrl+C. */
async function copy(text: string, area: JQuery): Promise<void> {
  const isCopied = await write(text).catch(() => copySelection(area));
  RED.notify(sharedText(isCopied ? "diagnostics.copied" : "diagnostics.notCopied"), {
    type: isCopied ? "success" : "warning",
    id: "energy-diagnostics",
    timeout: 3000,
  });
}

async function write(text: string): Promise<true> {
  await navigator.clipboard.writeText(text);
  return true;
}

/** The text stays selected, so that a user can copy it if this fails. */
function copySelection(area: JQuery): boolean {
  area.trigger("focus").trigger("select");
  return document.execCommand("copy");
}
