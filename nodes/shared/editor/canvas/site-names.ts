// Looks up the names of sites for the labels on the canvas, which need them at once and without waiting.
import type { SiteChoice, SitesAnswer } from "../../../../src/choices/choices";
import { adminRequest } from "../admin-request";

/** Collects the ids that the labels of one redraw ask for. */
const DELAY = 200;
/** How long an id without an answer is left alone. */
const RETRY = 60_000;
/** The most that the route answers at a time. */
const BATCH = 50;

interface Names {
  known: Map<string, string>;
  /** When each id was last asked for. */
  asked: Map<string, number>;
  queued: Map<string, Set<string>>;
}

/** Each node's script has its own copy of this file; they share what is known. */
const shared = globalThis as typeof globalThis & { energySiteNames?: Names };
const names = (shared.energySiteNames ??= { known: new Map(), asked: new Map(), queued: new Map() });

/**
 * The name of a site of a deployed account. Undefined while it is not known: it is then fetched, and the labels are redrawn.
 * The site may be any stored value; one that is not a plain id has no name.
 */
export function siteName(accountId: string, siteId: string): string | undefined {
  const key = keyOf(accountId, siteId);
  const known = names.known.get(key);
  const isId = siteId !== "" && !/[*,${}]/.test(siteId);
  if (known === undefined && isId && isDeployed(accountId)) queue(accountId, siteId, key);
  return known;
}

/** Keeps names that a picker has shown, so that labels need not ask for them. */
export function learnNames(accountId: string, sites: readonly SiteChoice[]): void {
  for (const { siteId, name } of sites) if (name) names.known.set(keyOf(accountId, siteId), name);
}

function keyOf(accountId: string, siteId: string): string {
  return `${accountId} ${siteId}`;
}

/** Only then does the runtime know the account; one in a subflow has another id there. */
function isDeployed(accountId: string): boolean {
  const account = RED.nodes.node(accountId);
  // An imported flow may lack it.
  return account ? !account.changed && !account.z : false;
}

function queue(accountId: string, siteId: string, key: string): void {
  if (Date.now() - (names.asked.get(key) ?? -RETRY) < RETRY) return;
  names.asked.set(key, Date.now());
  if (names.queued.size === 0) setTimeout(askAll, DELAY);
  const ids = names.queued.get(accountId) ?? new Set();
  names.queued.set(accountId, ids.add(siteId));
}

function askAll(): void {
  for (const [accountId, ids] of names.queued) {
    const all = [...ids];
    for (let start = 0; start < all.length; start += BATCH) ask(accountId, all.slice(start, start + BATCH));
  }
  names.queued.clear();
}

/** A failure is not shown: the label keeps the id. */
function ask(accountId: string, ids: string[]): void {
  adminRequest<SitesAnswer>(["accounts", accountId, "sites"], { query: { ids: ids.join(",") } }).then(
    ({ sites }) => {
      learnNames(accountId, sites);
      redrawLabels(accountId, new Set(ids));
    },
    () => undefined,
  );
}

/** The canvas measures a label again only for a node that is marked. */
function redrawLabels(accountId: string, ids: ReadonlySet<unknown>): void {
  RED.nodes.eachNode((node) => {
    if (node["account"] !== accountId || !ids.has(node["siteId"])) return;
    node["dirty"] = true;
    node["resize"] = true;
  });
  RED.view.redraw();
}
