// A field of a dialog that has a list: its text, its type, and the quiet line below it.
import { currentValue, describeBy, fieldOf } from "../dialog/fields";
import { Combobox, type Search } from "./combobox";

/** Between two looks whether a dialog has come to rest, and how many there are. */
const INTERVAL = 50;
const ATTEMPTS = 60;

/** The text for all sites, or all systems. */
export const ALL = "*";

export interface Picker {
  list: Search;
  /** The line below the field; "" hides it. */
  line(): Promise<string>;
  onChoose?(): void;
}

/** A dialog may lack the field: it is then neither text nor empty, and shows nothing. */
export class PickedField {
  readonly #node: EditorNode;
  readonly #property: string;
  readonly #field: JQuery;
  readonly #line: JQuery;
  readonly input: JQuery;
  readonly picker: Picker;
  readonly #textType: string;

  /**
   * The typed input must exist.
   * @param textType the type of what the list offers
   */
  constructor(node: EditorNode, property: string, picker: Picker, textType = "str") {
    this.#node = node;
    this.#property = property;
    this.#textType = textType;
    this.#field = fieldOf(node, property);
    this.picker = picker;
    const container = this.#field.next(".red-ui-typedInput-container");
    this.input = container.find(".red-ui-typedInput-input");
    const id = `energy-picked-${property}`;
    this.#line = $("<div>", { id, class: "energy-picked", "aria-live": "polite" }).hide();
    this.#line.insertAfter(container);
    describeBy(this.input, id);
    const search: Search = async (...asked) => (this.isText() ? picker.list(...asked) : undefined);
    const choose = (value: string): void => {
      this.set(value);
      picker.onChoose?.();
    };
    new Combobox(this.input, `energy-list-${property}`, search, choose).listen();
    // What the line says is about the earlier text.
    this.input.on("input", () => this.say(""));
  }

  exists(): boolean {
    return this.#field.length > 0;
  }

  /** Calls back when another value is chosen or a typed one is complete. */
  onChange(changed: () => void): void {
    this.#field.on("change", changed);
  }

  text(): string {
    return String(this.#field.val() ?? "").trim();
  }

  /** Whether the field holds what the list offers, mostly a text, not a context or an expression. */
  isText(): boolean {
    const type = currentValue(this.#node, `${this.#property}Type`) ?? "";
    return this.exists() && (type === "" || type === this.#textType);
  }

  isEmpty(): boolean {
    return this.isText() && this.text() === "";
  }

  isAll(): boolean {
    return this.isText() && this.text() === ALL;
  }

  /** The one id that the field names; undefined if it is empty, all, or known only to the runtime. */
  id(): string | undefined {
    const text = this.text();
    return this.isText() && text !== "" && !/^\*$|\$\{/.test(text) ? text : undefined;
  }

  acceptsAll(): boolean {
    const { validate } = this.#node._def.defaults[this.#property] ?? {};
    return validate?.call(this.#node, ALL, {}) === true;
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

  /**
   * Moves the focus here once the dialog has come to rest, unless the user has gone on to another text field in the meantime.
   * @param from the field that may lose the focus
   */
  focus(from?: PickedField, attempts = ATTEMPTS, before?: number): void {
    const element = this.input[0];
    const place = element?.getBoundingClientRect();
    if (!element || !place || attempts === 0) return;
    if (place.left !== before || !isOnTop(element, place)) {
      setTimeout(() => this.focus(from, attempts - 1, place.left), INTERVAL);
    } else if (
      from?.input.is(":focus") ||
      !$(document.activeElement ?? document.body).is("input, textarea")
    ) {
      element.focus();
    }
  }
}

function isOnTop(element: Element, { left, top, width, height }: DOMRect): boolean {
  return width > 0 && document.elementFromPoint(left + width / 2, top + height / 2) === element;
}
