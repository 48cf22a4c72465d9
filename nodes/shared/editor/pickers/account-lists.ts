// Fetches the sites, systems and values of the account in a dialog, each list once, even if the account is not deployed.
import type {
  DayAnswer,
  SiteChoice,
  SitesAnswer,
  SystemChoice,
  SystemsAnswer,
  ValueNow,
  ValuesAnswer,
} from "../../../../src/choices/choices";
import { type AccountSource, accountSource, isInSubflow } from "../account-draft";
import { adminRequest, NoAnswer } from "../admin-request";
import { learnNames } from "../canvas";
import { sharedText } from "../texts";
import { isSiteMatch } from "./choices";

/** Waits for the user to stop typing. */
const DEBOUNCE = 200;
/** While the charge of some sites is still being read. */
const PENDING = 2000;
/** A service that is down gets no request for every key. */
const FAILED = 5000;

/** Every method rejects with NoAnswer, or with the signal's reason once it aborts. */
export class AccountLists {
  readonly #accountId: () => string;
  readonly #answers = new Map<string, Promise<unknown>>();

  constructor(accountId: () => string) {
    this.#accountId = accountId;
  }

  /**
   * The sites that match.
   * @param signal of a search that is being typed: it waits for the rest
   * @param from the first site in view: its charge and those of the next are read
   */
  async sites(search: string, signal?: AbortSignal, from = 0): Promise<SitesAnswer> {
    const first = await this.#fetch<SitesAnswer>(
      "sites",
      search === "" && from > 0 ? { from: String(from) } : {},
    );
    if (search === "") return first;
    if (first.sites.length === first.all) {
      const sites = first.sites.filter((site) => isSiteMatch(search, site));
      return { ...first, sites, total: sites.length };
    }
    if (signal) await new Promise((resolve) => void setTimeout(resolve, DEBOUNCE));
    signal?.throwIfAborted();
    return this.#fetch("sites", { search }, signal);
  }

  /** One site by its id; undefined if the account has none with it. */
  async site(siteId: string): Promise<SiteChoice | undefined> {
    const isIt = (site: SiteChoice): boolean => site.siteId === siteId;
    return (await this.sites("")).sites.find(isIt) ?? (await this.sites(siteId)).sites.find(isIt);
  }

  /** None if the account does not have the site. */
  async systems(siteId: string): Promise<readonly SystemChoice[]> {
    if (!(await this.site(siteId))) return [];
    return (await this.#fetch<SystemsAnswer>("systems", { siteId })).systems;
  }

  async values(siteId: string, systemId: string): Promise<readonly ValueNow[]> {
    return (await this.#fetch<ValuesAnswer>("values", { siteId, systemId })).values;
  }

  /** The values at a path over the day before, for a chart. */
  async day(siteId: string, systemId: string, path: string): Promise<DayAnswer> {
    return this.#fetch("day", { siteId, systemId, path });
  }

  /** An answer is remembered as long as the dialog is open and the account the same; a failure for a while. */
  async #fetch<T>(list: string, query: Record<string, string>, signal?: AbortSignal): Promise<T> {
    const id = this.#accountId();
    const source = accountSource(id);
    if (!source) throw new NoAnswer(sharedText(isInSubflow(id) ? "picker.inSubflow" : "picker.noAccount"));
    const key = JSON.stringify([source, list, query]);
    const known = this.#answers.get(key);
    if (known) return known as Promise<T>;
    const answer = fetchList(source, list, query, signal);
    this.#answers.set(key, answer);
    const forget = (): unknown => this.#answers.delete(key);
    answer.then(
      (found) => (found as Partial<SitesAnswer>).pending && setTimeout(forget, PENDING),
      (error: unknown) => (error instanceof NoAnswer ? setTimeout(forget, FAILED) : forget()),
    );
    return answer as Promise<T>;
  }
}

/** A user who may not try typed credentials gets the lists of the deployed account. */
async function fetchList(
  { id, draft }: AccountSource,
  list: string,
  query: Record<string, string>,
  signal?: AbortSignal,
): Promise<unknown> {
  const body = draft && { ...query, account: draft };
  try {
    const answer = await adminRequest(["accounts", id, list], { query, body, signal });
    if (list === "sites") learnNames(id, (answer as SitesAnswer).sites);
    return answer;
  } catch (error) {
    if (draft && error instanceof NoAnswer && error.isForbidden)
      return fetchList({ id }, list, query, signal);
    throw error;
  }
}
