// Says beside the repeat field of a dialog when the node runs.
import { currentText, fieldOf } from "./fields";
import { runTimes } from "./run-times";
import { sharedText } from "../texts";

/** Keeps the line beside the repeat field up to date. Does nothing if the dialog has none. */
export function showRunTimes(node: EditorNode): void {
  const field = fieldOf(node, "repeat");
  const line = field.closest(".form-row").find(".energy-run-times");
  const update = (): void => {
    const text = currentText(node, "repeat");
    const [key, values] = runTimes(Number(text), -new Date().getTimezoneOffset()) ?? [];
    line.text(key === undefined ? "" : sharedText(key, values));
  };
  field.on("change input", update);
  update();
}
