// Polls the records of all series of a node; shared by telemetry poll and rgm read.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { setNewest } from "../../../../src/bounded-map";
import { ConfigError, errorText } from "../../../../src/errors";
import { carriedLedger } from "../../../../src/ledger/carried-ledger";
import { frontier, type Ledger } from "../../../../src/ledger/ledger";
import { type SeriesAddress, seriesId } from "../../../../src/ledger/record-id";
import { LEDGER_FORM } from "../../../../src/ledger/stored-ledger";
import { confirmationOf, ledgerOf } from "../../../../src/messages/reader";
import { SERIES } from "../../../../src/messages/series";
import { CarriedState } from "../../../../src/polling/carried-state";
import type { Confirmation } from "../../../../src/polling/confirmed-delivery";
import type { RecordSink } from "../../../../src/polling/ports";
import type { PollOutcome } from "../../../../src/polling/poll-run";
import { SeriesPoller } from "../../../../src/polling/series-poller";
import type { StateStore } from "../../../../src/stored-state";
import { MINUTE } from "../../../../src/time-units";
import { accountKey } from "../service/account";
import { notesOf } from "../lifecycle/node-notes";
import { type Failure, PartialFailure } from "../base/errors";
import type { Input } from "../lifecycle/lifecycle";
import { inTurns } from "../../../../src/loop-turns";
import { pollNotice } from "./poll-notices";
import { type PollSettings, pollSettings, type RecordPollSettings } from "./poll-rule";
import { addressOf, assertFewRequests, rangeStart, refuseRange, SEARCH_REQUESTS } from "../series/selection";
import { recordSource, type RecordSourceOptions } from "./record-source";
import { recordSink, type RecordSinkOptions } from "./record-sink";
import { whenStored } from "./poll-storage";
import type { LastKnownSeries } from "../series/known-series";
import { SeriesRuns } from "../series/series-runs";
import type { Run } from "../service/service-node";
import { warningStatus, fleetStatus, recordsStatus, showStatus, type StatusText } from "../base/status";
import type { NodeSettings } from "../base/settings";
import { openStorage, type Storage } from "../state/storage";

export type RecordPollOptions = Omit<RecordSinkOptions, "isBatch"> & RecordSourceOptions;

/** A system and what polls it. */
export interface PollerEntry {
  /** Unique among those of the node. */
  name: string;
  poller: SeriesPoller;
  address: SeriesAddress;
  /** The connection of the last run, with its priority. */
  service: Run["service"];
}

/** The outcome for a series, and until when its newest record is fresh, in milliseconds. */
type Polled = PollOutcome & { freshUntil: number };

/** Systems without a position that are remembered. */
const MAX_UNSTARTED = 100;

export class RecordPoll {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #settings: NodeSettings<RecordPollSettings>;
  readonly #options: RecordPollOptions;
  readonly #sourceOptions: RecordSourceOptions;
  readonly #series: SeriesRuns;
  readonly #pollers = new Map<string, PollerEntry>();
  /** Systems that can go on: nothing of them waits for a confirmation any longer. */
  readonly #unblocked = new Set<PollerEntry>();
  /** Systems that messages name and that have no position, such as those that the service refuses; oldest first. */
  readonly #unstarted = new Map<string, true>();
  #created = 0;
  #unknownIds = 0;

