// The work of one history run: reads the request, and sends the records as one sequence of messages.
import type { Node, NodeAPI } from "node-red";
import { AbortedError, EnergyError, type ErrorDetails } from "../../src/errors";
import { historyProgress, HistoryRun, type HistorySink } from "../../src/history/history-run";
import {
  type HistoryPlan,
  type HistoryRequest,
  planChoice,
  planDays,
  planRange,
  type RangeChoice,
  readHistoryRequest,
} from "../../src/history/plan";
import { type SeriesAddress, type SourceName } from "../../src/series/identity";
import { batchContent, recordContent, type RecordDescription } from "../../src/messages/record-message";
import { SERIES } from "../../src/messages/series";
import type { SettingValues } from "../../src/settings/kinds";
import type { HISTORY } from "./settings";
import { waitFor } from "../../src/abort";
import { isWired } from "../shared/runtime/base/message";
import { unreadableNotice } from "../shared/runtime/service/unreadable";
import { addressOf } from "../shared/runtime/series/selection";
import {
  readerOf,
  recordDescription,
  recordSource,
  type SinkOptions,
} from "../shared/runtime/records/record-ports";
import { OpenSequence } from "../shared/runtime/service/replies";
import type { Run } from "../shared/runtime/service/service-node";
import { recordsStatus, showStatus, type StatusText } from "../shared/runtime/base/status";
import type { NodeSettings } from "../shared/runtime/base/settings";

type HistorySettings = SettingValues<typeof HISTORY>;

/** @param stop aborted when the run is cancelled or the node is closed */
export async function readHistory(
  RED: NodeAPI,
  node: Node,
  nodeSettings: NodeSettings<HistorySettings>,
  run: Run,
  stop: AbortSignal,
): Promise<StatusText> {
  const sequence = new OpenSequence(RED, run);
  let address: SeriesAddress | undefined;
  let reading: HistoryRun | undefined;

  const showProgress: HistorySink["showProgress"] = (payload, secondsLeft) => {
    if (isWired(node, 2))
      run.send([null, run.make({ payload, ...(address && { address }), energy: { kind: "history" } })]);
    if (secondsLeft === undefined) return;
    const values = { percent: payload.percent, records: payload.records, left: timeLeft(secondsLeft) };
    showStatus(RED, node, { key: "history:progress", values, fill: "blue", shape: "ring" });
  };

  try {
    if (stop.aborted) throw new AbortedError();
    const settings = nodeSettings.valid();
    const { source, output, includeInverter } = settings;
    const request = requestOf(settings, run);
    const reader = readerOf(node, {});
    const read = await addressOf(RED, node, settings, run.message);
    address = read;
    reading = new HistoryRun({
      plan: await planOf(request, run, address, source, stop),
      source: recordSource(run, address, { source, includeInverter, reader }),
      sink: {
        ...sender(run, sequence, address, { source, reader, isBatch: output === "batch", stop }),
        showProgress,
        report: (error) => run.notify(unreadableNotice(error, read)),
      },
      clock: run.clock,
      isBatch: output === "batch",
      signal: stop,
    });
    await reading.read();
  } catch (error) {
    if (run.signal.aborted) throw error;
    sequence.end(false);
    if (stop.aborted) {
      if (reading) reading.showProgress({ cancelled: true });
      else showProgress(historyProgress(0, 0, 0, { cancelled: true }));
    }
    throw withRemaining(error, reading?.remaining());
  }
  sequence.end(true);
  reading.showProgress({ finished: true });
  return recordsStatus(reading.records);
}

/** A value set in the node is never overridden by a message. */
function requestOf({ range, from, to }: HistorySettings, run: Run): HistoryRequest | RangeChoice {
  return range === "message" ? readHistoryRequest(run.message.payload, run.clock.now()) : { range, from, to };
}

async function planOf(
  request: HistoryRequest | RangeChoice,
  run: Run,
  { siteId }: SeriesAddress,
  source: SourceName,
  stop: AbortSignal,
): Promise<HistoryPlan> {
  if ("start" in request) return planRange(request, run.clock.now());
  const service = await run.service();
  const { timezone } = await service.site(siteId, { signal: stop, pc1: SERIES[source].needsPc1 });
  // The time is right at the latest now that the service has answered.
  const now = run.clock.now();
  return "range" in request ? planChoice(request, timezone, now) : planDays(request, timezone, now);
}

function sender(
  run: Run,
  sequence: OpenSequence,
  address: SeriesAddress,
  { isBatch, stop, ...options }: SinkOptions & { isBatch: boolean; stop: AbortSignal },
): Pick<HistorySink, "prepare" | "send"> {
  let description: RecordDescription | undefined;
  return {
    // For each request: an import may take hours, and the site list may change meanwhile.
    async prepare() {
      description = await waitFor(recordDescription(run, address, { ...options, kind: "history" }), stop);
    },
    send(records) {
      if (!description) throw new RangeError("history is not prepared to send");
      if (isBatch) sequence.add(batchContent(address, description, records));
      else for (const record of records) sequence.add(recordContent(address, description, record));
    },
  };
}

/** Returns a new error: several runs may have failed with the same one, for example while waiting for a token. */
function withRemaining(error: unknown, remaining: ErrorDetails["remaining"]): unknown {
  if (!(error instanceof EnergyError) || !remaining) return error;
  return new EnergyError(error.code, error.text, { ...error.details, remaining });
}

function timeLeft(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
