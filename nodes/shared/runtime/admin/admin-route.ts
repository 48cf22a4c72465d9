// Registers routes of the admin API that only the editor of this Node-RED may use: Node-RED itself would answer other websites, too.
import { BlockList, isIP, isIPv6 } from "node:net";
import type { NodeAPI } from "node-red";
import { ConfigError, errorText } from "../../../../src/errors";
import { arrayOf, objectOf } from "../../../../src/models/service-object";
import { shownText } from "../../../../src/shown-text";
import { publicError } from "../base/errors";

export interface AdminRequest {
  /** Of the node, as in the path. */
  id: string;
  /** The parameters of the URL and, of a POST, the properties of the JSON object that was sent: nothing in them has been checked. */
  values: Readonly<Record<string, unknown>>;
  /** Aborts when the editor no longer waits for the answer. */
  signal: AbortSignal;
}

export interface AdminRoute {
  /** To get something takes permission to read accounts, to post to write them. */
  method: "get" | "post";
  /** With the id of a node, such as `accounts/:id/sites`. */
  path: string;
  /** Resolves to what is answered as JSON. An error is answered as `{fault}`. */
  handle: (request: AdminRequest) => Promise<unknown>;
}

type Handler = ReturnType<NodeAPI["auth"]["needsPermission"]>;
type Request = Parameters<Handler>[0];
type Response = Parameters<Handler>[1];
type Headers = Request["headers"];

/** Hosts, in settings.js, by which a proxy makes this Node-RED available: `energyAccountHosts: ["node-red.example"]`. */
const HOSTS_SETTING = "energyAccountHosts";

export function adminRoute(RED: NodeAPI, route: AdminRoute): void {
  const { method, path } = route;
  /** A website that is open in the same browser must not use the editor's session. */
  const refuseForeignOrigin: Handler = (request, response, next) => {
    response.setHeader("Cache-Control", "no-store");
    // Node-RED lets every website read its answers.
    response.removeHeader("Access-Control-Allow-Origin");
    if (isSameOrigin(request.headers, knownHosts(RED))) next();
    else answerFault(response, new ConfigError("adminOrigin"), 403);
  };
  /** After the permission is checked: a user who has logged in has proved that no other website sent the request. */
  const refuseForeignHost: Handler = (request, response, next) => {
    const host = shownText(request.headers.host ?? "", 80);
    if (isLoggedIn(RED, request) || isOwnHost(request.headers, knownHosts(RED))) next();
    else answerFault(response, new ConfigError("adminHost", { host }), 403);
  };
  const answer: Handler = (request, response) => void answerRequest(request, response, route);
  const needsPermission = RED.auth.needsPermission(`energy-account.${method === "get" ? "read" : "write"}`);
  RED.httpAdmin[method](
    `/energy-sites/${path}`,
    refuseForeignOrigin,
    needsPermission,
    refuseForeignHost,
    answer,
  );
}

function isLoggedIn(RED: NodeAPI, request: Request): boolean {
  const { user } = request as { user?: { anonymous?: boolean } };
  return settingOf(RED, "adminAuth") !== undefined && user !== undefined && user.anonymous !== true;
}

function knownHosts(RED: NodeAPI): string[] {
  return arrayOf(settingOf(RED, HOSTS_SETTING)).filter((host) => typeof host === "string");
}

function settingOf(RED: NodeAPI, name: string): unknown {
  return (RED.settings as unknown as Record<string, unknown>)[name];
}

async function answerRequest(
  { params, query, body }: Request,
  response: Response,
  { handle }: AdminRoute,
): Promise<void> {
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  const values = { ...query, ...objectOf(body) };
  try {
    response.json(await handle({ id: String(params["id"]), values, signal: leaving.signal }));
  } catch (error) {
    if (!response.headersSent) answerFault(response, error);
  }
}

const STATUSES: Readonly<Record<string, number>> = {
  ENERGY_CONFIG: 400,
  ENERGY_INPUT: 400,
  ENERGY_INTERNAL: 500,
  ENERGY_STORE: 500,
};

/** Answers a code and a text that the editor translates. */
function answerFault(response: Response, error: unknown, status?: number): void {
  const { code, text } = publicError(error);
  // The message of a foreign error may hold anything.
  const reason = error instanceof Error ? error.name : typeof error;
  const shown = text.key === "internal" ? errorText("internal", { reason }) : text;
  response.status(status ?? STATUSES[code] ?? 502).json({ fault: { code, text: shown } });
}

/**
 * Names that are reserved for private use, so that no website can point them at this machine: RFC 6761, 6762, 8375, and what ICANN
 * set aside. Others that routers hand out, such as those under .box, are for sale; and a final dot makes a top-level domain.
 */
const PRIVATE_NAME = /^[^.]+$|(^|\.)localhost\.?$|\.(local|internal|home\.arpa)\.?$/;

const PRIVATE_NETS =
  "10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7 fe80::/10";
const PRIVATE_ADDRESSES = new BlockList();
for (const net of PRIVATE_NETS.split(" ")) {
  const [address = "", prefix] = net.split("/");
  PRIVATE_ADDRESSES.addSubnet(address, Number(prefix), isIPv6(address) ? "ipv6" : "ipv4");
}

/**
 * Whether the request comes from a page of the same origin. `Sec-Fetch-Site` and `Origin` are set by the browser alone.
 * X-Forwarded-Host is not considered: any page may send it.
 * @param knownHosts hosts, with or without a port, by which a proxy makes Node-RED available
 */
function isSameOrigin(headers: Headers, knownHosts: readonly string[]): boolean {
  // A form, an image or a link cannot set a header.
  if (headers["x-requested-with"] !== "XMLHttpRequest") return false;
  const { origin, host = "", "sec-fetch-site": site } = headers;
  if (site !== undefined) return site === "same-origin";
  if (origin === undefined) return true;
  const from = URL.canParse(origin) ? new URL(origin).host : "";
  return from !== "" && (from === host.toLowerCase() || isListed(from, knownHosts));
}

/**
 * Whether Node-RED was addressed by a name that only its own network knows: otherwise a website may have made its own name
 * point to this machine (DNS rebinding), and the browser would take the two for one origin.
 */
function isOwnHost(headers: Headers, knownHosts: readonly string[]): boolean {
  const host = headers.host?.toLowerCase() ?? "";
  const name = nameOf(host);
  const address = name.replace(/^\[(.*)\]$/, "$1");
  const isOwn =
    isIP(address) === 0
      ? PRIVATE_NAME.test(name)
      : PRIVATE_ADDRESSES.check(address, isIPv6(address) ? "ipv6" : "ipv4");
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
