// A field of a dialog that has a list: its text, its type, and the quiet line below it. The list follows the pattern "editable
// combobox with list autocomplete" of the ARIA authoring practices.
import { ALL } from "../../../../src/settings/rules";
import { currentValue, describeBy, fieldOf, oneId } from "../dialog/fields";
import { sharedText } from "../texts";
import type { Choice, ChoiceList } from "./choices";

/** Says that the list is loading if that takes longer. */
const SLOW = 300;
/** Between two looks whether a dialog has come to rest, and how many there are. */
const INTERVAL = 50;
const ATTEMPTS = 60;

export interface Picker {
  /** What the list offers; without choices or a note, it does not open. */
  list(typed: string, signal: AbortSignal): Promise<ChoiceList>;
  /** The line below the field; "" hides it. */
  line(): Promise<string>;
  onChoose?(): void;
}

/** Takes any text: Tab and Escape leave it as typed. A dialog may lack the field: it is then neither text nor empty, and shows nothing. */
export class PickedField {
  readonly #node: EditorNode;
  readonly #property: string;
  readonly #field: JQuery;
  readonly #line: JQuery;
  readonly #textType: string;
  readonly input: JQuery;
  readonly picker: Picker;
  /** Of the list. */
  readonly #id: string;
  /** Empty while the list is closed. */
  #panel = $();
  #choices: readonly Choice[] = [];
  #active = -1;
  /** What was typed since the list was opened; "" shows all choices, whatever the field holds. */
  #typed = "";
  #loading = new AbortController();

