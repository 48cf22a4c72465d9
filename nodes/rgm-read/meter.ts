// Reads the revenue-grade meter of a series: the latest record or a range, and whether there is a meter.
import { systemClock } from "../../src/clock";
import type { Node, NodeAPI } from "node-red";
import { errorText, SystemRequiredError } from "../../src/errors";
import { hasMeter, systemIdsOf } from "../../src/models/site-reader";
import type { SeriesAddress } from "../../src/ledger/record-id";
import { uniqueInOrder, type TimedRecord } from "../../src/models/timed-record";
import { latestWindow, splitWindow, type TimeWindow } from "../../src/ledger/window";
import { addressesOf, forEachSeries, type SystemDef } from "../shared/runtime/address";
import { rangeOf, refuseRange } from "../shared/runtime/range";
import { recordSource } from "../shared/runtime/record-source";
import type { Run } from "../shared/runtime/service-node";
import { noValueStatus, recordsStatus, type StatusText } from "../shared/runtime/status";

type Records = TimedRecord[];

/** What was sent for one series. */
interface Sent {
  records: Records;
  hasRgm: boolean;
}

function readWindow(run: Run, address: SeriesAddress, window: TimeWindow): Promise<Records> {
  return recordSource(run.service, address, { source: "rgm" }).read(window, run.signal);
}

export async function readLatest(RED: NodeAPI, node: Node, config: SystemDef, run: Run): Promise<StatusText> {
  refuseRange(run.message, errorText("adviceRgmRange"));
  return readAll(RED, node, config, run, async (address) => {
    const records = uniqueInOrder(await readWindow(run, address, latestWindow(systemClock.now()))).slice(-1);
    return sendRecords(run, address, records, records[0]?.record ?? null);
  });
}

/** Splits a range of more than 24 hours into several requests; a record that crosses a boundary is sent once. */
export async function readRange(RED: NodeAPI, node: Node, config: SystemDef, run: Run): Promise<StatusText> {
  const windows = splitWindow(rangeOf(run.message));
  return readAll(RED, node, config, run, async (address) => {
    const answers = await Promise.all(windows.map((window) => readWindow(run, address, window)));
    // A record that has not ended yet may still change.
    const records = uniqueInOrder(answers.flat()).filter(({ end }) => end <= systemClock.now());
    const payload = records.map(({ record }) => record);
    return sendRecords(run, address, records, payload);
  });
}

async function readAll(
  RED: NodeAPI,
  node: Node,
  config: SystemDef,
  run: Run,
  read: (address: SeriesAddress) => Promise<Sent>,
): Promise<StatusText> {
  const sent = await forEachSeries(await addressesOf(RED, node, config, run, true), read);
  if (sent.length > 0 && !sent.some(({ hasRgm }) => hasRgm))
    return { key: "rgm-read:noMeter", fill: "yellow", shape: "ring" };
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
  run.send(run.make({ payload, address, energy: { kind: "rgm", hasRgm } }));
  return { records, hasRgm };
}

/** An empty response may mean no record or no meter: the device list decides (service interface 4.5). */
async function isMetered(run: Run, { siteId, systemId }: SeriesAddress): Promise<boolean> {
  const service = await run.service();
  const site = await service.site(siteId, { signal: run.signal, pc1: true });
  const systemIds = systemIdsOf(site);
  if (systemId === undefined && systemIds.length > 1) throw new SystemRequiredError(siteId, systemIds);
  return hasMeter(site, systemId);
}
