// One HTTP exchange: a request out, the text of the answer back, within the account's timeout.
import type { AxiosInstance } from "axios";
import type { Agent } from "node:http";
import { VERSION } from "../../version";
import { connectionFailure } from "./connection-failure";
import type { ConnectionSettings } from "../connection";
import { AbortedError, TimeoutError } from "../../errors";
import { isProxyInEnvironment } from "./proxy-choice";
import { parseRetryAfter } from "./retry";
import { createRoute } from "./route";

const LARGEST_ANSWER_BYTES = 32 * 2 ** 20;

export interface HttpRequest {
  method: "GET" | "POST";
  /** Absolute, on the account's base URL. */
  url: string;
  headers: Record<string, string>;
}

export interface HttpAnswer {
  status: number;
  text: string;
  contentType: string;
  /** The Link header, "" for none. */
  link: string;
  /** Seconds. */
  retryAfter?: number | undefined;
}

interface Connection {
  axios: Pick<AxiosInstance, "request">;
  agent: Agent;
  routeName: string;
}

export class Exchange {
  private connection: Connection | undefined;

  constructor(private readonly settings: ConnectionSettings) {}

  /**
   * Answers of every status come back; redirects are not followed, so the token goes nowhere else.
   * @throws TimeoutError, NetworkError, ResponseError, AbortedError; ConfigError for a proxy that cannot be used
   */
  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    this.connection ??= connect(this.settings);
    const { axios, routeName } = this.connection;
    const exchange = new AbortController();
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      exchange.abort();
    }, this.settings.timeoutSeconds * 1000);
    const giveUp = (): void => exchange.abort();
    signal.addEventListener("abort", giveUp);
    try {
      const { status, data, headers } = await axios.request<string>({
        ...request,
        ...ownRoute(request.url),
        signal: exchange.signal,
      });
      const header = (name: string): string | undefined => headers[name]?.toString();
      return {
        status,
        text: data,
        contentType: header("content-type") ?? "",
        link: header("link") ?? "",
        retryAfter: parseRetryAfter(header("retry-after"), header("date")),
      };
    } catch (error) {
      if (signal.aborted) throw new AbortedError();
      if (isTimedOut)
        throw new TimeoutError("timedOut", { route: routeName, seconds: this.settings.timeoutSeconds });
      throw connectionFailure(error, routeName, LARGEST_ANSWER_BYTES);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** Closes the idle connections; those in use are closed by the signals of their requests. */
  close(): void {
    this.connection?.agent.destroy();
  }
}

/**
 * The agent is the way, proxy included, so axios is to choose none. That is said only where it would: after a request with
 * `proxy: false`, its garbage lives until the next full collection (axios 1.21), 100 MiB of it in a year of records.
 */
function ownRoute(url: string): { proxy?: false } {
  return isProxyInEnvironment(url) ? { proxy: false } : {};
}

/** axios takes 100 ms to load: only here, when the first request is sent. The bare class has no defaults that others could have changed. */
function connect(settings: ConnectionSettings): Connection {
  const { Axios }: typeof import("axios") = require("axios");
  const { agent, name } = createRoute(settings);
  const axios = new Axios({
    adapter: "http",
    httpAgent: agent,
    httpsAgent: agent,
    maxRedirects: 0,
    maxContentLength: LARGEST_ANSWER_BYTES,
    responseType: "text",
    validateStatus: () => true,
    headers: {
      Accept: "application/json",
      "User-Agent": `energy-sites-node-red/${VERSION} (@energy-sites/node-red)`,
    },
  });
  return { axios, agent, routeName: name };
}