  /**
   * The typed input must exist.
   * @param textType the type of what the list offers
   */
  constructor(node: EditorNode, property: string, picker: Picker, textType = "str") {
    this.#node = node;
    this.#property = property;
    this.#textType = textType;
    this.picker = picker;
    this.#id = `energy-list-${property}`;
    this.#field = fieldOf(node, property);
    const container = this.#field.next(".red-ui-typedInput-container");
    const id = `energy-picked-${property}`;
    this.#line = $("<div>", { id, class: "energy-picked", "aria-live": "polite" }).hide();
    this.#line.insertAfter(container);
    const input = container.find(".red-ui-typedInput-input");
    this.input = input;
    describeBy(input, id);
    input.attr({
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      autocomplete: "off",
    });
    // A field that is filled in opens its list when it is clicked, not when the focus only passes through.
    input.on("focus", () => {
      if (input.val() === "") this.#open("");
    });
    input.on("click", () => this.#open(""));
    input.on("input", () => {
      // What the line says is about the earlier text.
      this.say("");
      this.#open(String(input.val()).trim());
    });
    input.on("keydown", (event) => this.#onKey(event));
    input.on("blur remove", this.#close);
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

  /** Undefined if the field names no id, or several. */
  id(): string | undefined {
    return this.isText() ? oneId(this.text()) : undefined;
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

  get #isOpen(): boolean {
    return this.#panel.length > 0;
  }

  #open(typed: string): void {
    if (this.#isOpen && typed === this.#typed) return;
    this.#typed = typed;
    // Enter takes nothing from the list for an earlier text.
    this.#choices = [];
    void this.#load();
  }

  readonly #close = (): void => {
    this.#loading.abort();
    this.#panel.remove();
    this.#panel = $();
    this.#choices = [];
    this.#active = -1;
    this.input.attr({ "aria-expanded": "false", "aria-activedescendant": null, "aria-controls": null });
  };

  #onKey(event: JQuery.KeyDownEvent): void {
    const { key, ctrlKey, metaKey } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      if (this.#isOpen) this.#step(key === "ArrowDown" ? 1 : -1);
      else this.#open("");
    } else if (key === "Escape" && this.#isOpen) {
      event.preventDefault();
      event.stopPropagation();
      this.#close();
    } else if (key === "Enter" && this.#isOpen && !ctrlKey && !metaKey) {
      event.preventDefault();
      this.#accept();
    }
  }

  /** An older search is aborted, and its answer discarded. */
  async #load(): Promise<void> {
    this.#loading.abort();
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    const slow = setTimeout(() => {
      if (!signal.aborted && !this.#isOpen) this.#show({ choices: [], note: sharedText("picker.loading") });
    }, SLOW);
    const none: ChoiceList = { choices: [] };
    const list = this.isText() ? await this.picker.list(this.#typed, signal).catch(() => none) : none;
    clearTimeout(slow);
    if (signal.aborted) return;
    if (list.choices.length === 0 && !list.note) return this.#close();
    this.#show(list);
    if (list.again) setTimeout(() => signal.aborted || void this.#load(), list.again);
  }

  /** Keeps the marked row and the place when the list is loaded again, and marks the choice that is already in the field. */
  #show({ choices, note }: ChoiceList): void {
    const isAgain = this.#choices.length > 0;
    // A click would lose its row.
    if (isAgain && JSON.stringify(choices) === JSON.stringify(this.#choices)) return;
    const chosen = this.#choices[this.#active]?.value ?? this.input.val();
    this.#choices = choices;
    if (!this.#isOpen) this.#attach();
    const label = this.input.attr("aria-label") ?? "";
    const list = $("<div>", { id: this.#id, role: "listbox", "aria-label": label });
    list.append(choices.map((choice, index) => this.#row(choice, index))).toggle(choices.length > 0);
    const top = this.#panel.scrollTop() ?? 0;
    this.#panel.empty().append(list);
    if (note) $("<div>", { class: "energy-list-note", role: "status" }).text(note).appendTo(this.#panel);
    this.#panel[0]?.scrollIntoView({ block: "nearest" });
    this.#mark(choices.findIndex(({ value }) => value === chosen));
    if (isAgain) this.#panel.scrollTop(top);
  }

  /** Below the field, over what follows it. */
  #attach(): void {
    const field = this.input.closest(".red-ui-typedInput-container");
    const { left, top } = field.position();
    this.#panel = $("<div>", {
      class: "energy-list red-ui-popover-panel red-ui-autoComplete-container",
    }).insertAfter(field);
    this.#panel.css({ left, top: top + (field.outerHeight() ?? 0), width: field.outerWidth() ?? 0 });
    // Keeps the focus in the field.
    this.#panel.on("mousedown", (event) => event.preventDefault());
    this.input.attr({ "aria-expanded": "true", "aria-controls": this.#id });
  }

  #row({ value, text, now, detail }: Choice, index: number): JQuery {
    const id = `${this.#id}-${index}`;
    const row = $("<div>", { id, role: "option", "aria-selected": "false", title: value });
    for (const [name, part] of Object.entries({ text, now, detail }))
      if (part) row.append($("<span>", { class: `energy-list-${name}` }).text(part));
    return row.on("click", () => this.#choose(value));
  }

  #mark(index: number): void {
    this.#active = index;
    const rows = this.#panel.find("[role=option]").attr("aria-selected", "false");
    const row = index < 0 ? $() : rows.eq(index).attr("aria-selected", "true");
    row[0]?.scrollIntoView({ block: "nearest" });
    this.input.attr("aria-activedescendant", row.attr("id") ?? null);
  }

  #step(step: 1 | -1): void {
    const count = this.#choices.length;
    const from = this.#active < 0 && step < 0 ? 0 : this.#active;
    if (count > 0) this.#mark((from + step + count) % count);
  }

  /** The marked choice, or else the first one for what was typed. */
  #accept(): void {
    const choice = this.#choices[this.#active] ?? (this.#typed === "" ? undefined : this.#choices[0]);
    if (choice) this.#choose(choice.value);
    else this.#close();
  }

  #choose(value: string): void {
    this.#close();
    this.set(value);
    this.picker.onChoose?.();
  }
}

function isOnTop(element: Element, { left, top, width, height }: DOMRect): boolean {
  return width > 0 && document.elementFromPoint(left + width / 2, top + height / 2) === element;
}
