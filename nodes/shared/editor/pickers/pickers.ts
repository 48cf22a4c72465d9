// Connects the pickers of a dialog: each choice decides what the next field offers.
import { currentValue, fieldOf } from "../dialog/fields";
import { ChoiceClient, NoList } from "./choice-client";
import type { ChoiceList, ComboboxOptions } from "./combobox";
import { NextField } from "./next-field";
import { PickedField } from "./picked-field";
import { PickedSite } from "./picked-site";
import { siteLine, siteList } from "./site-picker";
import { systemLine, systemList } from "./system-picker";
import type { ValuePicker } from "./value-picker";

/** Collects the changes of one user action. */
const SETTLE = 50;

/** Call this when the typed inputs exist. */
export function preparePickers(node: EditorNode, valuePicker?: ValuePicker): void {
  new Pickers(node, valuePicker).start();
}

class Pickers {
  readonly #node: EditorNode;
  readonly #valuePicker: ValuePicker | undefined;
  readonly #account: JQuery;
  readonly #client: ChoiceClient;
  readonly #picked: PickedSite;
  readonly #next: NextField;
  readonly #site: PickedField;
  readonly #system: PickedField | undefined;
  readonly #value: PickedField | undefined;
  #accountId: string;
  #update = new AbortController();

  constructor(node: EditorNode, valuePicker: ValuePicker | undefined) {
    this.#node = node;
    this.#valuePicker = valuePicker;
    this.#account = fieldOf(node, "account");
    this.#accountId = this.#selectedAccount();
    this.#client = new ChoiceClient(() => this.#selectedAccount());
    this.#site = new PickedField(node, "siteId", {
      hasList: () => true,
      search: (typed, signal) => this.#siteList(typed, signal),
      choose: () => void this.#next.afterSite(this.#site),
    });
    this.#system = this.#field("systemId", {
      hasList: () => this.#site.id() !== undefined,
      search: async (typed) =>
        systemList(await this.#picked.systems(), typed, this.#system?.acceptsAll() ?? false),
      choose: () => this.#next.afterSystem(this.#system),
    });
    this.#value =
      valuePicker &&
      this.#field("path", {
        hasList: () => true,
        search: async (typed) => ({
          choices: valuePicker.choices(typed, (await this.#picked.values()) ?? []),
        }),
        choose: () => undefined,
      });
    const fields = { site: this.#site, system: this.#system, value: this.#value };
    this.#picked = new PickedSite(this.#client, fields);
    this.#next = new NextField(node, this.#client, this.#picked, fields);
  }

  start(): void {
    this.#listen();
    void this.#next.takeOnlySite(this.#accountId, false);
  }

  #field(property: string, options: ComboboxOptions): PickedField | undefined {
    return fieldOf(this.#node, property).length > 0
      ? new PickedField(this.#node, property, options)
      : undefined;
  }

  #selectedAccount(): string {
    return String(this.#account.val() ?? "");
  }

  #listen(): void {
    let isByKey = false;
    this.#account.on("keydown mousedown", ({ type }) => {
      isByKey = type === "keydown";
    });
    this.#account.on("change", () => {
      this.#refresh();
      const selected = this.#selectedAccount();
      if (selected === this.#accountId) return;
      this.#accountId = selected;
      // Arrow keys go through the accounts one by one: the focus stays with them.
      void this.#next.takeOnlySite(selected, !isByKey);
    });
    for (const field of [this.#site, this.#system, this.#value]) field?.onChange(() => this.#refresh());
    fieldOf(this.#node, "source").on("change", () => this.#refresh());
    this.#refresh();
  }

  async #siteList(typed: string, signal: AbortSignal): Promise<ChoiceList | undefined> {
    try {
      return await siteList(this.#client, typed, signal, this.#site.acceptsAll());
    } catch (error) {
      if (error instanceof NoList) this.#site.say(error.message);
      throw error;
    }
  }

  #refresh(): void {
    this.#update.abort();
    this.#update = new AbortController();
    const { signal } = this.#update;
    setTimeout(() => {
      if (signal.aborted) return;
      this.#describe(this.#site, signal, () => this.#siteLine(signal));
      this.#describe(this.#system, signal, () => this.#systemLine());
      this.#describe(this.#value, signal, () => this.#valueLine());
    }, SETTLE);
  }

  async #siteLine(signal: AbortSignal): Promise<string> {
    const siteId = this.#site.id();
    // Asks already for an empty field, so that a service that is down is noticed here.
    if (siteId !== undefined) return siteLine(this.#client, siteId, signal);
    if (this.#site.isEmpty()) await this.#client.sites("", signal);
    return "";
  }

  async #systemLine(): Promise<string> {
    const system = this.#system;
    if (!system || this.#site.id() === undefined) return "";
    return systemLine(await this.#picked.systems(), {
      text: system.text(),
      isText: system.isText(),
      acceptsAll: system.acceptsAll(),
      needsMeter: this.#node["type"] === "energy-rgm-read" || currentValue(this.#node, "source") === "rgm",
    });
  }

  async #valueLine(): Promise<string> {
    const path = this.#value?.text() ?? "";
    return this.#valuePicker?.line(path, () => this.#picked.values()) ?? "";
  }

  /** A reason that the line of the site already shows is not repeated. */
  #describe(field: PickedField | undefined, signal: AbortSignal, line: () => Promise<string>): void {
    const say = (text: string): void => {
      if (!signal.aborted) field?.say(text);
    };
    line().then(say, (error: unknown) => {
      const isKnown = field !== this.#site && this.#site.line() === reasonOf(error);
      say(isKnown ? "" : reasonOf(error));
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof NoList ? error.message : "";
}
