// Fetches the sites, systems and values of an account while a dialog is open, each list once.
import type { SitesAnswer, SystemsAnswer, ValuesAnswer } from "../../../../src/choices/choices";
import { adminRequest, NoAnswer } from "../admin-request";
import { sharedText } from "../texts";
import { type AccountSource, accountSource, isInSubflow } from "./account-source";
import { isSiteMatch } from "./choice-labels";
import { learnNames } from "../canvas/site-names";

/** Waits for the user to stop typing. */
const DEBOUNCE = 200;
/** While the charge of some sites is still being read. */
const PENDING = 2000;
/** A service that is down is not asked again with every key. */
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

async function askAccount(
  source: AccountSource,
  list: string,
  question: Question,
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    const answer = await answerOf(source, list, question, signal);
    if (list === "sites") learnNames(source.id, (answer as SitesAnswer).sites);
    return answer;
  } catch (error) {
    throw error instanceof NoAnswer ? new NoList(reasonOf(error)) : error;
  }
}

/** A user who may not try typed credentials gets the lists of the deployed account. */
async function answerOf(
  { id, draft }: AccountSource,
  list: string,
  question: Question,
  signal?: AbortSignal,
): Promise<unknown> {
  const path = ["accounts", id, list];
  const deployed = (): Promise<unknown> => adminRequest(path, { query: question, signal });
  if (!draft) return deployed();
  return adminRequest(path, { body: { ...question, account: draft }, signal }).catch((error: unknown) => {
    if (error instanceof NoAnswer && error.isForbidden) return deployed();
    throw error;
  });
}

function reasonOf({ message, isForbidden }: NoAnswer): string {
  return message || sharedText(isForbidden ? "picker.notPermitted" : "picker.unreachable");
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(() => (signal.aborted ? reject(signal.reason as Error) : resolve()), milliseconds);
  });
}
