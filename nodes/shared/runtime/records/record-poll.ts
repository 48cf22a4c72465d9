// Polls the records of all series of a node; shared by telemetry poll and rgm read.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { timeAt } from "../../../../src/clock";
import type { SeriesPart } from "../../../../src/diagnostics/report";
import { isFresh } from "../../../../src/decisions/freshness";
import { AbortedError, errorText, InputError } from "../../../../src/errors";
import { frontier } from "../../../../src/ledger/ledger";
import { type SeriesAddress, seriesId, systemOfSeries } from "../../../../src/series/identity";
import { USUAL_INTERVAL } from "../../../../src/series/rhythm";
import type { ResolvedSeries } from "../../../../src/series/series-book";
import { carriedLedger, readCarriedLedger } from "../../../../src/ledger/stored-ledger";
import { carriedIn, confirmationOf } from "../../../../src/messages/reader";
import { objectOf } from "../../../../src/models/service-object";
import type { PollOutcome, PollRule, PollRun } from "../../../../src/polling/ports";
import { SeriesPoller } from "../../../../src/polling/series-poller";
import type { SettingValues } from "../../../../src/settings/table";
import { AHEAD, HOUR, isAhead, MINUTE } from "../../../../src/time-units";
import type { RECORD_POLL } from "../../poll-settings";
import type { CALLING, SCHEDULE } from "../../settings";
import { PartialFailure } from "../base/errors";
import type { NodeSettings } from "../base/settings";
import { fleetStatus, recordsStatus, showStatus, type StatusText, warningStatus } from "../base/status";
import { notesOf } from "../lifecycle/node-notes";
import {
  addressOf,
  assertFewRequests,
  assertInTime,
  RANGE_PROPERTIES,
  rangeStart,
  refuseRange,
  sameSelection,
  SEARCH_REQUESTS,
  seriesNamed,
  type SystemSettings,
} from "../series/selection";
import { SeriesRuns, type SeriesWork } from "../series/series-runs";
import type { Run, ServiceNodeOptions } from "../service/service-node";
import { openStorage } from "../state/storage";
import { Pollers } from "./pollers";
import { recordSink, type SeriesOptions, SeriesReading } from "./record-ports";

export type RecordPollSettings = SystemSettings &
  SettingValues<typeof RECORD_POLL & typeof SCHEDULE & typeof CALLING>;

/** The outcome for a series, whether it has no meter, and until when its newest record is fresh, in milliseconds. */
type Polled = PollOutcome & { isUnmetered: boolean; freshUntil: number };

interface RecordPollOptions extends SeriesOptions {
  /** Of a meter: whether there is one; undefined while that is unknown. */
  isMetered?: (run: Run, series: ResolvedSeries) => Promise<boolean | undefined>;
}

export class RecordPoll {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #settings: NodeSettings<RecordPollSettings>;
  readonly #options: RecordPollOptions;
  readonly series: SeriesRuns;
  readonly #pollers: Pollers;
  readonly #rule: PollRule;
  /** Of the last run whose ledger travels. */
  #carried: SeriesPart | undefined;
  /** Whether each has a meter, as far as that is known. */
  readonly #metered = new WeakMap<SeriesPoller, boolean>();
  #unknownIds = 0;
  /** Whether records were resent. */
  #isOverdue = false;

