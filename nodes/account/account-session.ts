// The connection of one account, established on first use and kept until the account is closed.
import { type ConnectionSettings, seesPc1 } from "../../src/client/connection";
import type { ServiceClient } from "../../src/client/service-client";
import { RuntimeClock, sharedClock, type TimeSource } from "../../src/clock";
import { digestOf } from "../../src/canonical-json";
import { type ErrorText, errorText } from "../../src/errors";
import type { SeriesBook } from "../../src/series/series-book";
import type { StoredAnswer } from "../../src/series/site-memory";
import { withoutTrailingSlash } from "../../src/settings/rules";
import { cachedPromise } from "../../src/single-flight";
import type { StateGroup } from "../../src/stored-state";
import { correctionText } from "../../src/time-units";
import type { AccountChoices } from "./admin/account-choices";
import { DEMO_SETTINGS } from "./account-settings";

/** The connection that the nodes of an account share. */
export interface AccountConnection {
  client: ServiceClient;
  /** What requests show with, or without, the header for PC1: the same, if the account sends it anyway. */
  books: { readonly plain: SeriesBook; readonly pc1: SeriesBook };
  credentialsKey: string;
  choices: AccountChoices;
}

export interface AccountTarget {
  settings: ConnectionSettings;
  /** Stops the simulated service, if there is one. */
  close?: () => Promise<void>;
}

/** Starts the simulated service, which runs in this process and needs no settings. */
export async function demoTarget(): Promise<AccountTarget> {
  // Loaded only in demo mode.
  const server: typeof import("../../src/demo/server") = require("../../src/demo/server");
  const demo = await server.startDemoService(() => sharedClock.now(), DEMO_SETTINGS);
  const settings = { ...DEMO_SETTINGS, baseUrl: demo.baseUrl };
  return { settings, close: () => demo.close() };
}

interface AccountSessionOptions {
  /** Warns the owner of the account; without it, the account is only being tried. */
  warn?: (text: ErrorText) => void;
  /** Follows the service; by default, no node does. */
  clock?: RuntimeClock;
  /** Keeps the systems of sites across restarts: another service, or client, may show others. */
  stored?: (pc1: boolean, credentials: string) => StateGroup<StoredAnswer> | undefined;
}

export class AccountSession {
  readonly #findTarget: () => Promise<AccountTarget>;
  readonly #options: AccountSessionOptions;
  #connection: Promise<AccountConnection> | undefined;
  #target: AccountTarget | undefined;
  #time: TimeSource | undefined;

  /** @param findTarget throws ConfigError; called again for the next use if it does */
  constructor(findTarget: () => Promise<AccountTarget>, options: AccountSessionOptions = {}) {
    this.#findTarget = findTarget;
    this.#options = options;
  }

  /** The service has a say in the time from now on: until its first response, the time is not sure. */
  readonly keepTime = (): TimeSource =>
    (this.#time ??= (this.#options.clock ?? new RuntimeClock()).open((correction) =>
      this.#options.warn?.(correctionText(correction)),
    ));

  /** Rejects with what `findTarget` throws: an environment variable or another node may be available next time. */
  readonly connection = cachedPromise(() => (this.#connection = this.#connect()));

  /** Aborts all requests. Later requests of the same connection reject with AbortedError. */
  async close(): Promise<void> {
    const established = await this.#connection?.catch(() => undefined);
    established?.client.close();
    this.#time?.close();
    await Promise.all(Object.values(established?.books ?? {}).map((book) => book.flush()));
    await this.#target?.close?.();
  }

  async #connect(): Promise<AccountConnection> {
    this.#target ??= await this.#findTarget();
    const { settings } = this.#target;
    // Loaded on first use, so that they do not slow down Node-RED's start.
    const service: typeof import("../../src/client/service-client") = require("../../src/client/service-client");
    const series: typeof import("../../src/series/series-book") = require("../../src/series/series-book");
    const dialogs: typeof import("./admin/account-choices") = require("./admin/account-choices");
    const client = service.createServiceClient(settings, this.keepTime());
    for (const warning of tlsWarnings(settings)) this.#options.warn?.(warning);
    const pc1 = seesPc1(settings);
    const choices = new dialogs.AccountChoices(client.forDialogs(), pc1);
    // The port of the simulated service is another at each start.
    const url = this.#target.close ? "" : withoutTrailingSlash(settings.baseUrl);
    const credentialsKey = digestOf([url, settings.clientId]);
    const bookOf = (isPc1: boolean): SeriesBook =>
      new series.SeriesBook(client, isPc1, this.#options.stored?.(isPc1, credentialsKey));
    const plain = bookOf(pc1);
    const books = { plain, pc1: pc1 ? plain : bookOf(true) };
    return { client, books, choices, credentialsKey };
  }
}

/** What TLS settings allow, perhaps by mistake. */
function tlsWarnings(settings: ConnectionSettings): ErrorText[] {
  const { protocol, hostname } = new URL(settings.baseUrl);
  if (protocol !== "https:") return [];
  const isUnverified = process.env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0";
  const { servername = "", rejectUnauthorized = !isUnverified } = settings.tls ?? {};
  const isOther = servername !== "" && servername.toLowerCase() !== hostname;
  return [
    ...(rejectUnauthorized ? [] : [errorText("tlsUnverified")]),
    ...(isOther ? [errorText("tlsServername", { name: servername, host: hostname })] : []),
  ];
}
