// Leads the user of a dialog to the next field with a list, and fills in the only site of an account.
import { isFresh } from "../default-account";
import type { ChoiceClient } from "./choice-client";
import { focusAtRest } from "./focus";
import type { PickedField, PickedFields } from "./picked-field";
import type { PickedSite } from "./picked-site";

export class NextField {
  readonly #node: EditorNode;
  readonly #client: ChoiceClient;
  readonly #picked: PickedSite;
  readonly #fields: PickedFields;

  constructor(node: EditorNode, client: ChoiceClient, picked: PickedSite, fields: PickedFields) {
    this.#node = node;
    this.#client = client;
    this.#picked = picked;
    this.#fields = fields;
  }

  /** In a node that nobody has configured yet. */
  async takeOnlySite(accountId: string, movesFocus: boolean): Promise<void> {
    const { site } = this.#fields;
    if (!isFresh(this.#node) || !site.isEmpty() || !RED.nodes.node(accountId)) return;
    const answer = await this.#client.sites("", new AbortController().signal).catch(() => undefined);
    const [only] = answer?.all === 1 ? answer.sites : [];
    // By now the user may be typing, or have chosen to read the whole account.
    if (!site.isEmpty() || site.input.is(":focus, :hidden")) return;
    if (only) site.set(only.siteId);
    if (!movesFocus) return;
    if (only) await this.afterSite();
    else focusAtRest(site.input);
  }

  /**
   * To the system if there are several, or else to the value.
   * @param from the field that may lose the focus
   */
  async afterSite(from?: PickedField): Promise<void> {
    const { system } = this.#fields;
    const systems = await this.#picked.systems().catch(() => []);
    if (systems.length > 1 && system?.isEmpty()) focusAtRest(system.input, from?.input);
    else this.afterSystem(from);
  }

  afterSystem(from?: PickedField): void {
    const { value } = this.#fields;
    if (value?.isEmpty() && isFresh(this.#node)) focusAtRest(value.input, from?.input);
  }
}
