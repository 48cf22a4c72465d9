// Offers the sites of the account, and names the one in the field.
import { sharedText } from "../texts";
import { siteChoice, siteTitle } from "./choice-labels";
import { type ChoiceClient, isPending } from "./choice-client";
import type { ChoiceList } from "./combobox";

/** How often a list with charges that are still being read is read again. */
const AGAIN = 2200;

export async function siteList(
  client: ChoiceClient,
  typed: string,
  signal: AbortSignal,
  acceptsAll: boolean,
): Promise<ChoiceList | undefined> {
  if (typed.includes("${")) return undefined;
  const answer = await client.sites(typed, signal);
  const all = { value: "*", text: sharedText("picker.allSites", { count: answer.all }), now: "*" };
  const hasAll = acceptsAll && answer.all > 1 && (typed === "" || typed === "*");
  const choices = [...(hasAll ? [all] : []), ...answer.sites.map(siteChoice)];
  const again = isPending(answer) ? { again: AGAIN } : {};
  return { choices, note: noteOf(answer, typed), ...again };
}

function noteOf(
  { sites, total, all }: { sites: unknown[]; total: number; all: number },
  typed: string,
): string {
  if (all === 0) return sharedText("picker.noSites");
  if (total === 0 && typed !== "*") return sharedText("picker.noMatch");
  return total > sites.length ? sharedText("picker.more", { shown: sites.length, total }) : "";
}

/** "Demo house, Berlin, PC2", or that the account has no such site. */
export async function siteLine(client: ChoiceClient, siteId: string, signal: AbortSignal): Promise<string> {
  const site = await client.site(siteId, signal);
  return site ? siteTitle(site) : sharedText("picker.unknownSite");
}
