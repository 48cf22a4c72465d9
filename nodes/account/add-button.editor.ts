// Shows what is missing in a new account when it is added. The editor would close the dialog and add it as it is.
import { revealErrors, saveButton } from "../shared/editor/dialog/field-errors";
import { inputOf } from "../shared/editor/dialog/controls";
import { isNew } from "../shared/editor/dialog/new-nodes";

/** The first press of Add shows the errors, if there are any. The second adds the account, which Node-RED permits. */
export function prepareAdd(node: EditorNode): void {
  if (!isNew(node)) return;
  let isWarned = false;
  const warn = (event: Event): void => {
    const [first] = isWarned ? [] : revealErrors(node);
    if (!first) return;
    isWarned = true;
    // The editor listens to the same button.
    event.stopImmediatePropagation();
    inputOf(first).trigger("focus");
  };
  saveButton(node)
    .toArray()
    .forEach((button) => button.addEventListener("click", warn, { capture: true }));
}
