// The connection of one account, established on first use and kept until the account is closed.
import type { CorrectedClock } from "../../src/clock";
import { type ConnectionSettings, verifiesServer } from "../../src/client/connection";
import { type ErrorText, errorText } from "../../src/errors";
import { correctionText } from "../shared/runtime/base/clock-correction";
import type { AccountConnection } from "./account-connection";

/** What an account connects to. */
export interface AccountTarget {
  settings: ConnectionSettings;
  /** Stops the simulated service, if there is one. */
  close?: () => Promise<void>;
}

interface SessionOptions {
  /** Called for what the owner of the account should know. */
  warn?: (text: ErrorText) => void;
  /** Whether nodes that call no service may follow the service's clock. Default: true. */
  sharesClock?: boolean;
}

export class AccountSession {
  readonly #findTarget: () => Promise<AccountTarget>;
  readonly #warn: (text: ErrorText) => void;
  readonly #sharesClock: boolean;
  #connection: Promise<AccountConnection> | undefined;
  #target: AccountTarget | undefined;
  #clock: CorrectedClock | undefined;

  /** @param findTarget throws ConfigError; called again for the next use if it does */
  constructor(findTarget: () => Promise<AccountTarget>, { warn, sharesClock }: SessionOptions = {}) {
    this.#findTarget = findTarget;
    this.#warn = warn ?? ((): void => undefined);
    this.#sharesClock = sharesClock ?? true;
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
    const onClockCorrected = (correction: number): void => this.#warn(correctionText(correction));
    const connection = connectAccount(settings, onClockCorrected, { sharesClock: this.#sharesClock });
    this.#clock = connection.client.clock;
    if (settings.baseUrl.startsWith("https:") && !verifiesServer(settings))
      this.#warn(errorText("tlsUnverified"));
    return connection;
  }
}
