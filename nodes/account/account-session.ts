// The connection of one account, established on first use and kept until the account is closed.
import type { Node, NodeAPI } from "node-red";
import { type ConnectionSettings, verifiesServer } from "../../src/client/connection";
import type { CorrectedClock } from "../../src/clock";
import { type ErrorText, errorText } from "../../src/errors";
import { correctionText } from "../shared/runtime/base/status";
import type { AccountConnection } from "./account-connection";
import { type AccountDef, demoSettings } from "./account-settings";

/** What an account connects to. */
export interface AccountTarget {
  settings: ConnectionSettings;
  /** Stops the simulated service, if there is one. */
  close?: () => Promise<void>;
}

/** Starts the simulated service, which runs in this process and needs no settings. Throws ConfigError. */
export async function demoTarget(RED: NodeAPI, node: Node, config: AccountDef): Promise<AccountTarget> {
  // Loaded only in demo mode.
  const {
    DEMO_CREDENTIALS,
    startDemoService,
  }: typeof import("../../src/demo/server") = require("../../src/demo/server");
  const demo = await startDemoService();
  try {
    const settings = demoSettings(RED, node, config, { baseUrl: demo.baseUrl, ...DEMO_CREDENTIALS });
    return { settings, close: () => demo.close() };
  } catch (error) {
    await demo.close();
    throw error;
  }
}

export class AccountSession {
  readonly #findTarget: () => Promise<AccountTarget>;
  readonly #warn: ((text: ErrorText) => void) | undefined;
  #connection: Promise<AccountConnection> | undefined;
  #target: AccountTarget | undefined;
  #clock: CorrectedClock | undefined;

  /**
   * @param findTarget throws ConfigError; called again for the next use if it does
   * @param warn warns the owner of the account; without it, the account is only being tried, and no node follows its clock
   */
  constructor(findTarget: () => Promise<AccountTarget>, warn?: (text: ErrorText) => void) {
    this.#findTarget = findTarget;
    this.#warn = warn;
  }

  /** The service's clock, once there is a connection. */
  get clock(): CorrectedClock | undefined {
    return this.#clock;
  }

  /** Rejects with what `findTarget` throws. */
  connection(): Promise<AccountConnection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      // Don't cache the failure: an environment variable or another node may be available next time.
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  /** Aborts all requests. Later requests of the same connection reject with AbortedError. */
  async close(): Promise<void> {
    const established = await this.#connection?.catch(() => undefined);
    established?.client.close();
    await this.#target?.close?.();
  }

  async #connect(): Promise<AccountConnection> {
    this.#target ??= await this.#findTarget();
    const { settings } = this.#target;
    const { connectAccount }: typeof import("./account-connection") = require("./account-connection");
    const onClockCorrected = (correction: number): void => this.#warn?.(correctionText(correction));
    const connection = connectAccount(settings, onClockCorrected, { sharesClock: this.#warn !== undefined });
    this.#clock = connection.client.clock;
    if (settings.baseUrl.startsWith("https:") && !verifiesServer(settings))
      this.#warn?.(errorText("tlsUnverified"));
    return connection;
  }
}