  constructor(
    RED: NodeAPI,
    node: Node,
    settings: NodeSettings<RecordPollSettings>,
    options: RecordPollOptions,
  ) {
    this.#RED = RED;
    this.#node = node;
    this.#settings = settings;
    this.#options = { ...options, maxAge: settings.values.maxAge };
    this.#rule = pollRule(settings.values);
    this.#pollers = new Pollers(options.source, this.#rule);
    this.series = new SeriesRuns(RED, node, settings.values, {
      pc1: options.source === "rgm",
      isKept: this.#isStored,
      unread: (run, address, _isGone, error) => {
        // A message without a valid id says nothing about the series that others name.
        if (!(error instanceof InputError)) this.#pollers.missRun(run, address);
      },
    });
    const stored = (): SeriesPart[] =>
      this.#pollers.all.map(({ poller, address }) => ({ address, summary: poller.summary }));
    notesOf(node).series = () => [...stored(), ...(this.#carried ? [this.#carried] : [])];
  }

  /** What makes a node poll. With a ledger that travels, each message is a job of its own, and nothing of it may be lost unseen. */
  get nodeOptions(): ServiceNodeOptions {
    const { values } = this.#settings;
    const isCarried = values.store === "message";
    return {
      kind: this.#options.source,
      taken: isCarried ? [...RANGE_PROPERTIES, "until"] : RANGE_PROPERTIES,
      // Without a store, each message reads records of its own.
      ...(this.#isStored && { sameWork: (message) => sameSelection(this.#RED, values, message) }),
      ...(isCarried && {
        ignored: ["payload"],
        seriesOf: (message) => seriesNamed(this.#RED, values, message),
        // Only messages bring a ledger, whatever the default of the schedule is.
        schedule: () => ({}),
      }),
      work: this.run,
      intercept: (message) => this.#confirms(message),
      stop: () => {
        for (const { poller } of this.#pollers.all) poller.delivery?.stop();
      },
      close: async () => {
        await Promise.allSettled(this.#pollers.all.map(({ poller }) => poller.ledger.flush()));
      },
    };
  }

  readonly run = async (run: Run): Promise<StatusText> => {
    const { store } = this.#settings.valid();
    if (store === "message") return this.#runCarried(run);
    const { clock } = run;
    const storage = openStorage(this.#RED, this.#node, store);
    if (storage) refuseRange(run.message, errorText("adviceStored"));
    else this.#pollers.forget(() => true);
    const start = storage ? undefined : rangeStart(run.message);
    const { siteIdType, siteId, systemIdType, systemId } = this.#settings.values;
    const selection = [siteIdType, siteId, systemIdType, systemId];
    const begun = storage && this.#pollers.begunAt(run, storage, JSON.stringify(selection));
    const begunAt = await begun?.load();
    const runAt = clock.monotonic();
    let firstAt: number | undefined;
    const list = await this.series.listFrom(run, start, "msg.startTime");
    if (start !== undefined)
      assertFewRequests({ start, end: clock.now() }, list.addresses.length, SEARCH_REQUESTS);
    const read = new Set<SeriesPoller>();
    const isFreshNow = ({ freshUntil }: Polled): boolean => isFresh(freshUntil, clock);
    const work: SeriesWork<Polled> = async (resolve) => {
      const series = await resolve();
      const poller = await this.#pollers.of(run, series, storage);
      read.add(poller);
      // The next system need not wait until this one is stored, so that many are stored together.
      const reading = new SeriesReading(run, series, this.#options);
      const outcome = await poller.read({
        start: start ?? startOf(series, begunAt, this.#rule, clock.now()),
        ...this.#portsOf(reading, poller),
      });
      const isUnmetered = this.#options.source === "rgm" && (await this.#lacksMeter(run, series, poller));
      // What cannot be stored begins again after a restart.
      firstAt ??= timeAt(runAt, clock);
      begun?.set(begunAt ?? firstAt).catch(() => undefined);
      // The message is done when its records have been sent; meanwhile, other systems and messages go on.
      if (outcome.rest) run.defer(statusOf(outcome.rest, series));
      const end = outcome.newestEnd ?? poller.summary?.cursor ?? Number.NEGATIVE_INFINITY;
      return { freshUntil: end + reading.validFor({ start: end, end }), isUnmetered, ...outcome };
    };
    try {
      const stored = (): Promise<unknown> => Promise.all([...read].map(({ ledger }) => ledger.flush()));
      const outcomes = await this.series.each(run, list, work, isFreshNow, stored);
      const metered = outcomes.filter(({ isUnmetered }) => !isUnmetered);
      if (list.isUnmetered || (outcomes.length > 0 && metered.length === 0))
        return warningStatus("rgm-read:noMeter");
      const status = this.#unconfirmedStatus() ?? outcomeStatus(metered);
      const isSummed = metered.length > 1 && status.fill !== "yellow";
      return isSummed ? fleetStatus(metered.filter(isFreshNow).length, metered.length) : status;
    } finally {
      // Those that the service refuses.
      this.#pollers.forget(({ ledger }) => !ledger.loaded);
    }
  };

  /** Whether a series has no meter: as long as it has no records either, that is looked up, once. */
  async #lacksMeter(run: Run, series: ResolvedSeries, poller: SeriesPoller): Promise<boolean> {
    const { delivered = [] } = poller.ledger.loaded ?? {};
    const isMetered =
      delivered.length > 0 ||
      (this.#metered.get(poller) ?? (await this.#options.isMetered?.(run, series).catch(() => undefined)));
    if (isMetered !== undefined) this.#metered.set(poller, isMetered);
    return isMetered === false;
  }

  /** Polls the series of one message with the ledger that the message brings, and hands the ledger back. */
  async #runCarried(run: Run): Promise<StatusText> {
    const { message, clock } = run;
    assertInTime(message, clock);
    refuseRange(message, errorText("adviceStored"));
    const { siteId, systemId } = await addressOf(this.#RED, this.#node, this.#settings.values, message);
    const { source } = this.#options;
    const carried = carriedIn(message);
    const { series: owner } = objectOf(carried);
    // The position remembers which system it is.
    const named = { siteId, systemId: systemId ?? systemOfSeries(owner, siteId, source) };
    const outcomes = await this.series.each(run, { addresses: [named] }, async (resolve) => {
      const series = await resolve();
      const id = seriesId(series, source);
      const idOfSite = seriesId({ siteId }, source);
      // As long as the site showed no systems, the ledger was the site's.
      const brought = owner === idOfSite ? idOfSite : id;
      const ledger = carried === undefined ? undefined : readCarriedLedger(carried, brought);
      if (ledger) assertFewRequests({ start: frontier(ledger), end: clock.now() + AHEAD }, 1);
      const poller = new SeriesPoller({ clock, rule: this.#rule, carried: { brought: ledger } });
      const outcome = await poller.read(this.#portsOf(new SeriesReading(run, series, this.#options), poller));
      run.endWith({ kind: source, ledger: carriedLedger(poller.ledger.current, id) });
      this.#carried = { address: series, summary: poller.summary };
      return outcome;
    });
    return outcomeStatus(outcomes);
  }

  /** Handles a confirmation; returns false if the message is not one. An unknown id is counted in the status. */
  #confirms(message: NodeMessage): boolean {
    const { isConfirmation, delivery } = confirmationOf(message, this.#options.source);
    if (this.#settings.values.delivery !== "confirmed" || !isConfirmation) return false;
    if (delivery === undefined) return true;
    if (typeof delivery === "string" && this.#pollers.confirm(delivery)) return true;
    this.#unknownIds += 1;
    showStatus(this.#RED, this.#node, warningStatus("unknownDelivery", { count: this.#unknownIds }));
    return true;
  }

  /** Shown instead of the result of a run while no one confirms: the wires, or what they lead to, are wrong. */
  #unconfirmedStatus(): StatusText | undefined {
    if (!this.#isOverdue || this.#pollers.hasConfirmed) return undefined;
    const counts = this.#pollers.all.map(({ poller }) => poller.unconfirmed);
    return warningStatus("noneConfirmed", { count: counts.reduce((sum, count) => sum + count, 0) });
  }

  get #isStored(): boolean {
    return !["message", "none"].includes(this.#settings.values.store);
  }

  #portsOf(reading: SeriesReading, poller: SeriesPoller): PollRun {
    const { run } = reading;
    const sink = recordSink(this.#node, reading, this.#rule.isBatch);
    return {
      source: reading,
      sink: {
        showUnconfirmed: (count, isOverdue) => {
          this.#isOverdue ||= isOverdue;
          const status = this.#unconfirmedStatus() ?? warningStatus("unconfirmed", { count });
          showStatus(this.#RED, this.#node, status);
        },
        ...sink,
        report: (report) => {
          // Without a meter, nothing is missing.
          if (report.kind !== "given-up" || this.#metered.get(poller) !== false) sink.report(report);
        },
      },
      signal: run.signal,
      isByMessage: run.isByMessage,
    };
  }
}

function pollRule(settings: RecordPollSettings): PollRule {
  const { confirmTimeout, maxUnconfirmed } = settings;
  const confirm = { timeoutMs: confirmTimeout * 1000, maxUnconfirmed };
  return {
    lookBack: settings.lookBack * MINUTE,
    fillsGaps: settings.fillGaps,
    gapHorizon: settings.gapHours * HOUR,
    gapRetryDelay: settings.repeat * MINUTE || USUAL_INTERVAL,
    startBefore: settings.startFrom === "hours" ? settings.startHours * HOUR : undefined,
    isBatch: settings.output === "batch",
    confirm: settings.delivery === "confirmed" ? confirm : undefined,
  };
}

/** Where a series begins that has no position: one that appeared after others were read starts where it was not there yet. */
function startOf(
  { since }: ResolvedSeries,
  begunAt: number | undefined,
  { startBefore = 0 }: PollRule,
  now: number,
): number | undefined {
  if (since === undefined || begunAt === undefined) return undefined;
  // By a clock that was ahead, either may be in the future: then the other is all that is known.
  const known = Math.max(since, begunAt);
  const start = isAhead(known, now) ? Math.min(since, begunAt) : known;
  return Math.min(start, now - startBefore);
}

/** The status once everything of a series is sent; names the series if that fails. */
async function statusOf(
  rest: Promise<PollOutcome | undefined>,
  address: SeriesAddress,
): Promise<StatusText | undefined> {
  try {
    const outcome = await rest;
    return outcome && outcomeStatus([outcome]);
  } catch (error) {
    throw error instanceof AbortedError ? error : new PartialFailure([{ error, address }], 1, 1);
  }
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
