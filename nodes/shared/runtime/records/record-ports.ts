// The engine's ports in Node-RED: reads the records of a series through the account, and sends them to the flow.
import type { Node } from "node-red";
import type { Reported } from "../../../../src/bounded-map";
import { withRightTime } from "../../../../src/clock";
import type { RecordQuery } from "../../../../src/client/service-client";
import { EnergyError, errorText } from "../../../../src/errors";
import type { Ledger } from "../../../../src/ledger/ledger";
import { recordIds, type SeriesAddress, seriesId, type SourceName } from "../../../../src/series/identity";
import { carriedLedger, type CarriedLedger } from "../../../../src/ledger/stored-ledger";
import { batchContent, recordContent, type RecordDescription } from "../../../../src/messages/record-message";
import { basisReader } from "../../../../src/models/measurements";
import { isFresh, validFor, type ValidFor } from "../../../../src/decisions/freshness";
import { latenessOf, type Reader } from "../../../../src/series/rhythm";
import { type HistoryPorts, rangeOf } from "../../../../src/history/history-run";
import { HOUR, MINUTE, type TimeWindow } from "../../../../src/time-units";
import type { ResolvedSeries } from "../../../../src/series/series-book";
import type { RecordAnswer } from "../../../../src/models/responses";
import type { TimedRecord } from "../../../../src/models/telemetry";
import type { RecordSink } from "../../../../src/polling/ports";
import { type MissingWindow, RecordReader, type RecordSource } from "../../../../src/reading/record-reader";
import { isWired } from "../base/message";
import { timeSpan, warningStatus } from "../base/status";
import type { Notice } from "../lifecycle/lifecycle";
import type { AccountNode } from "../service/account";
import type { Run } from "../service/service-node";

type HasRhythms = Pick<AccountNode, "rhythms">;

/** How a node reads a series, and sends what it reads. */
export interface SeriesOptions {
  source: SourceName;
  /** By default, the source. */
  kind?: "history";
  includeInverter?: boolean;
  /** Whether windows of the past can wait until there is nothing more urgent. */
  isPastBacklog?: boolean;
  reader: Reader;
  /** How long a record may be acted on, in minutes; undefined = automatic. */
  maxAge?: number | undefined;
}

/** Reads through the account of a run, as long as the account lasts. */
export function recordSource(
  { service, clock, account }: Pick<Run, "service" | "clock"> & { account: () => HasRhythms },
  address: SeriesAddress,
  { source, includeInverter = false, isPastBacklog = false, reader }: SeriesOptions,
): RecordSource {
  return {
    async read(window, signal, once = false) {
      const isBacklog = isPastBacklog && window.end < clock.now();
      const client = await service(isBacklog ? "backlog" : undefined);
      const query = recordQuery(address, window);
      const options = { signal, once };
      const given = await (source === "rgm"
        ? client.rgmTelemetry(query, options)
        : client.telemetry({ ...query, includeInverter }, options));
      const answer = begun(given, clock.now());
      const { rhythms } = account();
      await rhythms.load();
      const read = { window, records: answer.records };
      if (clock.isSure) rhythms.note(seriesId(address, source), read, clock.now(), reader);
      return answer;
    },
  };
}

/** What a run over a range needs to read a series. */
export function rangePorts(
  run: Run,
  series: SeriesAddress,
  options: SeriesOptions,
): Omit<HistoryPorts, "send"> {
  return {
    source: recordSource(run, series, options),
    lateness: () => latenessOf(run.account().rhythms.of(seriesId(series, options.source))),
    report: (items) => run.reportUnreadable(items, series),
  };
}

/** A record that begins in the future does not exist yet. */
export function begun<Answer extends RecordAnswer>(answer: Answer, now: number): Answer {
  const { records } = answer;
  const isBegun = (records.at(-1)?.start ?? now) <= now;
  return isBegun ? answer : { ...answer, records: records.filter(({ start }) => start <= now) };
}

export function readerOf({ id }: Node, { repeat = 0 }: { repeat?: number }): Reader {
  return { id, repeat: repeat * MINUTE };
}

/** How long the records of a series may be acted on. */
export function validForOf({ account }: Run, address: SeriesAddress, options: SeriesOptions): ValidFor {
  const { source, reader, maxAge } = options;
  const series = seriesId(address, source);
  return validFor(maxAge, () => account().rhythms.of(series), reader);
}

/** The request parameters for a window of a series, with times in UTC. */
export function recordQuery({ siteId, systemId }: SeriesAddress, window: TimeWindow): RecordQuery {
  return { siteId, ...(systemId !== undefined && { systemId }), ...rangeOf(window) };
}

