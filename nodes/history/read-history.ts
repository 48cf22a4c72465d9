// The work of one history run: reads the request, and sends the records of each series as one sequence of messages.
import type { Node, NodeAPI } from "node-red";
import { AbortedError, EnergyError, type HistoryRemaining } from "../../src/errors";
import { HistoryRun, NOTHING_DONE } from "../../src/history/history-run";
import {
  type HistoryRequest,
  planChoice,
  planDays,
  planRange,
  type RangeChoice,
  isRemaining,
  readHistoryRequest,
} from "../../src/history/plan";
import { addressId, type NamedAddress, type SeriesAddress } from "../../src/series/identity";
import type { ResolvedSeries } from "../../src/series/series-book";
import { batchContent, recordContent } from "../../src/messages/record-message";
import type { HistoryProgress } from "../../src/messages/messages";
import { ALL } from "../../src/settings/rules";
import type { SettingValues } from "../../src/settings/table";
import type { HISTORY } from "./settings";
import { sleep, waitFor } from "../../src/abort";
import { eventLoopTurn } from "../../src/loop-turns";
import { durationText, HOUR, type TimeWindow } from "../../src/time-units";
import { isWired } from "../shared/runtime/base/message";
import { type SeriesList, siteInTime } from "../shared/runtime/series/known-series";
import type { SeriesRuns } from "../shared/runtime/series/series-runs";
import {
  failingNotice,
  SeriesReading,
  spanNotice,
  windowError,
} from "../shared/runtime/records/record-ports";
import { OpenSequence } from "../shared/runtime/service/replies";
import type { Run } from "../shared/runtime/service/service-node";
import { recordsStatus, showStatus, type StatusText } from "../shared/runtime/base/status";
import type { NodeSettings } from "../shared/runtime/base/settings";

/** Intervals of one run that are reported. */
const MAX_NAMED = 20;

type HistorySettings = SettingValues<typeof HISTORY>;

export interface HistoryNode {
  readonly RED: NodeAPI;
  readonly node: Node;
  readonly settings: NodeSettings<HistorySettings>;
  readonly series: SeriesRuns;
  /** Performs work that a message can cancel. */
  readonly guard: (run: Run, work: (stop: AbortSignal) => Promise<StatusText>) => Promise<StatusText>;
}

/** What a run reads of each series. */
interface HistoryWork extends HistoryNode {
  readonly run: Run;
  readonly request: HistoryRequest | RangeChoice;
  readonly progress: Progress;
  /** Whether the node is set to several series: then each names itself. */
  readonly isOfSeveral: boolean;
  /** Aborted when the run is cancelled or the node is closed. */
  readonly stop: AbortSignal;
}

export async function readHistory(shared: HistoryNode, run: Run, stop: AbortSignal): Promise<StatusText> {
  const { RED, node, settings, series } = shared;
  const progress = new Progress(RED, node, run);
  const { payload } = run.message;
  try {
    if (stop.aborted) throw new AbortedError();
    const values = settings.valid();
    const request = requestOf(values, run);
    const start = "start" in request ? request.start : undefined;
    const list = await waitFor(series.listFrom(run, start, "msg.payload.startTime"), stop);
    const isOfSeveral = list.selection !== undefined;
    const addresses = leftOf(payload, list);
    progress.total = addresses.length;
    const work = { run, request, progress, isOfSeveral, stop, ...shared };
    const counts = await series
      .each(run, { ...list, addresses }, (resolve, listed) => readSeries(work, listed, resolve))
      .catch((error: unknown) => showUnread(work, addresses, error));
    return recordsStatus(counts.reduce((sum, count) => sum + count, 0));
  } catch (error) {
    if (stop.aborted && !run.signal.aborted && progress.series.size === 0) {
      const remaining = isRemaining(payload) && { remaining: payload };
      progress.show({ ...NOTHING_DONE, cancelled: true, ...remaining }, undefined, await series.single(run));
    }
    throw error;
  }
}

/** Of those that a run that ends early has not come to, everything is left. Throws why it ends. */
async function showUnread(
  work: HistoryWork,
  addresses: readonly SeriesAddress[],
  error: unknown,
): Promise<never> {
  const { progress, run } = work;
  const fail = (): never => {
    throw error;
  };
  for (const address of addresses) {
    if (progress.isShown(address)) continue;
    await eventLoopTurn(run.signal);
    await readSeries(work, address, fail).catch(() => undefined);
    // Without an answer of the service, no one knows which days these are.
    if (!progress.isShown(address)) break;
  }
  throw error;
}

/**
 * What is left of a run over several systems names its own: the service says what has become of one that is no longer listed. A
 * site or system that the node is set to is not overridden.
 */
function leftOf(payload: unknown, { addresses, selection }: SeriesList): readonly SeriesAddress[] {
  if (!selection || !isRemaining(payload) || payload.siteId === undefined) return addresses;
  const { siteId, systemId } = payload;
  const isSelected =
    [ALL, siteId].includes(selection.siteId) && [ALL, undefined, systemId].includes(selection.systemId);
  return isSelected ? [{ siteId, systemId }] : addresses;
}

