// What the account has at the site in a dialog: its systems, and the values of the newest record.
import type { SystemChoice, ValueNow } from "../../../../src/choices/choices";
import type { ChoiceClient } from "./choice-client";
import type { PickedFields } from "./picked-field";

export class PickedSite {
  readonly #client: ChoiceClient;
  readonly #fields: Pick<PickedFields, "site" | "system">;

  constructor(client: ChoiceClient, fields: Pick<PickedFields, "site" | "system">) {
    this.#client = client;
    this.#fields = fields;
  }

  /** None if the account does not have the site. Rejects with NoList. */
  async systems(): Promise<readonly SystemChoice[]> {
    const siteId = this.#fields.site.id();
    if (siteId === undefined) return [];
    const site = await this.#client.site(siteId, new AbortController().signal);
    return site ? (await this.#client.systems(siteId)).systems : [];
  }

  /** Those of the chosen system, or of the only one. Undefined if there is no such system, or no answer. */
  values(): Promise<readonly ValueNow[] | undefined> {
    return this.#values().catch(() => undefined);
  }

  async #values(): Promise<readonly ValueNow[] | undefined> {
    const siteId = this.#fields.site.id();
    const systems = await this.systems();
    const { system } = this.#fields;
    const only = systems.length === 1 && system?.isEmpty() ? systems[0]?.systemId : undefined;
    const systemId = system?.id() ?? only;
    const isKnown = systems.some((one) => one.systemId === systemId);
    if (siteId === undefined || systemId === undefined || !isKnown) return undefined;
    return (await this.#client.values(siteId, systemId)).values;
  }
}
