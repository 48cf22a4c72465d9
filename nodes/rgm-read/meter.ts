// Reads the revenue-grade meter of a series: the latest record or a range, and whether there is a meter.
import { freshness } from "../../src/decisions/freshness";
import { errorText, unlessRefused } from "../../src/errors";
import type { RecordAge } from "../../src/messages/messages";
import { hasMeter } from "../../src/models/site";
import type { ResolvedSeries } from "../../src/series/series-book";
import type { TimedRecord } from "../../src/models/telemetry";
import { HistoryRun } from "../../src/history/history-run";
import { planRange, readRange } from "../../src/history/plan";
import { MAX_HISTORY_DAYS, MAX_REQUESTS } from "../../src/limits";
import { defined } from "../../src/objects";
import { assertFewRequests, refuseRange } from "../shared/runtime/series/selection";
import {
  failingNotice,
  SeriesReading,
  spanNotice,
  windowError,
} from "../shared/runtime/records/record-ports";
import type { SeriesList } from "../shared/runtime/series/known-series";
import type { SeriesRuns, SeriesWork } from "../shared/runtime/series/series-runs";
import type { Run } from "../shared/runtime/service/service-node";
import {
  fleetStatus,
  noValueStatus,
  recordsStatus,
  type StatusText,
  warningStatus,
} from "../shared/runtime/base/status";

const METER = { source: "rgm" } as const;

type Records = readonly TimedRecord[];

interface Sent {
  records: Records;
  /** Undefined while it is not known. */
  hasRgm: boolean | undefined;
  /** Of the latest record. */
  ageSeconds?: number;
  isFresh?: boolean;
}

export async function sendLatest(series: SeriesRuns, run: Run): Promise<StatusText> {
  refuseRange(run.message, errorText("adviceRgmRange"));
  const read: SeriesWork<Sent> = async (resolve) => {
    const address = await resolve();
    const reading = new SeriesReading(run, address, METER);
    const newest = await reading.newest();
    if (!newest) return sendRecords(run, address, [], null);
    const { isFresh, ...age } = freshness(newest, reading.validFor, run.clock);
    const sent = await sendRecords(run, address, [newest], newest.record, age);
    return { ...sent, ageSeconds: age.ageSeconds, isFresh };
  };
  const isFreshNow = ({ isFresh }: Sent): boolean => isFresh === true;
  const list = await series.list(run);
  const sent = await series.each(run, list, read, isFreshNow);
  const isFleet = sent.length > 1 && sent.some(({ hasRgm }) => hasRgm);
  const metered = sent.filter(({ hasRgm }) => hasRgm !== false);
  if (isFleet) return fleetStatus(sent.filter(isFreshNow).length, metered.length);
  const stale = sent.find(({ isFresh }) => isFresh === false);
  return stale ? noValueStatus("stale", stale.ageSeconds) : statusOf(sent, list);
}

/** The records of a range in one message. */
export async function sendRange(series: SeriesRuns, run: Run): Promise<StatusText> {
  const { clock, signal } = run;
  const range = readRange(run.message, "msg", MAX_HISTORY_DAYS);
  const list = await series.listFrom(run, range.start, "msg.startTime");
  assertFewRequests(range, list.addresses.length);
  const read: SeriesWork<Sent> = async (resolve) => {
    const address = await resolve();
    const plan = planRange(range);
    const history = new HistoryRun({ plan, clock, signal, isBatch: true, maxRequests: MAX_REQUESTS });
    const records: TimedRecord[] = [];
    await history.read(new SeriesReading(run, address, METER), (some) => void records.push(...some));
    const { missing, late } = history;
    const [failing] = missing;
    if (records.length === 0 && failing) throw windowError(failing);
    for (const window of missing) run.notify(failingNotice(window, address));
    if (late) run.notify(spanNotice("late", late, address));
    const payload = records.map(({ record }) => record);
    return sendRecords(run, address, records, payload);
  };
  return statusOf(await series.each(run, list, read), list);
}

function statusOf(sent: readonly Sent[], { isUnmetered }: SeriesList): StatusText {
  const isNone = sent.every(({ hasRgm }) => hasRgm === false);
  if (isUnmetered || (sent.length > 0 && isNone)) return warningStatus("rgm-read:noMeter");
  const records = sent.flatMap((one) => one.records);
  return records.length === 0
    ? noValueStatus("no-record")
    : recordsStatus(records.length, records.at(-1)?.end);
}

async function sendRecords(
  run: Run,
  address: ResolvedSeries,
  records: Records,
  payload: unknown,
  age?: RecordAge,
): Promise<Sent> {
  const hasRgm = records.length > 0 || (await isMetered(run, address));
  const energy = { kind: "rgm", ...defined({ hasRgm }), ...address.names, ...age } as const;
  await run.reply({ payload, address, energy });
  return { records, hasRgm };
}

/** An empty response may mean no record or no meter: the device list decides (service interface 4.5), if there is one. */
export async function isMetered(
  run: Run,
  { siteId, systemId, generation }: ResolvedSeries,
): Promise<boolean | undefined> {
  if (generation === "PC2") return false;
  const service = await run.service();
  const site = await unlessRefused(service.site(siteId, { signal: run.signal, pc1: true }));
  return site && hasMeter(site, systemId);
}
