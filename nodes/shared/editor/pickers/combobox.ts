// Gives a text field a list of choices: the pattern "editable combobox with list autocomplete" of the ARIA authoring practices.
import { sharedText } from "../texts";

/** Says that the list is loading if that takes longer. */
const SLOW = 300;
/** About as many as are in view. */
const ROWS = 10;

/** A row of the list: what is stored, what it is called, what it is now, and quieter details below. */
export interface Choice {
  value: string;
  text: string;
  now?: string;
  detail?: string;
}

export interface ChoiceList {
  choices: readonly Choice[];
  note?: string;
  /** Milliseconds after which the list is loaded again while it is open. */
  again?: number;
}

/** What a list offers. Undefined shows nothing. `from`: the first row in view, in tens. */
export type Search = (typed: string, signal: AbortSignal, from: number) => Promise<ChoiceList | undefined>;

/** The field still takes any text: Tab and Escape leave it as typed. */
export class Combobox {
  readonly #input: JQuery;
  readonly #id: string;
  readonly #search: Search;
  readonly #onChoose: (value: string) => void;
  /** Empty while the list is closed. */
  #panel = $();
  #choices: readonly Choice[] = [];
  #active = -1;
  /** What was typed since the list was opened; "" shows all choices, whatever the field holds. */
  #typed = "";
  #from = 0;
  #loading = new AbortController();

  constructor(input: JQuery, id: string, search: Search, onChoose: (value: string) => void) {
    this.#input = input;
    this.#id = id;
    this.#search = search;
    this.#onChoose = onChoose;
  }

  listen(): void {
    const input = this.#input;
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
    input.on("input", () => this.#open(String(input.val()).trim()));
    input.on("keydown", (event) => this.#onKey(event));
    input.on("blur remove", this.#close);
  }

  get #isOpen(): boolean {
    return this.#panel.length > 0;
  }

  #open(typed: string): void {
    if (this.#isOpen && typed === this.#typed) return;
    this.#typed = typed;
    this.#from = 0;
    // Enter takes nothing from the list for an earlier text.
    this.#choices = [];
    void this.#load();
  }

  /** What is now in view may have more to show. */
  readonly #onScroll = (): void => {
    const top = this.#panel.scrollTop() ?? 0;
    const rows = this.#panel.find("[role=option]").toArray();
    const first = rows.findIndex((row) => row.offsetTop + row.offsetHeight > top);
    const from = Math.max(0, first - (first % ROWS));
    if (from === this.#from) return;
    this.#from = from;
    void this.#load();
  };

  readonly #close = (): void => {
    this.#loading.abort();
    this.#panel.remove();
    this.#panel = $();
    this.#choices = [];
    this.#active = -1;
    this.#input.attr({ "aria-expanded": "false", "aria-activedescendant": null, "aria-controls": null });
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
    const list = await this.#search(this.#typed, signal, this.#from).catch(() => undefined);
    clearTimeout(slow);
    if (signal.aborted) return;
    if (!list || (list.choices.length === 0 && !list.note)) return this.#close();
    this.#show(list);
    if (list.again) setTimeout(() => signal.aborted || void this.#load(), list.again);
  }

  /** Keeps the marked row when the list is loaded again, and marks the choice that is already in the field. */
  #show({ choices, note }: ChoiceList): void {
    const chosen = this.#choices[this.#active]?.value ?? this.#input.val();
    this.#choices = choices;
    if (!this.#isOpen) this.#attach();
    const label = this.#input.attr("aria-label") ?? "";
    const list = $("<div>", { id: this.#id, role: "listbox", "aria-label": label });
    list.append(choices.map((choice, index) => this.#row(choice, index))).toggle(choices.length > 0);
    const top = this.#panel.scrollTop() ?? 0;
    this.#panel.empty().append(list);
    if (note) $("<div>", { class: "energy-list-note", role: "status" }).text(note).appendTo(this.#panel);
    this.#panel[0]?.scrollIntoView({ block: "nearest" });
    this.#mark(choices.findIndex(({ value }) => value === chosen));
    if (this.#from > 0) this.#panel.scrollTop(top);
  }

  /** Below the field, over what follows it. */
  #attach(): void {
    const field = this.#input.closest(".red-ui-typedInput-container");
    const { left, top } = field.position();
    this.#panel = $("<div>", {
      class: "energy-list red-ui-popover-panel red-ui-autoComplete-container",
    }).insertAfter(field);
    this.#panel.css({ left, top: top + (field.outerHeight() ?? 0), width: field.outerWidth() ?? 0 });
    // Keeps the focus in the field.
    this.#panel.on("mousedown", (event) => event.preventDefault());
    this.#panel.on("scroll", this.#onScroll);
    this.#input.attr({ "aria-expanded": "true", "aria-controls": this.#id });
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
    this.#input.attr("aria-activedescendant", row.attr("id") ?? null);
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
    this.#onChoose(value);
  }
}
