// Connects the fields of a dialog that have lists: each choice decides what the next field offers, and leads to it.
import type { SystemChoice, ValueNow } from "../../../../src/choices/choices";
import { ALL } from "../../../../src/settings/rules";
import { NoAnswer } from "../admin-request";
import { currentValue, fieldOf } from "../dialog/fields";
import { isNeverSaved } from "../new-nodes";
import { sharedText } from "../texts";
import { AccountLists } from "./account-lists";
import {
  type ChoiceList,
  siteList,
  siteTitle,
  systemLine,
  systemList,
  valueChoices,
  valueLine,
} from "./choices";
import { PickedField } from "./picked-field";

/** Collects the changes of one user action. */
const SETTLE = 50;

export class Pickers {
  readonly #node: EditorNode;
  readonly #account: JQuery;
  readonly #lists: AccountLists;
  readonly #site: PickedField;
  readonly #system: PickedField;
  readonly #value: PickedField;
  #accountId: string;
  #update: number | undefined;

  constructor(node: EditorNode) {
    this.#node = node;
    this.#account = fieldOf(node, "account");
    this.#accountId = this.#selectedAccount();
    this.#lists = new AccountLists(() => this.#selectedAccount());
    this.#site = new PickedField(node, "siteId", {
      list: (typed, signal) => this.#siteList(typed, signal),
      line: () => this.#siteLine(),
      onChoose: () => {
        this.#followSite();
        void this.#focusAfterSite(this.#site);
      },
    });
    this.#system = new PickedField(node, "systemId", {
      list: async (typed) =>
        systemList(this.#site.isAll() ? undefined : await this.#systems(), typed, this.#system.acceptsAll()),
      line: () => this.#systemLine(),
      onChoose: () => this.#focusAfterSystem(this.#system),
    });
    this.#value = new PickedField(node, "path", {
      list: async (typed) => ({ choices: valueChoices(typed, (await this.#values()) ?? []) }),
      line: () => valueLine(this.#value.text(), () => this.#values()),
    });
  }

  #selectedAccount(): string {
    return String(this.#account.val() ?? "");
  }

  #fields(): PickedField[] {
    return [this.#site, this.#system, this.#value].filter((field) => field.exists());
  }

  /** Call this when the typed inputs exist. */
  start(): void {
    let isByKey = false;
    this.#account.on("keydown mousedown", ({ type }) => {
      isByKey = type === "keydown";
    });
    this.#account.on("change", () => {
      this.#refresh();
      if (this.#selectedAccount() === this.#accountId) return;
      this.#accountId = this.#selectedAccount();
      // Arrow keys go through the accounts one by one: the focus stays with them.
      void this.#takeOnlySite(!isByKey);
    });
    for (const field of this.#fields()) field.onChange(() => this.#refresh());
    fieldOf(this.#node, "source").on("change", () => this.#refresh());
    this.#refresh();
    void this.#takeOnlySite(false);
  }

  /** Fills in the only site of the account, in a node that has not been set up yet. */
  async #takeOnlySite(movesFocus: boolean): Promise<void> {
    const [site, accountId] = [this.#site, this.#accountId];
    if (!isNeverSaved(this.#node) || !site.isEmpty() || !RED.nodes.node(accountId)) return;
    const answer = await this.#lists.sites("").catch(() => undefined);
    const [only] = answer?.all === 1 ? answer.sites : [];
    // By now the user may be typing, or have chosen another account or to read the whole one.
    if (accountId !== this.#accountId || !site.isEmpty() || site.input.is(":focus, :hidden")) return;
    if (only) site.set(only.siteId);
    if (!movesFocus) return;
    if (only) await this.#focusAfterSite();
    else site.focus();
  }

  /** All sites means all of their systems, and one site means no longer all. */
  #followSite(): void {
    const [site, system] = [this.#site, this.#system];
    if (site.isAll() && system.isEmpty()) system.set(ALL);
    else if (!site.isAll() && system.isAll()) system.set("");
  }

  /**
   * Moves the focus to the system if there are several, or else to the value.
   * @param from the field that may lose the focus
   */
  async #focusAfterSite(from?: PickedField): Promise<void> {
    const systems = await this.#systems().catch(() => []);
    if (systems.length > 1 && this.#system.isEmpty()) this.#system.focus(from);
    else this.#focusAfterSystem(from);
  }

  #focusAfterSystem(from?: PickedField): void {
    if (this.#value.isEmpty() && isNeverSaved(this.#node)) this.#value.focus(from);
  }

  /** The systems of the site in the dialog; none if the account does not have it. Rejects with NoAnswer. */
  async #systems(): Promise<readonly SystemChoice[]> {
    const siteId = this.#site.id();
    return siteId === undefined ? [] : this.#lists.systems(siteId);
  }

  /** Those of the chosen system, or of the only one. Undefined if there is no such system, or no answer. */
  async #values(): Promise<readonly ValueNow[] | undefined> {
    const siteId = this.#site.id();
    const systems = await this.#systems().catch(() => []);
    const takesOnly = systems.length === 1 && this.#system.isEmpty();
    const system = systems.find(({ systemId }) => takesOnly || systemId === this.#system.id());
    if (siteId === undefined || !system) return undefined;
    return this.#lists.values(siteId, system.systemId).catch(() => undefined);
  }

  async #siteList(typed: string, signal: AbortSignal): Promise<ChoiceList> {
    if (typed.includes("${")) return { choices: [] };
    try {
      return siteList(await this.#lists.sites(typed, signal), typed, this.#site.acceptsAll());
    } catch (error) {
      if (error instanceof NoAnswer) this.#site.say(error.message);
      throw error;
    }
  }

  async #siteLine(): Promise<string> {
    const siteId = this.#site.id();
    if (siteId === undefined) {
      // Requests the list for an empty field, too, so that a service that is down is reported here.
      if (this.#site.isEmpty()) await this.#lists.sites("");
      return "";
    }
    const site = await this.#lists.site(siteId);
    return site ? siteTitle(site) : sharedText("picker.unknownSite");
  }

  async #systemLine(): Promise<string> {
    const system = this.#system;
    if (this.#site.id() === undefined) return "";
    return systemLine(await this.#systems(), {
      text: system.text(),
      isText: system.isText(),
      acceptsAll: system.acceptsAll(),
      needsMeter: this.#node.type === "energy-rgm-read" || currentValue(this.#node, "source") === "rgm",
    });
  }

  /** A line that is known only after the next change is not shown. */
  #refresh(): void {
    clearTimeout(this.#update);
    const update = window.setTimeout(() => {
      for (const field of this.#fields())
        void this.#lineOf(field).then((line) => this.#update === update && field.say(line));
    }, SETTLE);
    this.#update = update;
  }

  #lineOf(field: PickedField): Promise<string> {
    return field.picker.line().catch((error: unknown) => {
      const reason = error instanceof NoAnswer ? error.message : "";
      // A reason that the line of the site already shows is not repeated.
      return field !== this.#site && reason === this.#site.line() ? "" : reason;
    });
  }
}
