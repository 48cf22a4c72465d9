// latest value: the newest record, or one value of it, on output 1; the reason why there is none on output 2.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { errorText } from "../../src/errors";
import type { SeriesAddress } from "../../src/ledger/record-id";
import { latestWindows, type TimeWindow } from "../../src/ledger/window";
import { Reported } from "../../src/bounded-map";
import { LATEST_VALUE } from "./settings";
import { notesOf } from "../shared/runtime/lifecycle/node-notes";
import type { LastKnownSeries, SeriesList } from "../shared/runtime/series/known-series";
import { refuseRange, sameSeries } from "../shared/runtime/series/selection";
import { readNewest } from "../shared/runtime/records/read-records";
import { SeriesRuns } from "../shared/runtime/series/series-runs";
import { type Run, startServiceNode } from "../shared/runtime/service/service-node";
import type { StatusText } from "../shared/runtime/base/status";
import { readSettings } from "../shared/runtime/base/settings";
import { type Reading, readingOf, readingStatus, readingWithout } from "./reading";

export default function register(RED: NodeAPI): void {
  function LatestValue(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, LATEST_VALUE, config);
    const { path, maxAge, includeInverter } = settings.values;
    const valueAt = (record: object): unknown => RED.util.getObjectProperty({ ...record }, path);
    const fieldAt = (record: object): string => {
      const parts = RED.util.normalisePropertyExpression(path, { ...record });
      return parts.findLast((part) => typeof part === "string") ?? "";
    };
    const series = new SeriesRuns(RED, this, settings.values);
    const reported = new Reported();

    const send = (run: Run, { value, energy }: Reading, address?: SeriesAddress): Promise<void> => {
      const content = { payload: value, energy, ...(address ? { address } : {}) };
      return run.reply(content, energy.reason === undefined ? 1 : 2);
    };

    /** Sends the reason for each system that was not read: every run has a message for each system that is known. */
    const sendUnread = async (
      run: Run,
      { addresses, vanished }: LastKnownSeries,
      done: ReadonlySet<SeriesAddress> = new Set(),
    ): Promise<void> => {
      if (run.signal.aborted) return;
      for (const address of addresses)
        if (!done.has(address)) await send(run, readingWithout("failed", path), address);
      for (const address of vanished) await send(run, readingWithout("no-record", path), address);
    };

    /** For a run that could not start. */
    const sendFailed = async (run: Run): Promise<void> => {
      const unknown = { addresses: [], vanished: [] };
      const known = await series.lastKnown(run).catch((): LastKnownSeries => unknown);
      await sendUnread(run, known);
      const isNoneKnown = known.addresses.length + known.vanished.length === 0;
      if (isNoneKnown && !run.signal.aborted) await send(run, readingWithout("failed", path));
    };

    const prepare = async (run: Run): Promise<SeriesList> => {
      try {
        refuseRange(run.message, errorText("advicePresent"));
        settings.valid();
        return await series.list(run);
      } catch (error) {
        await sendFailed(run);
        throw error;
      }
    };

    const work = async (run: Run): Promise<StatusText> => {
      const list = await prepare(run);
      const started = new Set<SeriesAddress>();
      const read = async (address: SeriesAddress): Promise<Reading> => {
        const windowsAt = (now: number): TimeWindow[] => latestWindows(now, maxAge);
        const options = { source: "telemetry", includeInverter, reported } as const;
        const newest = await readNewest(run, address, windowsAt, options);
        notesOf(this).noteNewest(address, newest?.end);
        return readingOf(newest, { path, valueAt, fieldAt, now: run.clock.now(), maxAgeMinutes: maxAge });
      };
      try {
        const readAndSend = async (address: SeriesAddress): Promise<Reading> => {
          started.add(address);
          const reading = await read(address).catch(async (error: unknown) => {
            await sendUnread(run, { addresses: [address], vanished: [] });
            throw error;
          });
          await send(run, reading, address);
          return reading;
        };
        const isFresh = ({ energy }: Reading): boolean => energy.reason === undefined;
        const readings = await series.each(run, list, readAndSend, isFresh);
        return readingStatus(readings, maxAge);
      } finally {
        await sendUnread(run, list, started);
      }
    };
    startServiceNode(RED, this, {
      settings,
      kind: "latest-value",
      work,
      sameWork: (message) => sameSeries(RED, settings.values, message),
    });
  }

  RED.nodes.registerType("energy-latest-value", LatestValue);
}
