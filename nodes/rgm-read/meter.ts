// Reads the revenue-grade meter of a series: the latest record or a range, and whether there is a meter.
import { withRightTime } from "../../src/clock";
import { isFresh, trueAt } from "../../src/decisions/freshness";
import { errorText, SystemRequiredError } from "../../src/errors";
import { devicesOf, hasMeter, systemIdsOf } from "../../src/models/site";
import type { SeriesAddress } from "../../src/ledger/record-id";
import { type TimedRecord, uniqueInOrder } from "../../src/models/telemetry";
import { latestWindow, MAX_WINDOW, splitWindow, type TimeWindow } from "../../src/ledger/window";
import type { Reported } from "../../src/polling/reported";
import { MINUTE } from "../../src/time-units";
import { reportUnreadable } from "../shared/runtime/service/unreadable";
import { assertFewRequests, rangeOf, refuseRange } from "../shared/runtime/series/selection";
import { recordSource } from "../shared/runtime/records/record-ports";
import type { SeriesRuns } from "../shared/runtime/series/series-runs";
import type { Run } from "../shared/runtime/service/service-node";
import {
  fleetStatus,
  noValueStatus,
  recordsStatus,
  type StatusText,
  warningStatus,
} from "../shared/runtime/base/status";

type Records = readonly TimedRecord[];

/** What was sent for one series. */
interface Sent {
  records: Records;
  hasRgm: boolean;
}

/** What all runs of a node share. */
export interface MeterRuns {
  series: SeriesRuns;
  /** Records that cannot be read are reported once. */
  reported: Reported;
}

async function readWindow(
  run: Run,
  { reported }: MeterRuns,
  address: SeriesAddress,
  window: TimeWindow,
): Promise<Records> {
  const source = recordSource(run, address, { source: "rgm" });
  const { records, unreadable } = await source.read(window, run.signal);
  reportUnreadable(run, reported, unreadable, address);
  return records;
}

/** Records may be long, or late: a day back if there is none around now. */
async function readNewest(run: Run, runs: MeterRuns, address: SeriesAddress): Promise<Records> {
  for (const reach of [undefined, MAX_WINDOW / MINUTE]) {
    const records = await readWindow(run, runs, address, latestWindow(run.clock.now(), reach));
    if (records.length > 0) return records.slice(-1);
  }
  return [];
}

/** @param maxAgeMinutes of a record that counts as fresh, for the status */
export async function readLatest(runs: MeterRuns, run: Run, maxAgeMinutes: number): Promise<StatusText> {
  refuseRange(run.message, errorText("adviceRgmRange"));
  const read = async (address: SeriesAddress): Promise<Sent> => {
    const records = await withRightTime(run.clock, () => readNewest(run, runs, address));
    return sendRecords(run, address, records, records[0]?.record ?? null);
  };
  const isFreshNow = ({ records: [record] }: Sent): boolean =>
    record !== undefined && isFresh(trueAt(record, run.clock.now()), run.clock.now(), maxAgeMinutes);
  return readAll(runs.series, run, read, { isFreshNow });
}

/** Splits a range of more than 24 hours into several requests; a record that crosses a boundary is sent once. */
export async function readRange(runs: MeterRuns, run: Run): Promise<StatusText> {
  const range = rangeOf(run.message, run.clock.now());
  const windows = splitWindow(range);
  const check = (seriesCount: number): void => assertFewRequests(range, seriesCount);
  const read = async (address: SeriesAddress): Promise<Sent> => {
    const answers = await Promise.all(windows.map((window) => readWindow(run, runs, address, window)));
    // A record that has not ended yet may still change.
    const records = uniqueInOrder(answers.flat()).filter(({ end }) => end <= run.clock.now());
    const payload = records.map(({ record }) => record);
    return sendRecords(run, address, records, payload);
  };
  return readAll(runs.series, run, read, { check });
}

interface ReadOptions {
  /** Called with the number of series, before anything is read of them. */
  check?: (seriesCount: number) => void;
  /** For a status that says how many are fresh. */
  isFreshNow?: (sent: Sent) => boolean;
}

async function readAll(
  series: SeriesRuns,
  run: Run,
  read: (address: SeriesAddress) => Promise<Sent>,
  { check, isFreshNow }: ReadOptions,
): Promise<StatusText> {
  const list = await series.list(run, true);
  check?.(list.addresses.length);
  const sent = await series.each(run, list, read, isFreshNow);
  if (sent.length > 0 && !sent.some(({ hasRgm }) => hasRgm)) return warningStatus("rgm-read:noMeter");
  if (isFreshNow && sent.length > 1) return fleetStatus(sent.filter(isFreshNow).length, sent.length);
  const records = sent.flatMap((one) => one.records);
  return records.length === 0
    ? noValueStatus("no-record")
    : recordsStatus(records.length, records.at(-1)?.end);
}

async function sendRecords(
  run: Run,
  address: SeriesAddress,
  records: Records,
  payload: unknown,
): Promise<Sent> {
  const hasRgm = records.length > 0 || (await isMetered(run, address));
  await run.reply({ payload, address, energy: { kind: "rgm", hasRgm } });
  return { records, hasRgm };
}

/** An empty response may mean no record or no meter: the device list decides (service interface 4.5). */
async function isMetered(run: Run, { siteId, systemId }: SeriesAddress): Promise<boolean> {
  const service = await run.service();
  const site = await service.site(siteId, { signal: run.signal, pc1: true });
  const systemIds = systemIdsOf(site);
  if (systemId === undefined && systemIds.length > 1) throw new SystemRequiredError(siteId, systemIds);
  return hasMeter(devicesOf(site, systemId));
}
