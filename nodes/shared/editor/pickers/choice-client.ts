// Asks Node-RED for the sites, systems and values of an account while a dialog is open. Each list is asked for once.
import type { SitesAnswer, SystemsAnswer, ValuesAnswer } from "../../../../src/choices/choices";
import { faultTextOf } from "../fault-text";
import { sharedText } from "../texts";
import { type AccountSource, accountSource, isInSubflow } from "./account-draft";
import { isSiteMatch } from "./choice-labels";
import { learnNames } from "./site-names";

/** Waits for the user to stop typing. */
const DEBOUNCE = 200;
/** While the charge of some sites is still being read. */
const PENDING = 2000;
/** A service that is down is not asked at every key. */
const FAILED = 5000;

/** Why there is no list, in the user's language. */
export class NoList extends Error {}

type Question = Record<string, string>;

export class ChoiceClient {
  readonly #accountId: () => unknown;
  #answers = new Map<string, Promise<unknown>>();
  #account = "";

  /** @param accountId the account selected at the moment */
  constructor(accountId: () => unknown) {
    this.#accountId = accountId;
  }

  /** The sites that match. Rejects with NoList, and with the signal's reason once it aborts. */
  async sites(search: string, signal: AbortSignal): Promise<SitesAnswer> {
    const first = await this.#ask<SitesAnswer>("sites", {});
    if (search === "") return first;
    if (first.sites.length === first.all) {
      const sites = first.sites.filter((site) => isSiteMatch(search, site));
      return { ...first, sites, total: sites.length };
    }
    await pause(DEBOUNCE, signal);
    return this.#ask<SitesAnswer>("sites", { search }, signal);
  }

  /** One site by its id; undefined if the account has none with it. */
  async site(siteId: string, signal: AbortSignal): Promise<SitesAnswer["sites"][number] | undefined> {
    const first = await this.#ask<SitesAnswer>("sites", {});
    const isIt = (site: { siteId: string }): boolean => site.siteId === siteId;
    const found = first.sites.find(isIt);
    if (found || first.sites.length === first.all) return found;
    return (await this.#ask<SitesAnswer>("sites", { search: siteId }, signal)).sites.find(isIt);
  }

  systems(siteId: string): Promise<SystemsAnswer> {
    return this.#ask("systems", { siteId });
  }

  values(siteId: string, systemId: string): Promise<ValuesAnswer> {
    return this.#ask("values", { siteId, systemId });
  }

  /** An answer is kept for as long as the account is the same; a failure for a while. */
  #ask<T>(list: string, question: Question, signal?: AbortSignal): Promise<T> {
    const id = String(this.#accountId());
    const source = accountSource(id);
    if (!source)
      return Promise.reject(
        new NoList(sharedText(isInSubflow(id) ? "picker.inSubflow" : "picker.noAccount")),
      );
    const account = JSON.stringify(source);
    if (account !== this.#account) this.#answers.clear();
    this.#account = account;
    const key = `${list} ${JSON.stringify(question)}`;
    const kept = this.#answers.get(key);
    if (kept) return kept as Promise<T>;
    const answer = askAccount(source, list, question, signal);
    this.#answers.set(key, answer);
    const forget = (): unknown => this.#answers.get(key) === answer && this.#answers.delete(key);
    answer.then(
      (found) => isPending(found) && setTimeout(forget, PENDING),
      (error: unknown) => (error instanceof NoList ? setTimeout(forget, FAILED) : forget()),
    );
    return answer as Promise<T>;
  }
}

export function isPending(answer: unknown): boolean {
  return (answer as SitesAnswer).pending === true;
}

/** A user who may not try typed credentials gets the lists of the deployed account. */
async function askAccount(
  { id, draft }: AccountSource,
  list: string,
  question: Question,
  signal?: AbortSignal,
): Promise<unknown> {
  const url = `energy-sites/accounts/${encodeURIComponent(id)}/${list}`;
  const get = (): Promise<unknown> => request({ url, data: question }, signal);
  const answer = await (draft
    ? request(
        {
          url,
          method: "POST",
          contentType: "application/json",
          data: JSON.stringify({ ...question, account: draft }),
        },
        signal,
      ).catch((error: unknown) => {
        if (error instanceof NotPermitted) return get();
        throw error;
      })
    : get());
  if (list === "sites") learnNames(id, (answer as SitesAnswer).sites);
  return answer;
}

class NotPermitted extends NoList {}

function request(settings: JQueryAjaxSettings, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = $.ajax({ ...settings, dataType: "json" });
    signal?.addEventListener("abort", () => sent.abort(), { once: true });
    sent.then(resolve, (response: JQuery.jqXHR) => {
      reject(signal?.aborted ? (signal.reason as Error) : failure(response));
    });
  });
}

function failure({ status, responseJSON }: JQuery.jqXHR): NoList {
  const fault = faultTextOf(responseJSON);
  if (fault !== undefined) return new NoList(fault);
  if (status === 401 || status === 403) return new NotPermitted(sharedText("picker.notPermitted"));
  return new NoList(sharedText("picker.unreachable"));
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(() => (signal.aborted ? reject(signal.reason as Error) : resolve()), milliseconds);
  });
}
