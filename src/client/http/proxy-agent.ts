// Agents that tunnel through a proxy and keep the tunnels alive; destroying one also ends tunnels still being opened.
import type { Agent } from "node:http";
import type { AgentOptions } from "node:https";

/**
 * @param secure whether TLS to the service runs inside the tunnel
 * @param timeoutMs how long opening a tunnel may take
 */
export function createProxyAgent(proxy: URL, secure: boolean, tls: AgentOptions, timeoutMs: number): Agent {
  const { HttpProxyAgent, HttpsProxyAgent }: typeof import("hpagent") = require("hpagent");
  const agent = secure
    ? new HttpsProxyAgent({ ...tls, keepAlive: true, proxy })
    : new HttpProxyAgent({ keepAlive: true, proxy });
  boundTunnels(agent, { ca: tls.ca, rejectUnauthorized: tls.rejectUnauthorized }, timeoutMs);
  return agent;
}

/** hpagent lets go of a CONNECT until it is answered; here each gets a signal that a timer and destroy() abort. */
function boundTunnels(agent: Agent, requestOptions: object, timeoutMs: number): void {
  const connect = agent.createConnection.bind(agent);
  const destroy = agent.destroy.bind(agent);
  const opening = new Set<AbortController>();

  agent.createConnection = (options, connected) => {
    const attempt = new AbortController();
    const timer = setTimeout(() => attempt.abort(), timeoutMs);
    opening.add(attempt);
    // hpagent reads this at once, when it makes the CONNECT request.
    Object.assign(agent, { proxyRequestOptions: { ...requestOptions, signal: attempt.signal } });
    return connect(options, (error, socket) => {
      clearTimeout(timer);
      opening.delete(attempt);
      connected?.(error, socket);
    });
  };
  agent.destroy = () => {
    for (const attempt of opening) attempt.abort();
    destroy();
  };
}
