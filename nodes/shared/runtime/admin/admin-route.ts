// Registers routes of the admin API that only the editor of this Node-RED may use.
import type { NodeAPI } from "node-red";
import { ConfigError } from "../../../../src/errors";
import { shownText } from "../../../../src/shown-text";
import { adminFault, faultStatus } from "./admin-fault";
import { jsonBody } from "./json-body";
import { isOwnHost, isSameOrigin } from "./request-origin";

export interface AdminRequest {
  /** The `:name` parts of the path, decoded. */
  params: Readonly<Record<string, string>>;
  /** Of a name that is repeated, the last value. */
  query: Readonly<Record<string, string | undefined>>;
  /** A JSON object of at most 64 KiB as it was sent: nothing in it has been checked. Empty for GET. */
  body: Readonly<Record<string, unknown>>;
  /** Aborts when the editor no longer waits for the answer. */
  signal: AbortSignal;
}

export interface AdminRoute {
  method: "get" | "post";
  /** Without a slash in front, e.g. `energy-sites/accounts/:id/sites`. */
  path: string;
  permission: "energy-account.read" | "energy-account.write";
  /** Resolves to what is answered as JSON. An error is answered as `{fault}`, see admin-fault.ts. */
  handle: (request: AdminRequest) => Promise<unknown>;
}

type Handler = ReturnType<NodeAPI["auth"]["needsPermission"]>;
type Request = Parameters<Handler>[0];
type Response = Parameters<Handler>[1];

/** Hosts, in settings.js, by which a proxy makes this Node-RED available: `energyAccountHosts: ["node-red.example"]`. */
const HOSTS_SETTING = "energyAccountHosts";

export function adminRoute(RED: NodeAPI, { method, path, permission, handle }: AdminRoute): void {
  const answer: Handler = (request, response) => void answerRequest(request, response, method, handle);
  RED.httpAdmin[method](
    `/${path}`,
    refuseForeignOrigin(RED),
    RED.auth.needsPermission(permission),
    refuseForeignHost(RED),
    answer,
  );
}

function refuseForeignOrigin(RED: NodeAPI): Handler {
  return (request, response, next) => {
    response.setHeader("Cache-Control", "no-store");
    // Node-RED lets every website read its answers.
    response.removeHeader("Access-Control-Allow-Origin");
    if (isSameOrigin(request.headers, knownHosts(RED))) next();
    else answerFault(response, new ConfigError("adminOrigin"));
  };
}

/** Comes after the permission is checked: a user who has logged in has proved that no other website sent the request. */
function refuseForeignHost(RED: NodeAPI): Handler {
  return (request, response, next) => {
    if (isLoggedIn(RED, request) || isOwnHost(request.headers, knownHosts(RED))) next();
    else
      answerFault(
        response,
        new ConfigError("adminHost", { host: shownText(request.headers.host ?? "", 80) }),
      );
  };
}

function isLoggedIn(RED: NodeAPI, request: Request): boolean {
  const { user } = request as { user?: { anonymous?: boolean } };
  return settingOf(RED, "adminAuth") !== undefined && user !== undefined && user.anonymous !== true;
}

function knownHosts(RED: NodeAPI): string[] {
  const hosts = settingOf(RED, HOSTS_SETTING);
  return Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [];
}

function settingOf(RED: NodeAPI, name: string): unknown {
  return (RED.settings as unknown as Record<string, unknown>)[name];
}

async function answerRequest(
  request: Request,
  response: Response,
  method: AdminRoute["method"],
  handle: AdminRoute["handle"],
): Promise<void> {
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  try {
    const params = request.params as Record<string, string>;
    const [, search] = request.originalUrl.split("?", 2);
    const query = Object.fromEntries(new URLSearchParams(search));
    const body = method === "post" ? await jsonBody(request, request.body) : {};
    const result = await handle({ params, query, body, signal: leaving.signal });
    response.json(result);
  } catch (error) {
    if (!response.headersSent) answerFault(response, error);
  }
}

function answerFault(response: Response, error: unknown): void {
  const fault = adminFault(error);
  response.status(faultStatus(fault)).json({ fault });
}
