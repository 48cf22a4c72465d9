// latest value: the newest record, or one value of it, on output 1; the reason why there is none on output 2.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { errorText } from "../../src/errors";
import type { SeriesAddress } from "../../src/series/identity";
import type { ResolvedSeries } from "../../src/series/series-book";
import { Reported } from "../../src/bounded-map";
import { LATEST_VALUE } from "./settings";
import { notesOf } from "../shared/runtime/lifecycle/node-notes";
import type { SeriesList } from "../shared/runtime/series/known-series";
import { refuseRange, sameSeries } from "../shared/runtime/series/selection";
import { readerOf, readNewest, validForOf } from "../shared/runtime/records/record-ports";
import { SeriesRuns, type SeriesWork } from "../shared/runtime/series/series-runs";
import { type Run, startServiceNode } from "../shared/runtime/service/service-node";
import type { StatusText } from "../shared/runtime/base/status";
import { readSettings } from "../shared/runtime/base/settings";
import { type LatestValue, noValue, valueOf, valueStatus } from "./value";

export default function register(RED: NodeAPI): void {
  function LatestValue(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, LATEST_VALUE, config);
    const { path, maxAge, includeInverter } = settings.values;
    const series = new SeriesRuns(RED, this, settings.values);
    const reader = readerOf(this, settings.values);
    const options = { source: "telemetry", includeInverter, reported: new Reported(), reader } as const;

    const send = (run: Run, { value, energy }: LatestValue, address?: SeriesAddress): Promise<void> => {
      const content = { payload: value, energy, ...(address ? { address } : {}) };
      return run.reply(content, energy.reason === undefined ? 1 : 2);
    };

    const read = async (run: Run, address: ResolvedSeries): Promise<LatestValue> => {
      const newest = await readNewest(run, address, options);
      notesOf(this).noteNewest(address, newest?.end);
      const validFor = validForOf(run, address, options, maxAge);
      const { value, energy } = valueOf(RED, newest, { path, clock: run.clock, validFor });
      return { value, energy: { ...energy, ...address.names } };
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
        if (!done.has(address)) await send(run, noValue("failed", path), address);
      for (const address of vanished) await send(run, noValue("no-record", path), address);
      const isNoneKnown = addresses.length + vanished.length === 0;
      if (!list && isNoneKnown) await send(run, noValue("failed", path));
    };

    const work = async (run: Run): Promise<StatusText> => {
      const started = new Set<SeriesAddress>();
      let list: SeriesList | undefined;
      try {
        refuseRange(run.message, errorText("advicePresent"));
        settings.valid();
        list = await series.known.list(run);
        const readAndSend: SeriesWork<LatestValue> = async (listed, resolve) => {
          const address = await resolve();
          started.add(listed);
          const latest = await read(run, address).catch(async (error: unknown) => {
            const failed = noValue("failed", path);
            Object.assign(failed.energy, address.names);
            if (!run.signal.aborted) await send(run, failed, address);
            throw error;
          });
          await send(run, latest, address);
          return latest;
        };
        const isFresh = ({ energy }: LatestValue): boolean => energy.reason === undefined;
        return valueStatus(await series.each(run, list, readAndSend, isFresh));
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
