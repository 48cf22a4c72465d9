// The pollers of a node, one for each series: kept from run to run, found again by what they sent, stored at the end of a run.
import { type SeriesAddress, seriesId } from "../../../../src/series/identity";
import type { ResolvedSeries } from "../../../../src/series/series-book";
import { LEDGER_FORM } from "../../../../src/ledger/stored-ledger";
import type { PollRule } from "../../../../src/polling/ports";
import { SeriesPoller } from "../../../../src/polling/series-poller";
import type { Ledger } from "../../../../src/ledger/ledger";
import { number, readerOf } from "../../../../src/models/shape";
import type { SourceName } from "../../../../src/models/telemetry";
import { type StateForm, type StateStore, StoredState } from "../../../../src/stored-state";
import type { Run } from "../service/service-node";
import type { Storage } from "../state/storage";

const TIME: StateForm<number> = { read: readerOf(number) };

export class Pollers {
  readonly #source: SourceName;
  readonly #rule: PollRule;
  readonly #entries = new Map<string, { readonly poller: SeriesPoller; readonly address: SeriesAddress }>();
  /** By account. */
  readonly #begunAt = new Map<string, StoredState<number>>();
  /** Whether anything was confirmed since the node was started. */
  hasConfirmed = false;

  constructor(source: SourceName, rule: PollRule) {
    this.#source = source;
    this.#rule = rule;
  }

  get all() {
    return [...this.#entries.values()];
  }

  /** When the node first polled what it addresses, in milliseconds: a series that has appeared since then starts where it did. */
  begunAt(run: Run, storage: Storage, selection: string): StoredState<number> {
    const { accountId } = run.account();
    const begunAt =
      this.#begunAt.get(accountId) ??
      new StoredState(storage({ accountId, begunWith: `begun ${selection}` }, TIME));
    this.#begunAt.set(accountId, begunAt);
    return begunAt;
  }

  /** The poller of a series; without a store, it remembers nothing of a run. Throws StoreError. */
  async of(run: Run, address: ResolvedSeries, storage: Storage | undefined): Promise<SeriesPoller> {
    const name = this.#nameOf(run, address);
    const known = this.#entries.get(name);
    if (known) return known.poller;
    const { accountId } = run.account();
    const storeOf = (named: SeriesAddress): StateStore<Ledger> | undefined =>
      storage?.({ accountId, seriesId: seriesId(named, this.#source) }, LEDGER_FORM);
    const store = storeOf(address);
    const poller = new SeriesPoller({ store, clock: run.clock, rule: this.#rule, isForgetful: !storage });
    this.#entries.set(name, { poller, address });
    if (!(await poller.ledger.load())) {
      // As long as the site showed no systems, the position was the site's: the first system takes it over.
      const site = storeOf({ siteId: address.siteId });
      const ofSite = await site?.load();
      if (ofSite) {
        poller.ledger.update(ofSite);
        await poller.ledger.flush();
        await site?.save(undefined);
      }
    }
    return poller;
  }

  /** Returns false for an id that none of them issued. */
  confirm(id: string): boolean {
    for (const { poller } of this.#entries.values())
      if (poller.delivery?.confirm(id)) return (this.hasConfirmed = true);
    return false;
  }

  /** A run has not come to read a series or, without an address, any: that time does not count as watched. */
  missRun(run: Run, address?: SeriesAddress): void {
    const missed = address ? [this.#entries.get(this.#nameOf(run, address))] : this.all;
    for (const entry of missed) entry?.poller.ledger.interruptRun();
  }

  /** Forgets those that match and have nothing left to do: messages may name any number of series. */
  forget(matches: (poller: SeriesPoller) => boolean): void {
    for (const [name, { poller }] of this.#entries)
      if (!poller.isWaiting && matches(poller)) this.#entries.delete(name);
  }

  #nameOf(run: Run, address: SeriesAddress): string {
    return `${run.account().accountId}/${seriesId(address, this.#source)}`;
  }
}
