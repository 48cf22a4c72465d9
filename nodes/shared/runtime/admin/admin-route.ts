// Registers routes of the admin API that only the editor of this Node-RED may use.
import type { NodeAPI } from "node-red";
import {
  ConfigError,
  type EnergyError,
  type ErrorKey,
  errorText,
  InputError,
  type TextValue,
  withValues,
} from "../../../../src/errors";
import { MAX_ADMIN_BODY_BYTES, MAX_ERROR_LENGTH } from "../../../../src/limits";
import { isServiceObject } from "../../../../src/models/service-object";
import { shownText } from "../../../../src/shown-text";
import { publicError } from "../base/errors";
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
    else answerFault(response, new ConfigError("adminOrigin"));
  };
  /** Comes after the permission is checked: a user who has logged in has proved that no other website sent the request. */
  const refuseForeignHost: Handler = (request, response, next) => {
    const host = shownText(request.headers.host ?? "", 80);
    if (isLoggedIn(RED, request) || isOwnHost(request.headers, knownHosts(RED))) next();
    else answerFault(response, new ConfigError("adminHost", { host }));
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
  request: Request,
  response: Response,
  { method, handle }: AdminRoute,
): Promise<void> {
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  try {
    const params = request.params as Record<string, string>;
    const [, search] = request.originalUrl.split("?", 2);
    const query = Object.fromEntries(new URLSearchParams(search));
    const body = method === "post" ? jsonBody(request) : {};
    const result = await handle({ params, query, body, signal: leaving.signal });
    response.json(result);
  } catch (error) {
    if (!response.headersSent) answerFault(response, error);
  }
}

/** The body of a request, which Node-RED has parsed: a small JSON object. Throws InputError. */
function jsonBody({ headers, body: parsed }: Request): AdminRequest["body"] {
  const body: unknown = parsed;
  if (Number(headers["content-length"] ?? 0) > MAX_ADMIN_BODY_BYTES) throw new InputError("adminTooLarge");
  // A page of another website could send a form without asking first.
  const isJson = /^application\/json\b/i.test(headers["content-type"] ?? "");
  if (!isJson || !isServiceObject(body)) throw new InputError("adminNotJson");
  if (Buffer.byteLength(JSON.stringify(body)) > MAX_ADMIN_BODY_BYTES) throw new InputError("adminTooLarge");
  return body;
}

const FORBIDDEN: readonly ErrorKey[] = ["adminOrigin", "adminHost"];
const NOT_FOUND: readonly ErrorKey[] = ["accountNotDeployed", "nodeNotDeployed"];

function faultStatus({ code, text }: Pick<EnergyError, "code" | "text">): number {
  if (FORBIDDEN.includes(text.key)) return 403;
  if (NOT_FOUND.includes(text.key)) return 404;
  if (text.key === "adminTooLarge") return 413;
  if (code === "ENERGY_INTERNAL" || code === "ENERGY_STORE") return 500;
  return code === "ENERGY_CONFIG" || code === "ENERGY_INPUT" ? 400 : 502;
}

/** Answers a code and a text that the editor translates, without internals: its values are bounded, and hold no secret. */
function answerFault(response: Response, error: unknown): void {
  const { code, text } = publicError(error);
  // The message of a foreign error may hold anything.
  const reason = error instanceof Error ? error.name : typeof error;
  const known = text.key === "internal" ? errorText("internal", { reason }) : text;
  const shown = (value: TextValue): TextValue =>
    typeof value === "string" ? shownText(value, MAX_ERROR_LENGTH) : value;
  const fault = { code, text: withValues(known, shown) };
  response.status(faultStatus(fault)).json({ fault });
}
