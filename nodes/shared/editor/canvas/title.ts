// The label on the canvas of a node without a name: its site, and what it reads there.
import { referenceName } from "../../../../src/settings/text";
import { shownText } from "../../../../src/shown-text";
import { siteName } from "./site-names";
import { sharedText } from "../texts";

/** Characters of a label. */
const LONGEST = 40;
/** Characters that a name keeps, however long the rest is. */
const SHORTEST_SITE = 10;

/** The user's name for the node, or "Demo house, new records". A node without an account has not been set up: its type says more. */
export function title(node: EditorNode, what: string, site = siteOf(node)): string {
  if (node.name) return node.name;
  if (!node["account"]) return node._("label.palette");
  // What is read may be a property that an imported flow sets to anything.
  const reading = shownText(what, LONGEST);
  if (!site) return reading;
  const length = Math.max(LONGEST - reading.length - 2, SHORTEST_SITE);
  return sharedText("title.site", { site: shownText(site, length), what: reading });
}

/** Undefined if only the runtime knows the site. */
function siteOf(node: EditorNode): string | undefined {
  const { account, siteId, siteIdType = "str" } = node;
  const isKnown = siteIdType === "str" && typeof siteId === "string" && referenceName(siteId) === undefined;
  if (!isKnown || siteId === "") return undefined;
  return siteId === "*" ? allSites() : (siteName(String(account), siteId) ?? siteId);
}

export function allSites(): string {
  return sharedText("title.allSites");
}
