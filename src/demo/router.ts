// Routes a request to its endpoint, after checking its method, token and version.
import type { IncomingMessage } from "node:http";
import { PREVIEW_VERSION } from "../client/connection";
import type { Call, Endpoints } from "./endpoints";
import { badRequest, notFound, Refusal } from "./refusal";
import type { TokenStore } from "./tokens";

export function route(
  request: IncomingMessage,
  endpoints: Endpoints,
  tokens: TokenStore,
  now: number,
): unknown {
  // Not parsed as a URL, which would resolve dots that a client forgot to encode.
  const [path = "", query] = (request.url ?? "").split("?", 2);
  if (path === "/v1/auth") {
    requireMethod(request, "POST");
    return tokens.issue(request);
  }
  tokens.check(request);
  requireMethod(request, "GET");
  const pc1 = request.headers["vendorapi-version"] === PREVIEW_VERSION;
  return respond(path, endpoints, { query: new URLSearchParams(query), pc1, now });
}

function respond(path: string, endpoints: Endpoints, call: Call): unknown {
  const [, version, ...parts] = path.split("/").map(decode);
  const [resource, id = "", detail] = version === "v1" && parts.length <= 3 ? parts : [];
  if (resource === "alerts" && parts.length === 1) return endpoints.alerts(call);
  if (resource !== "sites") throw notFound("No such endpoint");
  if (parts.length === 1) return endpoints.sites(call);
  switch (detail) {
    case undefined:
      return endpoints.site(id, call);
    case "telemetry":
      return endpoints.telemetry(id, call);
    case "rgm-telemetry":
      return endpoints.rgmTelemetry(id, call);
    case "alerts":
      return endpoints.siteAlerts(id, call);
    default:
      throw notFound("No such endpoint");
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest("The path is not percent-encoded correctly");
  }
}

function requireMethod(request: IncomingMessage, method: string): void {
  if (request.method !== method) throw new Refusal(405, "METHOD_NOT_ALLOWED", `Use ${method}`);
}
