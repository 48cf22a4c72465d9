// Says beside the maximum age of a dialog when it is so short that values become stale although every read succeeds.
import { sharedText } from "../texts";
import { currentText, fieldOf, formOf } from "./fields";

/** Minutes: a record usually takes this long, and an automatic maximum age is at least that. */
const RECORD = 5;
const LEAST = 15;

/** The shortest maximum age, in minutes, for a node that reads so often: the automatic one would hardly be shorter. */
export function shortestMaxAge(repeat: number): number {
  return Math.max(LEAST, RECORD + 2 * repeat);
}

/** Keeps the note up to date. Does nothing if the dialog has no such field. */
export function warnOfShortMaxAge(node: EditorNode): void {
  const note = formOf(node).find(".energy-short-max-age");
  const update = (): void => {
    const [age, repeat] = [currentText(node, "maxAge"), currentText(node, "repeat")];
    // Where nothing is read, the field means something else.
    const minutes = shortestMaxAge(fieldOf(node, "account").length > 0 ? Number(repeat) : 0);
    const isShort = Number(age) > 0 && Number(age) < minutes;
    note.text(isShort ? sharedText("hint.shortMaxAge", { minutes }) : "").toggle(isShort);
  };
  if (note.length === 0) return;
  formOf(node).on("change input", update);
  update();
}
