// Registers routes of the admin API that only the editor of this Node-RED may use.
import type { IncomingMessage } from "node:http";
import type { NodeAPI } from "node-red";
import { parsedJson } from "../../../../src/canonical-json";
import {
  AbortedError,
  ConfigError,
  EnergyError,
  type ErrorCode,
  type ErrorKey,
  type ErrorText,
  errorText,
  InputError,
  type TextValue,
} from "../../../../src/errors";
import { MAX_ADMIN_BODY_BYTES, MAX_ERROR_LENGTH } from "../../../../src/limits";
import { isServiceObject } from "../../../../src/models/service-object";
import { shownText } from "../../../../src/shown-text";
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

export function adminRoute(RED: NodeAPI, { method, path, permission, handle }: AdminRoute): void {
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
  const answer: Handler = (request, response) => void answerRequest(request, response, method, handle);
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

/**
 * The body of a request: a small JSON object.
 * @param parsed what Node-RED has read already; undefined = nothing
 * @throws InputError for a body that is too large, or not a JSON object
 */
async function jsonBody(request: IncomingMessage, parsed: unknown): Promise<AdminRequest["body"]> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_ADMIN_BODY_BYTES)
    throw new InputError("adminTooLarge");
  // A page of another website could send a form without asking first.
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
    throw new InputError("adminNotJson");
  const body = parsed === undefined ? parsedJson(await textIn(request)) : parsed;
  if (!isServiceObject(body)) throw new InputError("adminNotJson");
  if (parsed !== undefined && Buffer.byteLength(JSON.stringify(body)) > MAX_ADMIN_BODY_BYTES)
    throw new InputError("adminTooLarge");
  return body;
}

async function textIn(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ADMIN_BODY_BYTES) throw new InputError("adminTooLarge");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

interface AdminFault {
  code: ErrorCode;
  /** The editor translates it. Its values are bounded, and hold no secret. */
  text: ErrorText;
}

const FORBIDDEN: readonly ErrorKey[] = ["adminOrigin", "adminHost"];
const NOT_FOUND: readonly ErrorKey[] = ["accountNotDeployed", "nodeNotDeployed"];

/** A code and a text, without internals. */
function adminFault(error: unknown): AdminFault {
  if (error instanceof EnergyError) return { code: error.code, text: shortened(error.text) };
  if (error instanceof AbortedError) return { code: "ENERGY_NETWORK", text: errorText("accountClosed") };
  // The message of a foreign error may hold anything.
  const reason = shownText(error instanceof Error ? error.name : typeof error, 80);
  return { code: "ENERGY_INTERNAL", text: errorText("internal", { reason }) };
}

/** The HTTP status of the answer. */
function faultStatus({ code, text }: AdminFault): number {
  if (FORBIDDEN.includes(text.key)) return 403;
  if (NOT_FOUND.includes(text.key)) return 404;
  if (text.key === "adminTooLarge") return 413;
  if (code === "ENERGY_INTERNAL" || code === "ENERGY_STORE") return 500;
  return code === "ENERGY_CONFIG" || code === "ENERGY_INPUT" ? 400 : 502;
}

function shortened({ key, values }: ErrorText): ErrorText {
  const entries = Object.entries(values).map(([name, value]) => [name, shortValue(value)] as const);
  return { key, values: Object.fromEntries(entries) };
}

function shortValue(value: TextValue): TextValue {
  if (typeof value === "string") return shownText(value, MAX_ERROR_LENGTH);
  return typeof value === "object" && "key" in value ? shortened(value) : value;
}

function answerFault(response: Response, error: unknown): void {
  const fault = adminFault(error);
  response.status(faultStatus(fault)).json({ fault });
}
