// Shows validation errors below their fields, in an open fold, where the editor would show a tooltip: a tooltip is invisible for a typed
// input and unknown to screen readers.
import { isNew } from "../new-nodes";
import { describeBy, fieldOf, rowOf } from "./fields";

/** The key under which the editor stores a field's tooltip. */
const TOOLTIP = "tooltip";
const PENDING = "energy-pending";
/** An error that appears during a click would move what is clicked away from the mouse. */
const CLICK = 250;

/** Call this before any typed input is made: that makes the editor validate. In a new node, no error shows before its field was left. */
export function showErrors(node: EditorNode): void {
  const isPending = isNew(node);
  for (const field of fieldsOf(node)) {
    const error = new FieldError(field, isPending);
    const row = rowOf(field);
    // The focus may move on to a button of the field. A window that loses the focus keeps its active element.
    const left = ({ relatedTarget }: JQuery.FocusOutEvent): void => {
      const next = (relatedTarget ?? document.activeElement) as Element;
      if (row.has(next).length === 0) setTimeout(() => error.reveal(), CLICK);
    };
    if (isPending) row.on("focusout", left);
  }
}

/** Shows all errors, also of fields that the user has not left yet, and focuses the first. Returns whether there are any. */
export function revealErrors(node: EditorNode): boolean {
  const errors = fieldsOf(node).map((field) => field.data(TOOLTIP) as FieldError);
  const [first] = errors.filter((error) => error.reveal());
  first?.input.trigger("focus");
  return first !== undefined;
}

/**
 * Shows what is missing in a new config node when Add is first pressed. The editor would close the dialog and add it as it is,
 * which the second press does: Node-RED permits that.
 */
export function revealErrorsOnAdd(node: EditorNode): void {
  if (!isNew(node)) return;
  const [add] = fieldOf(node, "name").closest(".red-ui-tray").find("[id$='-dialog-ok']");
  let isWarned = false;
  const warn = (event: Event): void => {
    if (isWarned || !revealErrors(node)) return;
    isWarned = true;
    // The editor listens to the same button.
    event.stopImmediatePropagation();
  };
  add?.addEventListener("click", warn, { capture: true });
}

function fieldsOf(node: EditorNode): JQuery[] {
  const { defaults, credentials } = node._def;
  return Object.keys({ ...defaults, ...credentials })
    .map((property) => fieldOf(node, property))
    .filter((field) => field.length > 0);
}

/**
 * The line below one field, in place of the editor's tooltip: the editor validates a field whenever any field of the dialog
 * changes, sets the text when that fails, and deletes the tooltip when it passes.
 */
class FieldError {
  readonly #field: JQuery;
  readonly #line: JQuery;
  #isPending: boolean;
  #text = "";

  constructor(field: JQuery, isPending: boolean) {
    this.#field = field;
    this.#isPending = isPending;
    const id = `${String(field.attr("id"))}-error`;
    this.#line = $("<div>", { class: "energy-error", id, "aria-live": "polite" });
    this.#line.hide().appendTo(rowOf(field));
    describeBy(field, id);
    field.toggleClass(PENDING, isPending).data(TOOLTIP, this);
  }

  /** What takes the focus. */
  get input(): JQuery {
    const typed = this.#field.next(".red-ui-typedInput-container").find(".red-ui-typedInput-input");
    return typed.length > 0 ? typed : this.#field;
  }

  setContent(text: string): void {
    this.#text = text;
    const shown = this.#isPending ? "" : text;
    this.#line.text(shown).toggle(shown !== "");
    this.input.attr("aria-invalid", shown === "" ? null : "true");
    if (shown !== "") this.#field.closest("details").prop("open", true);
  }

  delete(): void {
    this.setContent("");
    // The editor has just removed it, and would create a tooltip of its own.
    this.#field.data(TOOLTIP, this);
  }

  /** Returns whether there is an error. */
  reveal(): boolean {
    this.#isPending = false;
    this.#field.removeClass(PENDING);
    this.setContent(this.#text);
    return this.#text !== "";
  }
}
