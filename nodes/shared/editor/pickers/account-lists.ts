// Fetches the sites, systems and values of the account in a dialog, each list once: of an account that the runtime does not know, or not as it is now, the editor sends what it has.
import {
  type AccountDraft,
  type DayAnswer,
  matcher,
  type SiteChoice,
  type SitesAnswer,
  STORED_SECRET,
  type SystemChoice,
  type ValueNow,
} from "../../../../src/choices/choices";
import { byName } from "../../../../src/objects";
import { adminRequest, NoAnswer } from "../admin-request";
import { isInSubflow, learnNames, usableAccount } from "../canvas";
import { ADD_NEW, currentValue, isInDialog } from "../dialog/fields";
import { sharedText } from "../texts";
import { AGAIN } from "./choices";

/** Waits for the user to stop typing. */
const DEBOUNCE = 200;
/** A service that is down gets no request for every key. */
const FAILED = 5000;

/** Every method rejects with NoAnswer. */
export class AccountLists {
  readonly #accountId: () => string;
  readonly #answers = new Map<string, Promise<unknown>>();

  constructor(accountId: () => string) {
    this.#accountId = accountId;
  }

  /**
   * The sites that match.
   * @param signal of a search that is being typed: it waits for the rest; rejects with its reason once it aborts
   */
  async sites(search: string, signal?: AbortSignal): Promise<SitesAnswer> {
    const first = await this.#fetch<SitesAnswer>("sites", {});
    if (search === "") return first;
    if (first.sites.length === first.all) {
      const matches = matcher(search);
      const sites = first.sites.filter(({ searched }) => matches(searched));
      return { ...first, sites, total: sites.length };
    }
    if (signal) await new Promise((resolve) => void setTimeout(resolve, DEBOUNCE));
    signal?.throwIfAborted();
    return this.#fetch("sites", { search });
  }

  /** One site by its id; undefined if the account has none with it. */
  async site(siteId: string): Promise<SiteChoice | undefined> {
    const { sites, all } = await this.sites("");
    const listed = sites.find((site) => site.siteId === siteId);
    const isKnown = listed !== undefined || sites.length === all;
    const [site] = isKnown ? [listed] : (await this.#fetch<SitesAnswer>("sites", { ids: siteId })).sites;
    if (site) learnNames(this.#accountId(), [site]);
    return site;
  }

  /** None if the account does not have the site. */
  async systems(siteId: string): Promise<readonly SystemChoice[]> {
    if (!(await this.site(siteId))) return [];
    return this.#fetch("systems", { siteId });
  }

  async values(siteId: string, systemId: string): Promise<readonly ValueNow[]> {
    return this.#fetch("values", { siteId, systemId });
  }

  /** The values at a path over the day before, for a chart. */
  async day(siteId: string, systemId: string, path: string): Promise<DayAnswer> {
    return this.#fetch("day", { siteId, systemId, path });
  }

  /** An answer is remembered as long as the dialog is open and the account the same; a failure for a while. */
  async #fetch<T>(list: string, query: Record<string, string>): Promise<T> {
    const id = this.#accountId();
    const source = accountSource(id);
    if (!source) throw new NoAnswer(sharedText(isInSubflow(id) ? "picker.inSubflow" : "picker.noAccount"));
    const key = JSON.stringify([id, source, list, query]);
    const known = this.#answers.get(key);
    if (known) return known as Promise<T>;
    const body = source.draft && { ...query, account: source.draft };
    const answer = adminRequest<T>(["accounts", id, list], { query, body });
    this.#answers.set(key, answer);
    const forget = (): unknown => this.#answers.delete(key);
    answer.then(
      (found) => (found as Partial<SitesAnswer>).pending && setTimeout(forget, AGAIN),
      () => setTimeout(forget, FAILED),
    );
    return answer;
  }
}

/** How to reach an account: if it is new or was changed, by the draft that the editor has. Undefined if it is of no use. */
export function accountSource(id: string): { draft?: AccountDraft } | undefined {
  const account = usableAccount(id);
  return account && (account.changed ? { draft: accountDraft(account) } : {});
}

/** The account as typed in its open dialog, or else as the editor has it. */
export function accountDraft(account: EditorNode): AccountDraft {
  const value = (property: string): unknown => {
    const current = currentValue(account, property);
    return current === ADD_NEW ? "" : current;
  };
  const properties = byName([...Object.keys(account._def.defaults), "z"], value);
  const entered = isInDialog(account, "clientId")
    ? { clientId: value("clientId"), clientSecret: value("clientSecret") }
    : stored(account);
  return { ...properties, ...(entered && { credentials: entered }) };
}

/** A stored secret stays on the server: a placeholder stands for it, as in the dialog. */
function stored({ credentials }: EditorNode): object | undefined {
  // The editor knows the credentials only after the dialog of the account was opened.
  if (!credentials) return undefined;
  const { clientId, clientSecret, has_clientSecret: hasSecret } = credentials;
  return { clientId, clientSecret: clientSecret ?? (hasSecret ? STORED_SECRET : undefined) };
}