/** The newest record of the last 24 hours, which may be in progress. For nodes that remember no position. */
export async function readNewest(
  run: Run,
  address: SeriesAddress,
  options: SeriesOptions,
): Promise<TimedRecord | undefined> {
  const { rhythms } = run.account();
  await rhythms.load();
  const { newestEnd } = rhythms.of(seriesId(address, options.source));
  const validFor = validForOf(run, address, { ...options, maxAge: undefined });
  // The site is silent, or the service is as late as ever.
  const isLast = (one: TimedRecord): boolean =>
    one.end === newestEnd || isFresh(one.end + validFor(one), run.clock);
  return withRightTime(run.clock, async () => {
    const reader = new RecordReader(recordSource(run, address, options), run.clock, run.signal);
    const { records, unreadable, missing } = await reader.readNewest(
      (latest) => latest.records.length > 0,
      isLast,
    );
    run.reportUnreadable(unreadable, address);
    const [failing] = missing;
    if (records.length === 0 && failing) throw failing.error;
    return records.at(-1);
  });
}

/** How messages describe the records of a series. */
export function descriptionOf(run: Run, series: ResolvedSeries, options: SeriesOptions): RecordDescription {
  const { source, kind = source } = options;
  return {
    shared: { ...(kind === "rgm" ? { kind, hasRgm: true } : { kind }), ...series.names },
    idOf: recordIds(series, source),
    basisOf: basisReader(series.generation),
    validFor: validForOf(run, series, options),
    clock: run.clock,
  };
}

/**
 * All messages, including those resent later, are based on the message that triggered the run.
 * @param isBatch whether a message holds a whole batch or a single record
 * @param told the windows that were reported to fail
 */
export function recordSink(
  node: Node,
  run: Run,
  series: ResolvedSeries,
  options: SeriesOptions,
  isBatch: boolean,
  told: Reported,
): RecordSink {
  const { source } = options;
  const id = seriesId(series, source);
  /** Of windows that begin or end in the same hour one: it may be a little shorter when it is requested again. */
  const isNew = ({ start, end }: TimeWindow): boolean =>
    [`from ${Math.floor(start / HOUR)}`, `to ${Math.floor(end / HOUR)}`]
      .map((hour) => told.isNew(`${id} ${hour}`))
      .every(Boolean);
  const description = descriptionOf(run, series, options);
  const carried = (ledger: Ledger | undefined): CarriedLedger | undefined =>
    ledger && carriedLedger(ledger, id);
  return {
    send(batches) {
      // All are sent in one moment.
      const now = run.clock.now();
      const described = { ...description, clock: { now: () => now, isSure: run.clock.isSure } };
      for (const { records, deliveryId, ledger } of batches) {
        const travels = carried(ledger);
        if (isBatch) run.send(run.make(batchContent(series, described, records, deliveryId, travels)));
        else
          for (const record of records)
            run.send(run.make(recordContent(series, described, record, deliveryId, travels)));
      }
    },
    // Only telemetry poll has an output for it.
    ...(source === "telemetry" &&
      isWired(node, 2) && {
        sendNewest(record, ledger) {
          if (!isFresh(record.end + description.validFor(record), run.clock)) return;
          const sent = recordContent(series, description, record, undefined, carried(ledger));
          run.send([null, run.make(sent)]);
        },
      }),
    report(report) {
      if (report.kind === "unreadable") run.reportUnreadable(report.items, series);
      else if (report.kind === "given-up") run.notify(spanNotice("gaveUp", report.window, series));
      else if (isNew(report.window)) run.notify(failingNotice(report.window, series));
    },
  };
}

/** What the log and the status say of a window that has no answer, although others have. */
export function failingNotice(missing: MissingWindow, address: SeriesAddress): Notice {
  const status = warningStatus("skipped", { span: timeSpan(missing) });
  return { what: { error: windowError(missing), address }, status };
}

const SPAN_TEXTS = { gaveUp: "gapGivenUp", late: "recordsLate" } as const;

/** The same of a window that is given up, or whose records may be yet to come. */
export function spanNotice(key: keyof typeof SPAN_TEXTS, window: TimeWindow, address: SeriesAddress): Notice {
  const { siteId, systemId } = address;
  const series = systemId === undefined ? siteId : `${siteId}/${systemId}`;
  const text = errorText(SPAN_TEXTS[key], { series, ...isoSpan(window) });
  return { what: { text }, status: warningStatus(key, { span: timeSpan(window) }) };
}

/** The error for a window that has no answer, although others have. */
export function windowError({ error, ...window }: MissingWindow): EnergyError {
  const { code, text, details } = error;
  return new EnergyError(code, errorText("windowFails", { ...isoSpan(window), text }), details);
}

function isoSpan({ start, end }: TimeWindow): { from: string; to: string } {
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() };
}
