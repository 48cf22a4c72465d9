// A series in a run: its records are read through the account, and sent to the flow.
import type { Node } from "node-red";
import type { RecordQuery } from "../../../../src/client/service-client";
import { EnergyError, errorText } from "../../../../src/errors";
import type { Ledger } from "../../../../src/ledger/ledger";
import { type SeriesAddress, seriesId } from "../../../../src/series/identity";
import { carriedLedger, type CarriedLedger } from "../../../../src/ledger/stored-ledger";
import { batchContent, recordContent, type RecordDescription } from "../../../../src/messages/record-message";
import { basisReader } from "../../../../src/models/measurements";
import { isFresh, validFor, type ValidFor } from "../../../../src/decisions/freshness";
import { latenessOf, type Rhythm } from "../../../../src/series/rhythm";
import type { HistorySeries } from "../../../../src/history/history-run";
import { HOUR, isInWindow, isoRange, isoTime, MINUTE, type TimeWindow } from "../../../../src/time-units";
import type { ResolvedSeries } from "../../../../src/series/series-book";
import type { RecordAnswer, UnreadableItem } from "../../../../src/models/responses";
import type { SourceName, TimedRecord } from "../../../../src/models/telemetry";
import type { RecordSink } from "../../../../src/polling/ports";
import { RecordReader } from "../../../../src/reading/record-reader";
import { type MissingWindow, recordsOf } from "../../../../src/reading/window-records";
import { isWired, topicOf } from "../base/message";
import { timeSpan, warningStatus } from "../base/status";
import type { Notice } from "../lifecycle/lifecycle";
import type { Run } from "../service/service-node";

/** How a node reads a series, and sends what it reads. */
export interface SeriesOptions {
  readonly source: SourceName;
  /** By default, the source. */
  readonly kind?: "history";
  readonly includeInverter?: boolean;
  /** How long a record may be acted on, in minutes; undefined = automatic. */
  readonly maxAge?: number | undefined;
}

/** Reads one series for a run, and describes its records. */
export class SeriesReading implements HistorySeries {
  readonly id: string;

  constructor(
    readonly run: Run,
    readonly series: ResolvedSeries,
    readonly options: SeriesOptions,
  ) {
    this.id = seriesId(series, options.source);
  }

  /** How long its records may be acted on, by what is known of them now. */
  get validFor(): ValidFor {
    return validFor(this.options.maxAge, this.#rhythm, this.run.reader);
  }

  /** How long after their end its records can be read at the latest, in milliseconds. */
  readonly lateness = (): number => latenessOf(this.#rhythm);

  readonly report = (items: readonly UnreadableItem[]): void => this.run.reportUnreadable(items, this.series);

  /** How messages describe its records, by what is known of them now. */
  describe(clock: RecordDescription["clock"] = this.run.clock): RecordDescription {
    const { source, kind = source } = this.options;
    const { generation, names } = this.series;
    return {
      shared: { kind, ...names },
      series: this.series,
      id: this.id,
      basisOf: basisReader(generation),
      validFor: this.validFor,
      clock,
    };
  }

  /** The newest record of the last 24 hours, which may be in progress. For nodes that remember no position. */
  async newest(): Promise<TimedRecord | undefined> {
    const { clock, signal } = this.run;
    await this.run.account().rhythms.load();
    const { newestEnd } = this.#rhythm;
    // The site is silent, or the service is as late as ever.
    const isLast = (one: TimedRecord): boolean =>
      one.end === newestEnd ||
      isFresh(one.end + validFor(undefined, this.#rhythm, this.run.reader)(one), clock);
    const reader = new RecordReader(this, clock, signal);
    const latest = await reader.readNewest(({ records }) => records.length > 0, isLast);
    this.report(latest.unreadable);
    return recordsOf(latest).at(-1);
  }

  async read(window: TimeWindow, signal: AbortSignal, once = false): Promise<RecordAnswer> {
    const { service, clock, account, reader } = this.run;
    const { source, includeInverter = false } = this.options;
    const isPast = window.end < clock.now() - MINUTE;
    // The past can wait until there is nothing more urgent.
    const client = await service(isPast ? "backlog" : undefined);
    const query = recordQuery(this.series, window);
    const options = { signal, once, reachesBack: isPast || window.end - window.start > HOUR };
    const { records: shown, unreadable } = await (source === "rgm"
      ? client.rgmTelemetry(query, options)
      : client.telemetry({ includeInverter, ...query }, options));
    // Any other was not requested (service interface 4.4 rule 1).
    const records = shown.filter((record) => isInWindow(record, window));
    const { rhythms } = account();
    await rhythms.load();
    if (clock.isSure) rhythms.note(this.id, { window, records }, clock.now(), reader);
    return { records, unreadable };
  }

  get #rhythm(): Rhythm {
    return this.run.account().rhythms.of(this.id);
  }
}

/** The request parameters for a window of a series, with times in UTC. */
export function recordQuery({ siteId, systemId }: SeriesAddress, window: TimeWindow): RecordQuery {
  return { siteId, ...(systemId !== undefined && { systemId }), ...isoRange(window) };
}

/**
 * All messages, including those resent later, are based on the message that triggered the run.
 * @param isBatch whether a message holds a whole batch or a single record
 */
export function recordSink(node: Node, reading: SeriesReading, isBatch: boolean): RecordSink {
  const { run, series, options, id } = reading;
  /** Of windows that begin or end in the same hour one: it may be a little shorter when it is requested again. */
  const isNew = ({ start, end }: TimeWindow): boolean =>
    [`from ${Math.floor(start / HOUR)}`, `to ${Math.floor(end / HOUR)}`]
      .map((hour) => run.reported.isNew(`${id} ${hour}`))
      .every(Boolean);
  const carried = (ledger: Ledger | undefined): CarriedLedger | undefined =>
    ledger && carriedLedger(ledger, id);
  return {
    send(batches) {
      // All are sent in one moment.
      const now = run.clock.now();
      const described = reading.describe({ now: () => now, isSure: run.clock.isSure });
      for (const { records, deliveryId, ledger } of batches) {
        const travels = carried(ledger);
        if (isBatch) run.send(run.make(batchContent(described, records, deliveryId, travels)));
        else
          for (const record of records)
            run.send(run.make(recordContent(described, record, deliveryId, travels)));
      }
    },
    // Only telemetry poll has an output for it.
    ...(options.source === "telemetry" &&
      isWired(node, 2) && {
        sendNewest(record, ledger) {
          if (!isFresh(record.end + reading.validFor(record), run.clock)) return;
          const sent = recordContent(reading.describe(), record, undefined, carried(ledger));
          run.send([null, run.make(sent)]);
        },
      }),
    report(report) {
      if (report.kind === "unreadable") reading.report(report.items);
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

/** The same of a window that is given up, or whose records may still arrive. */
export function spanNotice(key: keyof typeof SPAN_TEXTS, window: TimeWindow, address: SeriesAddress): Notice {
  const text = errorText(SPAN_TEXTS[key], { series: topicOf(address), ...isoSpan(window) });
  return { what: { text }, status: warningStatus(key, { span: timeSpan(window) }) };
}

/** The error for a window that has no answer, although others have. */
export function windowError({ error, ...window }: MissingWindow): EnergyError {
  const { code, text, details } = error;
  return new EnergyError(code, errorText("windowFails", { ...isoSpan(window), text }), details);
}

function isoSpan({ start, end }: TimeWindow): { from: string; to: string } {
  return { from: isoTime(start), to: isoTime(end) };
}
