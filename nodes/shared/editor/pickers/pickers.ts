// Connects the pickers of a dialog: each choice decides what the next field offers.
import type { SystemChoice, ValueNow } from "../../../../src/choices/choices";
import { currentValue, fieldOf } from "../fields";
import { isFresh } from "./account-choice";
import { ChoiceClient, NoList } from "./choice-client";
import type { ChoiceList } from "./combobox";
import { focusAtRest } from "./focus";
import { valueChoices } from "./measurements";
import { PickedField } from "./picked-field";
import { siteLine, siteList } from "./site-picker";
import { systemLine, systemList } from "./system-picker";
import { valueLine } from "./value-picker";

/** Collects the changes of one user action. */
const SETTLE = 50;

/** Call this when the typed inputs exist. Does nothing in a dialog without a site. */
export function preparePickers(node: EditorNode): void {
  if (fieldOf(node, "siteId").length > 0) new Pickers(node).start();
}

class Pickers {
  readonly #node: EditorNode;
  readonly #account: JQuery;
  readonly #client: ChoiceClient;
  readonly #site: PickedField;
  readonly #system: PickedField | undefined;
  readonly #value: PickedField | undefined;
  #accountId: string;
  #update = new AbortController();

  constructor(node: EditorNode) {
    this.#node = node;
    this.#account = fieldOf(node, "account");
    this.#accountId = this.#selectedAccount();
    this.#client = new ChoiceClient(() => this.#selectedAccount());
    this.#site = new PickedField(node, "siteId", {
      hasList: () => true,
      search: (typed, signal) => this.#siteList(typed, signal),
      choose: () => void this.#goOn(this.#site),
    });
    this.#system = this.#field("systemId", {
      hasList: () => this.#site.id() !== undefined,
      search: async (typed) => systemList(await this.#systems(), typed, this.#system?.acceptsAll() ?? false),
      choose: () => this.#focusValue(this.#system),
    });
    this.#value = this.#field("path", {
      hasList: () => true,
      search: async (typed) => ({
        choices: valueChoices(typed, (await this.#values().catch(() => undefined)) ?? []),
      }),
      choose: () => undefined,
    });
  }

  start(): void {
    this.#listen();
    void this.#takeOnlySite();
  }

  #field(property: string, options: ConstructorParameters<typeof PickedField>[2]): PickedField | undefined {
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
      void this.#takeOnlySite(!isByKey);
    });
    for (const field of [this.#site, this.#system, this.#value]) field?.onChange(() => this.#refresh());
    fieldOf(this.#node, "source").on("change", () => this.#refresh());
    this.#refresh();
  }

  /** In a node that nobody has configured yet. */
  async #takeOnlySite(movesFocus = false): Promise<void> {
    if (!isFresh(this.#node) || !this.#site.isEmpty() || !RED.nodes.node(this.#accountId)) return;
    const answer = await this.#client.sites("", new AbortController().signal).catch(() => undefined);
    const [only] = answer?.all === 1 ? answer.sites : [];
    const { input } = this.#site;
    // By now the user may be typing, or have chosen to read the whole account.
    if (!this.#site.isEmpty() || input.is(":focus, :hidden")) return;
    if (only) this.#site.set(only.siteId);
    if (!movesFocus) return;
    if (only) await this.#goOn();
    else focusAtRest(input);
  }

  /** After the site: to the system if there are several, or else to the value. */
  async #goOn(from?: PickedField): Promise<void> {
    const systems = await this.#systems().catch(() => []);
    if (systems.length > 1 && this.#system?.isEmpty()) focusAtRest(this.#system.input, from?.input);
    else this.#focusValue(from);
  }

  #focusValue(from?: PickedField): void {
    if (this.#value?.isEmpty() && isFresh(this.#node)) focusAtRest(this.#value.input, from?.input);
  }

  async #siteList(typed: string, signal: AbortSignal): Promise<ChoiceList | undefined> {
    try {
      return await siteList(this.#client, typed, signal, this.#site.acceptsAll());
    } catch (error) {
      if (error instanceof NoList) this.#site.say(error.message);
      throw error;
    }
  }

  /** Of a site that the account has. */
  async #systems(): Promise<readonly SystemChoice[]> {
    const siteId = this.#site.id();
    if (siteId === undefined) return [];
    const site = await this.#client.site(siteId, new AbortController().signal);
    return site ? (await this.#client.systems(siteId)).systems : [];
  }

  /** Of the one system that is chosen or the only one. */
  async #values(): Promise<readonly ValueNow[] | undefined> {
    const siteId = this.#site.id();
    const systems = await this.#systems();
    const only = systems.length === 1 && this.#system?.isEmpty() ? systems[0]?.systemId : undefined;
    const systemId = this.#system?.id() ?? only;
    const isKnown = systems.some((system) => system.systemId === systemId);
    if (siteId === undefined || systemId === undefined || !isKnown) return undefined;
    return (await this.#client.values(siteId, systemId)).values;
  }

  #refresh(): void {
    this.#update.abort();
    this.#update = new AbortController();
    const { signal } = this.#update;
    setTimeout(() => {
      if (signal.aborted) return;
      this.#describe(this.#site, signal, () => this.#siteLine(signal));
      this.#describe(this.#system, signal, () => this.#systemLine());
      this.#describe(this.#value, signal, () =>
        valueLine(this.#value?.text() ?? "", () => this.#values().catch(() => undefined)),
      );
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
    return systemLine(await this.#systems(), {
      text: system.text(),
      isText: system.isText(),
      acceptsAll: system.acceptsAll(),
      needsMeter: this.#node["type"] === "energy-rgm-read" || currentValue(this.#node, "source") === "rgm",
    });
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
