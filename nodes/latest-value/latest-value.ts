// latest value: the newest record, or one value of it, on output 1; the reason why there is none on output 2.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { errorText } from "../../src/errors";
import type { SeriesAddress } from "../../src/series/identity";
import { latestWindows } from "../../src/ledger/window";
import { Reported } from "../../src/bounded-map";
import { LATEST_VALUE } from "./settings";
import { notesOf } from "../shared/runtime/lifecycle/node-notes";
import type { SeriesList } from "../shared/runtime/series/known-series";
import { refuseRange, sameSeries } from "../shared/runtime/series/selection";
import { readNewest } from "../shared/runtime/records/record-ports";
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
    const series = new SeriesRuns(RED, this, settings.values);
    const reported = new Reported();

    const send = (run: Run, { value, energy }: Reading, address?: SeriesAddress): Promise<void> => {
      const content = { payload: value, energy, ...(address ? { address } : {}) };
      return run.reply(content, energy.reason === undefined ? 1 : 2);
    };

    const read = async (run: Run, address: SeriesAddress): Promise<Reading> => {
      const options = { source: "telemetry", includeInverter, reported } as const;
      const newest = await readNewest(run, address, (now) => latestWindows(now, maxAge), options);
      notesOf(this).noteNewest(address, newest?.end);
      return readingOf(RED, newest, { path, now: run.clock.now(), maxAgeMinutes: maxAge });
    };

    /** Every run has a message for each system that is known: sends the reason for those that were not read. */
    const sendUnread = async (
      run: Run,
      list: SeriesList | undefined,
      done: ReadonlySet<SeriesAddress>,
    ): Promise<void> => {
      const known = list ?? (await series.known.lastKnown(run).catch(() => undefined));
      if (run.signal.aborted) return;
      const { addresses = [], vanished = [] } = known ?? {};
      for (const address of addresses)
        if (!done.has(address)) await send(run, readingWithout("failed", path), address);
      for (const address of vanished) await send(run, readingWithout("no-record", path), address);
      const isNoneKnown = addresses.length + vanished.length === 0;
      if (!list && isNoneKnown) await send(run, readingWithout("failed", path));
    };

    const work = async (run: Run): Promise<StatusText> => {
      const started = new Set<SeriesAddress>();
      let list: SeriesList | undefined;
      try {
        refuseRange(run.message, errorText("advicePresent"));
        settings.valid();
        list = await series.known.list(run);
        const readAndSend = async (address: SeriesAddress): Promise<Reading> => {
          started.add(address);
          const reading = await read(run, address).catch(async (error: unknown) => {
            if (!run.signal.aborted) await send(run, readingWithout("failed", path), address);
            throw error;
          });
          await send(run, reading, address);
          return reading;
        };
        const isFresh = ({ energy }: Reading): boolean => energy.reason === undefined;
        return readingStatus(await series.each(run, list, readAndSend, isFresh), maxAge);
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
