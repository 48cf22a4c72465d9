// Gives a text field a list of choices. The field still takes any text: Tab and Escape leave it as typed.
import { sharedText } from "../texts";
import type { Choice } from "./choice-labels";
import { ChoicePanel } from "./choice-panel";

/** Says that the list is being read if that takes longer. */
const SLOW = 300;

export interface ChoiceList {
  choices: Choice[];
  /** A line below the choices. */
  note?: string;
  /** Milliseconds after which the list is read again while it is open. */
  again?: number;
}

export interface ComboboxOptions {
  /** Whether the field has a list at the moment. */
  hasList: () => boolean;
  /** Undefined shows nothing. */
  search: (typed: string, signal: AbortSignal) => Promise<ChoiceList | undefined>;
  choose: (value: string) => void;
}

/** Adds the list to a field. The id must be unique in the page. */
export function addCombobox(input: JQuery, id: string, options: ComboboxOptions): void {
  const combobox = new Combobox(input, id, options);
  input.attr({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    autocomplete: "off",
  });
  // A field that is filled in opens its list when it is clicked, not when the focus only passes through.
  input.on("focus", () => {
    if (input.val() === "") combobox.open();
  });
  input.on("click", () => combobox.open());
  input.on("input", () => combobox.open(String(input.val()).trim()));
  input.on("keydown", (event) => combobox.onKey(event));
  input.on("blur", () => combobox.close());
}

/** The pattern "editable combobox with list autocomplete" of the ARIA authoring practices. */
class Combobox {
  readonly #input: JQuery;
  readonly #options: ComboboxOptions;
  readonly #panel: ChoicePanel;
  #choices: Choice[] = [];
  #active = -1;
  /** What was typed since the list was opened; "" shows all choices, whatever the field holds. */
  #typed = "";
  #reading = new AbortController();

  constructor(input: JQuery, id: string, options: ComboboxOptions) {
    this.#input = input;
    this.#options = options;
    this.#panel = new ChoicePanel(input, `energy-list-${id}`, (value) => this.#choose(value));
  }

  /** @param typed shows the choices that match; "" shows all */
  open(typed = ""): void {
    const { isOpen } = this.#panel;
    if (!this.#options.hasList() || (isOpen && typed === this.#typed)) return;
    this.#typed = typed;
    this.#read();
  }

  close(): void {
    this.#reading.abort();
    this.#panel.close();
    this.#choices = [];
    this.#active = -1;
  }

  onKey(event: JQuery.KeyDownEvent): void {
    const { isOpen } = this.#panel;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (isOpen) this.#step(event.key === "ArrowDown" ? 1 : -1);
      else this.open();
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    } else if (event.key === "Enter" && isOpen && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.#accept();
    }
  }

  /** An older search is aborted, and its answer discarded. */
  #read(): void {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    const slow = setTimeout(() => {
      if (!signal.aborted && !this.#panel.isOpen) this.#panel.show([], sharedText("picker.reading"));
    }, SLOW);
    const ended = (list?: ChoiceList): void => {
      clearTimeout(slow);
      if (signal.aborted) return;
      if (!list || (list.choices.length === 0 && !list.note)) this.close();
      else this.#show(list);
    };
    this.#options.search(this.#typed, signal).then(
      (list) => {
        ended(list);
        if (list?.again) setTimeout(() => signal.aborted || this.#read(), list.again);
      },
      () => ended(),
    );
  }

  /** Keeps the marked row when the list is read again, and marks the choice that is already in the field. */
  #show({ choices, note }: ChoiceList): void {
    const chosen = this.#choices[this.#active]?.value ?? this.#input.val();
    this.#choices = choices;
    this.#panel.show(choices, note);
    this.#mark(choices.findIndex(({ value }) => value === chosen));
  }

  #mark(index: number): void {
    this.#active = index;
    this.#panel.mark(index);
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
    else this.close();
  }

  #choose(value: string): void {
    this.close();
    this.#options.choose(value);
  }
}
