// Registers routes of the admin API that only the editor of this Node-RED may use.
import type { NodeAPI } from "node-red";
import { ConfigError, errorText } from "../../../../src/errors";
import { isServiceObject } from "../../../../src/models/service-object";
import { shownText } from "../../../../src/shown-text";
import { publicError } from "../base/errors";
import { isOwnHost, isSameOrigin } from "./request-origin";

export interface AdminRequest {
  /** The `:name` parts of the path, decoded. */
  params: Readonly<Record<string, string>>;
  /** The parameters of the URL and, of a POST, the properties of the JSON object that was sent: nothing in them has been checked. */
  values: Readonly<Record<string, unknown>>;
  /** Aborts when the editor no longer waits for the answer. */
  signal: AbortSignal;
}

export interface AdminRoute {
  method: "get" | "post";
  /** Without a slash in front, e.g. `energy-sites/accounts/:id/sites`. */
  path: string;
  permission: "energy-account.read" | "energy-account.write";
  /** Resolves to what is answered as JSON. An error is answered as `{fault}`. */
  handle: (request: AdminRequest) => Promise<unknown>;
}

type Handler = ReturnType<NodeAPI["auth"]["needsPermission"]>;
type Request = Parameters<Handler>[0];
type Response = Parameters<Handler>[1];

/** Hosts, in settings.js, by which a proxy makes this Node-RED available: `energyAccountHosts: ["node-red.example"]`. */
const HOSTS_SETTING = "energyAccountHosts";

export function adminRoute(RED: NodeAPI, route: AdminRoute): void {
  const { method, path, permission } = route;
  /** A website that is open in the same browser must not use the editor's session. */
  const refuseForeignOrigin: Handler = (request, response, next) => {
    response.setHeader("Cache-Control", "no-store");
    // Node-RED lets every website read its answers.
    response.removeHeader("Access-Control-Allow-Origin");
    if (isSameOrigin(request.headers, knownHosts(RED))) next();
    else answerFault(response, new ConfigError("adminOrigin"), 403);
  };
  /** Comes after the permission is checked: a user who has logged in has proved that no other website sent the request. */
  const refuseForeignHost: Handler = (request, response, next) => {
    const host = shownText(request.headers.host ?? "", 80);
    if (isLoggedIn(RED, request) || isOwnHost(request.headers, knownHosts(RED))) next();
    else answerFault(response, new ConfigError("adminHost", { host }), 403);
  };
  const answer: Handler = (request, response) => void answerRequest(request, response, route);
  const needsPermission = RED.auth.needsPermission(permission);
  RED.httpAdmin[method](`/${path}`, refuseForeignOrigin, needsPermission, refuseForeignHost, answer);
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
  { params, query, body }: Request,
  response: Response,
  { handle }: AdminRoute,
): Promise<void> {
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  const values = { ...query, ...(isServiceObject(body) ? body : {}) };
  try {
    response.json(await handle({ params: params as AdminRequest["params"], values, signal: leaving.signal }));
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
