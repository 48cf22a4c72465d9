// One HTTP exchange: sends a request and receives the text of its response, within the account's timeout.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AxiosAdapter, AxiosInstance } from "axios";
import type { ServiceClock } from "../../clock";
import { AbortedError, EnergyError, type TextValue, TimeoutError } from "../../errors";
import { cachedPromise } from "../../single-flight";
import { MAX_ANSWER_BYTES } from "../../limits";
import { VERSION } from "../../version";
import type { ConnectionSettings } from "../connection";
import { connectionFailure, ExchangeTimeout } from "./failure";
import { serviceTimeOf } from "./http-date";
import type { HttpRequest } from "./request";
import { HttpResponse, isSuccess } from "./response";
import { parseRetryAfter } from "./retry";

interface Connection {
  axios: Pick<AxiosInstance, "request">;
  adapterFor: (headers: HttpRequest["headers"]) => AxiosAdapter;
  routeName: TextValue;
  close(): void;
}

export class Exchange {
  readonly #open = cachedPromise(() => this.#connect());
  #connection: Connection | undefined;
  #isClosed = false;
  readonly #settings: ConnectionSettings;
  readonly #clock: ServiceClock;

  /** @param clock learns the service's time from every successful response */
  constructor(settings: ConnectionSettings, clock: ServiceClock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /**
   * The response, whatever its status. Redirects are not followed, so that the token goes nowhere else.
   * @throws TimeoutError, NetworkError, ResponseError, AbortedError; ConfigError for an invalid proxy
   */
  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    if (signal.aborted) throw new AbortedError();
    const connection = this.#connection ?? (await this.#open());
    if (signal.aborted) throw new AbortedError();
    try {
      return await this.#receive(connection, request, signal);
    } catch (error) {
      throw signal.aborted ? new AbortedError() : this.#failure(error, connection.routeName);
    }
  }

  /** Closes all connections, including those still being opened. */
  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
  }

  async #connect(): Promise<Connection> {
    this.#connection = await connect(this.#settings);
    if (this.#isClosed) this.#connection.close();
    return this.#connection;
  }

  async #receive(
    { axios, adapterFor }: Connection,
    { method, url, headers: sent, maxBytes }: HttpRequest,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const sentAt = this.#clock.monotonic();
    const { status, data, headers } = await axios.request<string>({
      url,
      signal,
      adapter: adapterFor(sent),
      ...(method === "GET" ? {} : { method }),
      ...(maxBytes === undefined ? {} : { maxContentLength: maxBytes }),
    });
    const header = (name: string): string | undefined => headers[name]?.toString();
    const retryAfter = parseRetryAfter(header("retry-after"), header("date"));
    const contentType = header("content-type") ?? "";
    const response = new HttpResponse(status, data, contentType, header("link") ?? "", retryAfter);
    if (isSuccess(response)) this.#clock.observe(serviceTimeOf(header("date"), header("age")), sentAt);
    return response;
  }

  #failure(error: unknown, route: TextValue): EnergyError {
    const { timeoutSeconds: seconds } = this.#settings;
    if (error instanceof ExchangeTimeout) return new TimeoutError("timedOut", { route, seconds });
    return error instanceof EnergyError ? error : connectionFailure(error, route);
  }
}

/**
 * Loads axios and undici on the first request, since that takes 100 ms, in a turn of the event loop each. Other packages
 * cannot alter a bare Axios.
 */
async function connect(settings: ConnectionSettings): Promise<Connection> {
  await nextTurn();
  // axios first: it makes Node.js set up its own fetch. Otherwise our undici would serve fetch for the whole process.
  const { Axios }: typeof import("axios") = require("axios");
  await nextTurn();
  const { createRoute }: typeof import("./route") = require("./route");
  const { undiciAdapter }: typeof import("./adapter") = require("./adapter");
  const route = createRoute(settings);
  // What all requests have in common is not left to axios, which would merge and check it for each of them.
  const adapterFor = undiciAdapter(route.pool, {
    headers: {
      Accept: "application/json",
      "Accept-Encoding": "gzip, br, deflate",
      "User-Agent": `energy-sites-node-red/${VERSION} (@energy-sites/node-red)`,
    },
    timeoutMs: settings.timeoutSeconds * 1000,
    maxBytes: MAX_ANSWER_BYTES,
  });
  return { axios: new Axios(), adapterFor, routeName: route.name, close: () => route.close() };
}
