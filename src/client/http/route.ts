// The way to the service: an agent of the account's own, direct or through a proxy, that keeps connections alive.
import http from "node:http";
import https from "node:https";
import type { ConnectionSettings } from "../connection";
import { createProxyAgent } from "./proxy-agent";
import { proxyFor } from "./proxy-choice";

export interface Route {
  agent: http.Agent;
  /** For error texts; holds no user name and no password. */
  name: string;
}

export function createRoute(settings: ConnectionSettings): Route {
  const url = new URL(settings.baseUrl);
  const secure = url.protocol === "https:";
  const proxy = proxyFor(url, settings.proxy);
  if (proxy !== undefined) {
    const agent = createProxyAgent(proxy, secure, settings.tls ?? {}, settings.timeoutSeconds * 1000);
    return { agent, name: `${url.host} through the proxy ${proxy.host}` };
  }
  const agent = secure
    ? new https.Agent({ ...settings.tls, keepAlive: true })
    : new http.Agent({ keepAlive: true });
  return { agent, name: url.host };
}
