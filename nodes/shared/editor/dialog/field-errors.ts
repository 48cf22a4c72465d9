// Shows validation errors below their fields, where the editor would show a tooltip: a tooltip is invisible for a typed
// input and unknown to screen readers.
import { controlOf, inputOf, rowOf } from "./controls";
import { fieldOf } from "./fields";
import { isNew, markSaved } from "./new-nodes";

/** The key under which the editor stores a field's tooltip. */
const TOOLTIP = "tooltip";
const ERROR = "energySitesError";
/** Marks a field whose error is not shown yet. */
const PENDING = "energy-pending";

/** How the editor uses a tooltip: it sets the text when validation fails, and deletes the tooltip when it passes. */
interface Tooltip {
  setContent(text: string): void;
  delete(): void;
}

/** Call this before the editor first validates, which it does after oneditprepare. */
export function showErrors(node: EditorNode): void {
  const isPending = isNew(node);
  for (const field of fieldsOf(node)) {
    const error = new FieldError(field, isPending);
    field.data(ERROR, error);
    if (isPending) whenLeft(field, () => error.reveal());
  }
  saveButton(node).on("click", () => markSaved(node));
}

/** Shows all errors, also of fields that the user has not left yet. Returns the invalid fields. */
export function revealErrors(node: EditorNode): JQuery[] {
  return fieldsOf(node).filter((field) => {
    const error = field.data(ERROR) as FieldError | undefined;
    error?.reveal();
    return error?.isInvalid === true;
  });
}

/** The Done, Add or Update button of the open dialog. */
export function saveButton(node: EditorNode): JQuery {
  return fieldOf(node, "name").closest(".red-ui-tray").find("[id$='-dialog-ok']");
}

function fieldsOf(node: EditorNode): JQuery[] {
  const { defaults, credentials } = node._def;
  return Object.keys({ ...defaults, ...credentials })
    .map((property) => fieldOf(node, property))
    .filter((field) => field.length > 0);
}

/** The line below one field. The editor validates a field whenever any field of the dialog changes. */
class FieldError implements Tooltip {
  readonly #field: JQuery;
  readonly #line: JQuery;
  #isPending: boolean;
  #text: string | undefined;

  constructor(field: JQuery, isPending: boolean) {
    this.#field = field;
    this.#isPending = isPending;
    this.#line = $("<div>", { class: "energy-error", id: `${String(field.attr("id"))}-error` });
    this.#line.attr("aria-live", "polite").hide().appendTo(rowOf(field));
    field.toggleClass(PENDING, isPending).data(TOOLTIP, this);
  }

  get isInvalid(): boolean {
    return this.#text !== undefined;
  }

  setContent(text: string): void {
    this.#text = text;
    this.#update();
  }

  delete(): void {
    this.#text = undefined;
    this.#update();
    // The editor has just removed it, and would create a tooltip of its own.
    this.#field.data(TOOLTIP, this);
  }

  reveal(): void {
    this.#isPending = false;
    this.#field.removeClass(PENDING);
    this.#update();
  }

  #update(): void {
    const text = this.#isPending ? undefined : this.#text;
    this.#line.text(text ?? "").toggle(text !== undefined);
    const input = inputOf(this.#field);
    const id = String(this.#line.attr("id"));
    const others = (input.attr("aria-describedby") ?? "")
      .split(" ")
      .filter((one) => one !== "" && one !== id);
    const describedBy = text === undefined ? others : [...others, id];
    input.attr("aria-invalid", text === undefined ? null : "true");
    input.attr("aria-describedby", describedBy.join(" ") || null);
  }
}

/** Calls back when the focus leaves the field and its buttons. A window that loses the focus keeps its active element. */
function whenLeft(field: JQuery, left: () => void): void {
  rowOf(field).on("focusout", (event) => {
    const [control] = controlOf(field).toArray();
    const next = event.relatedTarget ?? document.activeElement;
    const isElsewhere = !control?.contains(next as Node | null);
    if (control?.contains(event.target) && isElsewhere) left();
  });
}
