// What a node shows on the canvas: the label of one without a name, and the button that runs it.
import type { SiteChoice, SitesAnswer } from "../../../src/choices/choices";
import { ALL } from "../../../src/settings/rules";
import type { Settings } from "../../../src/settings/table";
import { shownText } from "../../../src/shown-text";
import { adminRequest, reasonOf } from "./admin-request";
import { oneId } from "./dialog/fields";
import { isUsed } from "./settings";
import { notify, sharedText } from "./texts";

/** Characters of a label after the type. */
const LONGEST = 36;
/** Characters that a name keeps, however long the rest is. */
const SHORTEST_SITE = 10;
/** Lets all nodes of a flow be there. */
const DELAY = 200;
/** How long to wait before names are requested again for an account with ids that have none. */
const RETRY = 60_000;
/** The ids of one request, whose URL must not become too long. */
const BATCH = 50;

interface Names {
  known: Map<string, string>;
  /** When those of each account were last requested. */
  requested: Map<string, number>;
}

/** Each node's script has its own copy of this file; they share what is known. */
const shared = globalThis as typeof globalThis & { energySiteNames?: Names };
const names = (shared.energySiteNames ??= { known: new Map(), requested: new Map() });

/** What a node reads, by the value of a setting. An imported flow sets it to anything: only these are under `title` in the node's catalogue. */
export function titleIn(node: EditorNode, setting: string, titled: readonly unknown[]): string {
  const value = node[setting] ?? node._def.defaults[setting]?.value;
  return titled.includes(value) ? node._(`title.${String(value)}`) : "";
}

/** The user's name for the node, or "latest value: Demo house, battery charge". A node without an account has not been set up. */
export function title(node: EditorNode, what = "", site = siteOf(node)): string {
  if (node.name) return node.name;
  const type = node._("label.palette");
  // What is read may be a property that an imported flow sets to anything.
  const reading = shownText(what, LONGEST);
  const length = Math.max(LONGEST - reading.length - 2, SHORTEST_SITE);
  const parts = [site === undefined ? "" : shownText(site, length), reading].filter(Boolean);
  if (!node["account"] || parts.length === 0) return type;
  return sharedText("title.node", { type, of: parts.join(", ") });
}

/** Undefined if only the runtime knows the site. */
export function siteOf({ account, siteId, siteIdType = "str" }: EditorNode): string | undefined {
  const id = oneId(siteId, siteIdType);
  if (id === undefined) return siteId === ALL && siteIdType === "str" ? allSites() : undefined;
  return siteName(String(account), id) ?? id;
}

export function allSites(): string {
  return sharedText("title.allSites");
}

/** Undefined while it is not known: it is then fetched, and the labels are redrawn. */
function siteName(accountId: string, siteId: string): string | undefined {
  const known = names.known.get(keyOf(accountId, siteId));
  const isRecent = Date.now() - (names.requested.get(accountId) ?? -RETRY) < RETRY;
  // Each label is drawn many times.
  if (known !== undefined || isRecent) return known;
  const account = usableAccount(accountId);
  // The runtime knows an account as it was deployed.
  if (account && !account.changed) {
    names.requested.set(accountId, Date.now());
    setTimeout(() => fetchNames(accountId), DELAY);
  }
  return undefined;
}

/** Keeps names that a picker has shown, so that labels need not request them. */
export function learnNames(accountId: string, sites: readonly SiteChoice[]): void {
  for (const { siteId, name } of sites) if (name) names.known.set(keyOf(accountId, siteId), name);
}

function keyOf(accountId: string, siteId: string): string {
  return `${accountId} ${siteId}`;
}

/** Undefined if there is no such account, or none that the runtime can use: one in a subflow exists only in its instances. */
export function usableAccount(accountId: string): EditorNode | undefined {
  const account = RED.nodes.node(accountId);
  return account?.type === "energy-account" && !isInSubflow(accountId) ? account : undefined;
}

/** Whether an account is part of a subflow, or one of its settings. */
export function isInSubflow(accountId: string): boolean {
  const { z } = RED.nodes.node(accountId) ?? {};
  return accountId.startsWith("${") || Boolean(z && RED.nodes.subflow(z));
}

/** A failure is not shown: the label keeps the id. */
function fetchNames(accountId: string): void {
  const unknown = new Set<string>();
  RED.nodes.eachNode(({ account, siteId, siteIdType }) => {
    const id = account === accountId ? oneId(siteId, siteIdType) : undefined;
    if (id !== undefined && !names.known.has(keyOf(accountId, id))) unknown.add(id);
  });
  const ids = [...unknown];
  for (let from = 0; from < ids.length; from += BATCH)
    adminRequest<SitesAnswer>(["accounts", accountId, "sites"], {
      query: { ids: ids.slice(from, from + BATCH).join("\n") },
    })
      .then(({ sites }) => learnNames(accountId, sites))
      .then(() => redrawLabels(accountId))
      .catch(() => undefined);
}

/** The canvas measures a label again only for a node that is marked. */
function redrawLabels(accountId: string): void {
  RED.nodes.eachNode((node) => {
    if (node["account"] === accountId) Object.assign(node, { dirty: true, resize: true });
  });
  RED.view.redraw();
}

/** A button that runs the deployed node now, as a message would, if it can run without one as it is set. */
export function runButton(settings: Settings): EditorButton {
  return {
    enabled() {
      return !this.changed;
    },
    visible() {
      const uses = (key: string): boolean => isUsed(settings, key, (other) => this[other]);
      return uses("repeat") && (!uses("siteId") || hasSite(this));
    },
    onclick() {
      if (!this.changed) return run(this);
      notify("warning", RED._("notification.warnings.undeployedChanges"));
    },
  };
}

/** Whether the node has a site of its own; system ids are optional. */
function hasSite({ siteId, siteIdType = "str", systemIdType }: EditorNode): boolean {
  return Boolean(siteId) && siteIdType !== "msg" && systemIdType !== "msg";
}

function run(node: EditorNode): void {
  const label = RED.utils.getNodeLabel(node);
  adminRequest(["nodes", node.id, "run"], { body: {} }).then(
    () => notify("success", sharedText("button.started", { label })),
    (error: unknown) => notify("error", sharedText("button.failed", { reason: reasonOf(error) })),
  );
}
