// The connections of accounts that are being edited: temporary, and never those of the account's nodes.
import { createHmac, randomBytes } from "node:crypto";
import { setNewest } from "../../../src/bounded-map";
import { MINUTE } from "../../../src/time-units";
import { AccountSession, type AccountTarget } from "../account-session";

const MAX_OPEN = 4;
/** After the last use. */
const OPEN_MS = 2 * MINUTE;

interface Open {
  session: AccountSession;
  timer: NodeJS.Timeout;
}

export class DraftConnections {
  /** By a digest of the settings, the one used last at the end. */
  readonly #open = new Map<string, Open>();
  readonly #salt = randomBytes(32);
  readonly #onStop: (stop: () => void) => void;
  #isWatching = false;

  /** @param onStop calls a function once, the next time that flows stop */
  constructor(onStop: (stop: () => void) => void) {
    this.#onStop = onStop;
  }

  /**
   * The connection for these settings: the same as last time, unless it was closed in the meantime.
   * @param settings everything that distinguishes the connection
   */
  use(settings: unknown, findTarget: () => Promise<AccountTarget>): AccountSession {
    this.#watch();
    const key = createHmac("sha256", this.#salt).update(JSON.stringify(settings)).digest("hex");
    const known = this.#open.get(key);
    clearTimeout(known?.timer);
    const session = known?.session ?? new AccountSession(findTarget, { sharesClock: false });
    const timer = setTimeout(() => this.#close(key), OPEN_MS).unref();
    const removed = setNewest(this.#open, key, { session, timer }, MAX_OPEN);
    if (removed) close(removed[1]);
    return session;
  }

  /** No listener is left while there are no drafts. */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#onStop(() => this.#closeAll());
  }

  #closeAll(): void {
    this.#isWatching = false;
    for (const key of this.#open.keys()) this.#close(key);
  }

  #close(key: string): void {
    const open = this.#open.get(key);
    this.#open.delete(key);
    if (open) close(open);
  }
}

function close({ session, timer }: Open): void {
  clearTimeout(timer);
  session.close().catch(() => undefined);
}
