// The list of choices below a field: what is shown, where, and which row is marked.
import type { Choice } from "./choice-labels";

const MAX_HEIGHT = 330;
const MIN_WIDTH = 280;
/** Between the list and the edge of the window. */
const GAP = 8;

export class ChoicePanel {
  readonly #input: JQuery;
  readonly #id: string;
  readonly #choose: (value: string) => void;
  #panel = $();

  /** @param id unique in the page */
  constructor(input: JQuery, id: string, choose: (value: string) => void) {
    this.#input = input;
    this.#id = id;
    this.#choose = choose;
  }

  get isOpen(): boolean {
    return this.#panel.length > 0;
  }

  /** @param note a line below the choices */
  show(choices: readonly Choice[], note = ""): void {
    if (!this.isOpen) this.#attach();
    const list = $("<div>", {
      id: this.#id,
      role: "listbox",
      "aria-label": this.#input.attr("aria-label") ?? "",
    });
    list.append(choices.map((choice, index) => this.#row(choice, index))).toggle(choices.length > 0);
    this.#panel.empty().append(list);
    if (note) $("<div>", { class: "energy-list-note", role: "status" }).text(note).appendTo(this.#panel);
    this.#place();
  }

  /** @param index -1 marks none */
  mark(index: number): void {
    const rows = this.#panel.find("[role=option]").attr("aria-selected", "false");
    const row = index < 0 ? $() : rows.eq(index).attr("aria-selected", "true");
    row[0]?.scrollIntoView({ block: "nearest" });
    this.#input.attr("aria-activedescendant", row.attr("id") ?? null);
  }

  readonly close = (): void => {
    document.removeEventListener("scroll", this.#place, true);
    RED.events.off("editor:close", this.close);
    this.#panel.remove();
    this.#panel = $();
    this.#input.attr({ "aria-expanded": "false", "aria-activedescendant": null, "aria-controls": null });
  };

  #attach(): void {
    const look = "energy-list red-ui-editor-dialog red-ui-popover-panel red-ui-autoComplete-container";
    this.#panel = $("<div>", { class: look }).appendTo(document.body);
    // Keeps the focus in the field.
    this.#panel.on("mousedown", (event) => event.preventDefault());
    document.addEventListener("scroll", this.#place, true);
    // The shortcut for Done closes the dialog without leaving the field.
    RED.events.on("editor:close", this.close);
    this.#input.attr({ "aria-expanded": "true", "aria-controls": this.#id });
  }

  #row({ value, text, now, detail }: Choice, index: number): JQuery {
    const row = $("<div>", {
      id: `${this.#id}-${index}`,
      role: "option",
      "aria-selected": "false",
      title: value,
    });
    for (const [name, part] of Object.entries({ text, now, detail }))
      if (part)
        $("<span>", { class: `energy-list-${name}` })
          .text(part)
          .appendTo(row);
    return row.on("click", () => this.#choose(value));
  }

  /** Below the field, or above it if there is more room. */
  readonly #place = (): void => {
    const field = this.#input.closest(".red-ui-typedInput-container")[0]?.getBoundingClientRect();
    if (!field) return;
    const below = window.innerHeight - field.bottom - GAP;
    const isAbove = below < MAX_HEIGHT && field.top > below;
    const width = Math.max(field.width, MIN_WIDTH);
    this.#panel.css({
      left: Math.max(0, Math.min(field.left, window.innerWidth - width - GAP)),
      width,
      maxHeight: Math.min(MAX_HEIGHT, isAbove ? field.top - GAP : below),
      top: isAbove ? "auto" : field.bottom,
      bottom: isAbove ? window.innerHeight - field.top : "auto",
    });
  };
}
