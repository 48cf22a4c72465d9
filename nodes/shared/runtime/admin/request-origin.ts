// Tells requests of this Node-RED's own editor from those of other websites, which Node-RED's admin API would answer as well.
import { BlockList, isIP } from "node:net";

/** The headers of a request, with their names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Names that are reserved for private use, so that no website can point them at this machine: RFC 6761, 6762, 8375, and what ICANN
 * set aside. Others that routers hand out, such as those under .box, are for sale; and a final dot makes a top-level domain.
 */
const PRIVATE_NAME = /^[^.]+$|(^|\.)localhost\.?$|\.(local|internal|home\.arpa)\.?$/;

const PRIVATE_ADDRESSES = new BlockList();
for (const [net, prefix] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  PRIVATE_ADDRESSES.addSubnet(net, prefix, "ipv4");
PRIVATE_ADDRESSES.addAddress("::1", "ipv6");
PRIVATE_ADDRESSES.addSubnet("fc00::", 7, "ipv6");
PRIVATE_ADDRESSES.addSubnet("fe80::", 10, "ipv6");

/**
 * Whether the request comes from a page of the same origin. `Sec-Fetch-Site` and `Origin` are set by the browser alone.
 * X-Forwarded-Host is not considered: any page may send it.
 * @param knownHosts hosts, with or without a port, by which a proxy makes Node-RED available
 */
export function isSameOrigin(headers: Headers, knownHosts: readonly string[]): boolean {
  // A form, an image or a link cannot set a header.
  if (textOf(headers["x-requested-with"]) !== "XMLHttpRequest") return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin } = headers;
  if (origin === undefined) return true;
  const host = URL.canParse(textOf(origin)) ? new URL(textOf(origin)).host : "";
  return host !== "" && (host === textOf(headers["host"]).toLowerCase() || isListed(host, knownHosts));
}

/**
 * Whether Node-RED was addressed by a name that only its own network knows: otherwise a website may have made its own name
 * point to this machine (DNS rebinding), and the browser would take the two for one origin.
 */
export function isOwnHost(headers: Headers, knownHosts: readonly string[]): boolean {
  const host = textOf(headers["host"]).toLowerCase();
  const name = nameOf(host);
  const address = name.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  const isOwn =
    family === 0 ? PRIVATE_NAME.test(name) : PRIVATE_ADDRESSES.check(address, family === 6 ? "ipv6" : "ipv4");
  return isOwn || isListed(host, knownHosts);
}

function isListed(host: string, knownHosts: readonly string[]): boolean {
  const listed = knownHosts.map((known) => known.toLowerCase());
  return listed.includes(host) || listed.includes(nameOf(host));
}

/** The host without its port. */
function nameOf(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
}

function textOf(header: string | string[] | undefined): string {
  return typeof header === "string" ? header : "";
}