/** Sends the records of one series as a sequence, of which some may have been sent before; resolves to their number. */
async function readSeries(
  work: HistoryWork,
  listed: SeriesAddress,
  resolve: () => Promise<ResolvedSeries>,
  sequence = new OpenSequence(work.RED, work.run),
): Promise<number> {
  const { run, settings, progress, isOfSeveral, stop, node } = work;
  const { source, output, includeInverter } = settings.valid();
  const isBatch = output === "batch";
  let address: NamedAddress = listed;
  const named = (remaining: HistoryRemaining | undefined): HistoryRemaining | undefined => {
    const { siteId, systemId } = address;
    return remaining && isOfSeveral ? { ...remaining, siteId, systemId } : remaining;
  };
  let history: HistoryRun | undefined;
  let reading: SeriesReading;
  try {
    history = new HistoryRun({
      plan: await planOf(work, listed.siteId, source === "rgm"),
      clock: run.clock,
      isBatch,
      signal: stop,
      onProgress: (shown) => {
        const remaining = named(shown.remaining);
        progress.show({ ...shown, ...(remaining && { remaining }) }, listed, address);
      },
    });
    // Looked up once there is a plan, so that a run that fails here says what remains.
    const series = await waitFor(resolve(), stop);
    address = series;
    reading = new SeriesReading(run, series, { source, includeInverter, kind: "history" });
    await history.read(reading, (records) => {
      const description = reading.describe();
      if (isBatch) sequence.add(batchContent(description, records));
      else for (const record of records) sequence.add(recordContent(description, record));
    });
  } catch (error) {
    if (run.signal.aborted) throw error;
    sequence.end(false);
    history?.showProgress({ cancelled: stop.aborted });
    throw error instanceof EnergyError ? error.withRemaining(named(history?.remaining())) : error;
  }
  const { missing, late } = history;
  const finished = missing.length === 0 && !late;
  sequence.end(finished);
  history.showProgress({ finished });
  // A run of its own, which goes on when this one has ended.
  const readLate = (window: TimeWindow): Promise<StatusText> =>
    work.guard(run, async (later) => {
      await sleep(window.end + reading.lateness() - run.clock.now(), later);
      const rest = { ...work, request: window, stop: later };
      return recordsStatus(await readSeries(rest, listed, resolve, sequence));
    });
  // No one goes on with what remains.
  if (late && !run.isByMessage && !isWired(node, 2)) run.defer(readLate(late));
  else if (late) run.notify(spanNotice("late", late, address));
  const last = missing.at(-1);
  for (const window of missing.slice(0, -1).slice(0, MAX_NAMED)) run.notify(failingNotice(window, address));
  if (last) throw windowError(last).withRemaining(named(history.remaining()));
  return history.records;
}

/** The progress of a run: each series on output 2, all together in the status. */
class Progress {
  total = 1;
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #run: Run;
  readonly series = new Map<SeriesAddress | undefined, HistoryProgress>();
  /** The ids of these series, and of their sites: a list need not show the systems of its sites. */
  readonly #shown = new Set<string>();
  readonly #startedAt: number;

  constructor(RED: NodeAPI, node: Node, run: Run) {
    this.#RED = RED;
    this.#node = node;
    this.#run = run;
    this.#startedAt = run.clock.monotonic();
  }

  /** Whether a series was shown or, of a site, any of its systems. */
  isShown(address: SeriesAddress): boolean {
    return this.#shown.has(addressId(address));
  }

  show(payload: HistoryProgress, listed?: SeriesAddress, address?: NamedAddress): void {
    const run = this.#run;
    if (listed && !this.series.has(listed))
      for (const one of [listed, { siteId: listed.siteId }]) this.#shown.add(addressId(one));
    this.series.set(listed, payload);
    const energy = { kind: "history", ...address?.names } as const;
    if (isWired(this.#node, 2)) run.send([null, run.make({ payload, energy, ...(address && { address }) })]);
    let [share, records] = [0, 0];
    for (const one of this.series.values()) {
      share += one.total === 0 ? 0 : one.done / one.total / Math.max(this.total, this.series.size);
      records += one.records;
    }
    const isOver = payload.finished || payload.cancelled || payload.remaining !== undefined;
    if (share === 0 || (isOver && this.total === 1)) return;
    // By the pace so far.
    const time = Math.max(((run.clock.monotonic() - this.#startedAt) * (1 - share)) / share, 1000);
    const left = durationText(time, time < HOUR ? "s" : "min");
    const values = { percent: Math.floor(100 * share), records, left };
    showStatus(this.#RED, this.#node, { key: "history:progress", values, fill: "blue", shape: "ring" });
  }
}

/** A value set in the node is never overridden by a message, but what is left of a run is read whatever the node is set to. */
function requestOf({ range, from, to }: HistorySettings, run: Run): HistoryRequest | RangeChoice {
  const { payload } = run.message;
  if (range === "message" || isRemaining(payload)) return readHistoryRequest(payload);
  return { range, from, to };
}

async function planOf(work: HistoryWork, siteId: string, pc1: boolean): Promise<TimeWindow[]> {
  const { request, run, stop: signal } = work;
  if ("start" in request) return planRange(request);
  const { timezone } = await siteInTime(run, siteId, pc1, signal);
  const now = run.clock.now();
  return "range" in request ? planChoice(request, timezone, now) : planDays(request, timezone, now);
}
