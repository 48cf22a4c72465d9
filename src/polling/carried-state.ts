// The store of a ledger that travels: it reads what a message brought, and hands out what would be stored.
import type { Ledger } from "../ledger/ledger";
import type { StateStore } from "../stored-state";

export class CarriedState implements StateStore<Ledger> {
  #current: Ledger | undefined;

  /** @param brought the ledger of the message; undefined for a series that begins */
  constructor(brought: Ledger | undefined) {
    this.#current = brought;
  }

  /** The ledger to hand back after the run; undefined if the series has not begun. */
  get current(): Ledger | undefined {
    return this.#current;
  }

  load(): Promise<Ledger | undefined> {
    return Promise.resolve(this.#current);
  }

  save(ledger: Ledger | undefined): Promise<void> {
    this.#current = ledger;
    return Promise.resolve();
  }
}