  constructor(
    RED: NodeAPI,
    node: Node,
    settings: NodeSettings<RecordPollSettings>,
    options: RecordPollOptions,
  ) {
    this.#RED = RED;
    this.#node = node;
    this.#settings = settings;
    this.#options = options;
    this.#sourceOptions = { ...options, isPastBacklog: true };
    this.#series = new SeriesRuns(RED, node, settings.values);
    notesOf(node).series = () =>
      [...this.#pollers.values()].map(({ poller, address }) => ({ address, summary: poller.summary }));
  }

  /** Polls every series once. */
  readonly run = async (run: Run): Promise<StatusText> => {
    const settings = pollSettings(this.#settings.valid());
    if (settings.isCarried) return this.#runCarried(run, settings);
    const storage = openStorage(this.#RED, this.#node, settings.store);
    if (storage) refuseRange(run.message, errorText("adviceStored"));
    const start = storage ? undefined : rangeStart(run.message, run.clock.now());
    const { needsPc1 } = SERIES[this.#options.source];
    // Without a store, no system is read again.
    const missed = new Set(storage && this.#pollers.values());
    const read = new Set<PollerEntry>();
    try {
      const list = await this.#series.list(run, needsPc1);
      if (start !== undefined)
        assertFewRequests({ start, end: run.clock.now() }, list.addresses.length, SEARCH_REQUESTS);
      if (missed.size > 0) await this.#keepAddressed(missed, run, list);
      this.#forgetFinished(storage);
      const isFreshNow = ({ freshUntil }: Polled): boolean => run.clock.now() <= freshUntil;
      const work = async (address: SeriesAddress): Promise<Polled> => {
        const { signal, isTriggered } = run;
        const sink = this.#sinkOf(run, address, settings);
        const entry = this.#pollerOf(run, address, settings, storage);
        missed.delete(entry);
        read.add(entry);
        // The next system need not wait until this one is stored, so that many are stored together.
        const outcome = await entry.poller.read({ sink, signal, isTriggered, start });
        // The message is done when its records have been sent; meanwhile, other systems and messages go on.
        if (outcome.unconfirmed > 0) run.defer(sent(entry));
        const end = outcome.newestEnd ?? entry.poller.summary?.cursor ?? Number.NEGATIVE_INFINITY;
        const freshUntil = end + settings.rule.maxAgeMinutes * MINUTE;
        const { count, newestEnd, unconfirmed } = outcome;
        return { count, newestEnd, unconfirmed, freshUntil };
      };
      const reading = this.#series.each(run, list, work, isFreshNow);
      const outcomes = await whenStored(reading, read);
      const status = outcomeStatus(outcomes);
      const isSummed = outcomes.length > 1 && status.key !== "unconfirmed";
      return isSummed ? fleetStatus(outcomes.filter(isFreshNow).length, outcomes.length) : status;
    } finally {
      for (const { poller } of missed) poller.missRun();
      const [only, ...others] = read;
      if (storage && only && others.length === 0) this.#forgetUnstarted(only);
    }
  };

  /** Polls the series of one message with the ledger that the message brings, and hands the ledger back. */
  async #runCarried(run: Run, settings: PollSettings): Promise<StatusText> {
    const { message, signal, isTriggered } = run;
    if (!isTriggered) throw new ConfigError("carriedSchedule");
    refuseRange(message, errorText("adviceStored"));
    const address = await addressOf(this.#RED, this.#node, this.#settings.values, message);
    const series = seriesId(address, this.#options.source);
    this.#forgetFinished(undefined);
    const list = { addresses: [address], vanished: [], wasReported: false };
    const outcomes = await this.#series.each(run, list, async () => {
      const state = new CarriedState(ledgerOf(message, series));
      const now = run.clock.now();
      if (state.current) assertFewRequests({ start: frontier(state.current), end: now }, 1);
      const { poller } = this.#pollerOf(run, address, settings, undefined, state);
      const outcome = await poller.run({ sink: this.#sinkOf(run, address, settings), signal, isTriggered });
      if (state.current)
        run.endWith({ kind: this.#options.source, ledger: carriedLedger(state.current, series) });
      return outcome;
    });
    return outcomeStatus(outcomes);
  }

  /** Goes on with the systems whose records had to wait for confirmations. A system that fails does not stop the others. */
  readonly resume = async ({ notify }: Input): Promise<StatusText> => {
    const entries = [...this.#unblocked];
    this.#unblocked.clear();
    const resume = ({ poller, address }: PollerEntry): Promise<PollOutcome | undefined> =>
      poller.resume((notice) => notify(pollNotice(notice, address)));
    const results = await Promise.allSettled(entries.map(resume));
    const failures = results.flatMap((result, index): Failure[] =>
      result.status === "rejected" ? [{ error: result.reason, address: entries[index]?.address }] : [],
    );
    if (failures.length > 0) throw new PartialFailure(failures, entries.length, failures.length);
    return outcomeStatus(
      results.flatMap((result) => (result.status === "fulfilled" && result.value ? [result.value] : [])),
    );
  };

  /**
   * Handles a confirmation; returns false if the message is not one. An unknown id is counted in the status.
   * @param resume called when `resume` has something to do
   */
  confirms(message: NodeMessage, resume: () => void): boolean {
    const { isConfirmation, delivery } = confirmationOf(message);
    if (this.#settings.values.delivery !== "confirmed" || !isConfirmation) return false;
    if (delivery === undefined) return true;
    const isWaiting = this.#unblocked.size > 0;
    const confirmation = typeof delivery === "string" ? this.#confirm(delivery) : "unknown";
    if (!isWaiting && this.#unblocked.size > 0) resume();
    if (confirmation === "unknown") {
      this.#unknownIds += 1;
      showStatus(this.#RED, this.#node, warningStatus("unknownDelivery", { count: this.#unknownIds }));
    }
    return true;
  }

  /** Stops all timers. */
  readonly stop = (): void => {
    for (const { poller } of this.#pollers.values()) poller.stop();
  };

  /** Resolves once all deliveries are stored. Never rejects. */
  readonly close = async (): Promise<void> => {
    await Promise.all([...this.#pollers.values()].map(({ poller }) => poller.close()));
  };

  #confirm(id: string): Confirmation {
    for (const entry of this.#pollers.values()) {
      const confirmation = entry.poller.confirm(id);
      if (confirmation === "unblocked") this.#unblocked.add(entry);
      if (confirmation !== "unknown") return confirmation;
    }
    return "unknown";
  }

  #sinkOf(run: Run, address: SeriesAddress, { rule }: PollSettings): RecordSink {
    const { source, hasNewestOutput } = this.#options;
    const options = { source, hasNewestOutput, isBatch: rule.isBatch };
    return recordSink(this.#RED, this.#node, run, address, options);
  }

  /** Removes those from a set that the run does not address, and that have not vanished from the list. */
  async #keepAddressed(pollers: Set<PollerEntry>, run: Run, list: LastKnownSeries): Promise<void> {
    const addressed = new Set<string>();
    await inTurns([...list.addresses, ...list.vanished], (address) => {
      addressed.add(this.#nameOf(run, address));
    });
    for (const [name, entry] of this.#pollers) if (!addressed.has(name)) pollers.delete(entry);
  }

  /** @param carried the ledger that travels, if it does */
  #pollerOf(
    run: Run,
    address: SeriesAddress,
    { rule, confirmRule, isCarried }: PollSettings,
    storage: Storage | undefined,
    carried?: StateStore<Ledger>,
  ): PollerEntry {
    const name = this.#nameOf(run, address);
    const known = storage && this.#pollers.get(name);
    this.#unstarted.delete(name);
    if (known) {
      known.service = run.service;
      return known;
    }
    const accountId = accountKey(run.account());
    const key = { accountId, seriesId: seriesId(address, this.#options.source) };
    const { clock } = run;
    const service: Run["service"] = (priority) => entry.service(priority);
    const poller = new SeriesPoller({
      source: recordSource({ clock, service }, address, this.#sourceOptions),
      store: carried ?? storage?.(key, LEDGER_FORM),
      clock,
      rule,
      confirmRule,
      isCarried,
    });
    this.#created += 1;
    // Without a store, each run has a poller of its own, and some still wait for confirmations.
    const ownName = storage ? name : `${name}#${this.#created}`;
    const entry: PollerEntry = { name: ownName, poller, address, service: run.service };
    this.#pollers.set(ownName, entry);
    return entry;
  }

  #nameOf(run: Run, address: SeriesAddress): string {
    return `${accountKey(run.account())}/${seriesId(address, this.#options.source)}`;
  }

  /** Messages may name any number of systems that do not exist. */
  #forgetUnstarted({ name, poller }: PollerEntry): void {
    if (poller.summary) return;
    const removed = setNewest(this.#unstarted, name, true, MAX_UNSTARTED);
    if (removed) this.#pollers.delete(removed[0]);
  }

  /** Without a store every run starts afresh, so only pollers that await confirmations, or are to go on, are kept. */
  #forgetFinished(storage: Storage | undefined): void {
    if (storage) return;
    for (const [name, entry] of this.#pollers)
      if (entry.poller.unconfirmedCount === 0 && !this.#unblocked.has(entry)) this.#pollers.delete(name);
  }
}

/** Resolves once everything of a system is sent; names the system if that fails. */
async function sent({ poller, address }: PollerEntry): Promise<void> {
  await poller.whenSent().catch((error: unknown) => {
    throw new PartialFailure([{ error, address }], 1, 1);
  });
}

function outcomeStatus(outcomes: readonly PollOutcome[]): StatusText {
  let [unconfirmed, count] = [0, 0];
  let newest: number | undefined;
  for (const outcome of outcomes) {
    unconfirmed += outcome.unconfirmed;
    count += outcome.count;
    const { newestEnd } = outcome;
    if (newestEnd !== undefined) newest = Math.max(newestEnd, newest ?? newestEnd);
  }
  return unconfirmed > 0
    ? warningStatus("unconfirmed", { count: unconfirmed })
    : recordsStatus(count, newest);
}

/** What a poll replaces in the messages it sends, and does not read: of a ledger that travels, nothing may be lost unseen. */
export function replacedBy({ store }: Pick<RecordPollSettings, "store">): string[] {
  return store === "message" ? ["payload"] : ["payload", "energy"];
}
