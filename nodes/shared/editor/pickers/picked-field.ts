// A field of a dialog that has a list: its text, its type, and the quiet line below it.
import { currentValue, fieldOf } from "../dialog/fields";
import { addCombobox, type ComboboxOptions } from "./combobox";

export class PickedField {
  readonly #node: EditorNode;
  readonly #property: string;
  readonly #field: JQuery;
  readonly #input: JQuery;
  readonly #line: JQuery;

  /** The typed input must exist. */
  constructor(node: EditorNode, property: string, options: ComboboxOptions) {
    this.#node = node;
    this.#property = property;
    this.#field = fieldOf(node, property);
    const container = this.#field.next(".red-ui-typedInput-container");
    this.#input = container.find(".red-ui-typedInput-input");
    const id = `energy-picked-${property}`;
    this.#line = $("<div>", { id, class: "energy-picked", "aria-live": "polite" }).hide();
    this.#line.insertAfter(container);
    this.#input.attr("aria-describedby", id);
    addCombobox(this.#input, property, {
      hasList: () => this.isText() && options.hasList(),
      search: (typed, signal) => options.search(typed, signal),
      choose: (value) => {
        this.set(value);
        options.choose(value);
      },
    });
    // What the line says is about the earlier text.
    this.#input.on("input", () => this.say(""));
  }

  /** Calls back when another value is chosen or a typed one is complete. */
  onChange(changed: () => void): void {
    this.#field.on("change", changed);
  }

  text(): string {
    return String(this.#field.val()).trim();
  }

  /** Whether the field holds a text, not a property of the message, a context or an expression. */
  isText(): boolean {
    const type = currentValue(this.#node, `${this.#property}Type`);
    return type === undefined || type === "" || type === "str";
  }

  isEmpty(): boolean {
    return this.isText() && this.text() === "";
  }

  /** The one id that the field names; undefined if it is empty, all, or known only to the runtime. */
  id(): string | undefined {
    const text = this.text();
    return this.isText() && text !== "" && !/^\*$|\$\{/.test(text) ? text : undefined;
  }

  /** Whether the node accepts `*` here. */
  acceptsAll(): boolean {
    const { validate } = this.#node._def.defaults[this.#property] ?? {};
    return validate?.call(this.#node, "*", {}) === true;
  }

  set(value: string): void {
    this.#field.typedInput("value", value);
  }

  /** Shows a line below the field; "" hides it. */
  say(text: string): void {
    this.#line.text(text).toggle(text !== "");
  }

  line(): string {
    return this.#line.text();
  }

  get input(): JQuery {
    return this.#input;
  }
}

/** The fields with a list, as far as the dialog has them. */
export interface PickedFields {
  site: PickedField;
  system: PickedField | undefined;
  value: PickedField | undefined;
}
