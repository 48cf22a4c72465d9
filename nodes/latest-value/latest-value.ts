// latest value: the newest record, or one value of it, on output 1; the reason why there is none on output 2.
import { errorText } from "../../src/errors";
import { isOfInverter } from "../../src/models/measurements";
import type { NamedAddress } from "../../src/series/identity";
import type { ResolvedSeries } from "../../src/series/series-book";
import { LATEST_VALUE } from "./settings";
import { refuseRange, sameSelection } from "../shared/runtime/series/selection";
import { SeriesReading } from "../shared/runtime/records/record-ports";
import { SeriesRuns, type SeriesWork } from "../shared/runtime/series/series-runs";
import { type Run, serviceNode } from "../shared/runtime/service/service-node";
import type { StatusText } from "../shared/runtime/base/status";
import { type LatestValue, noValue, valueOf, valueStatus } from "./value";

export default serviceNode("energy-latest-value", LATEST_VALUE, (RED, node, settings) => {
  const { path, maxAge } = settings.values;
  const includeInverter = settings.values.includeInverter || isOfInverter(path);
  const options = { source: "telemetry", includeInverter, maxAge } as const;

  const send = (run: Run, latest: LatestValue, address?: NamedAddress): Promise<void> => {
    const energy = { ...latest.energy, ...address?.names };
    // Without an address, it is not about the site of the message either.
    const content = { payload: latest.value, energy, address: address ?? "account" } as const;
    return run.reply(content, energy.reason === undefined ? 1 : 2);
  };

  const series = new SeriesRuns(RED, node, settings.values, {
    // Every run has a message for each system that is known.
    unread: (run, address, isGone) => send(run, noValue(isGone ? "no-record" : "failed", path), address),
  });

  const read = async (run: Run, address: ResolvedSeries): Promise<LatestValue> => {
    const reading = new SeriesReading(run, address, options);
    return valueOf(RED, await reading.newest(), { path, clock: run.clock, validFor: reading.validFor });
  };

  const work = async (run: Run): Promise<StatusText> => {
    const check = (): void => {
      refuseRange(run.message, errorText("advicePresent"));
      settings.valid();
    };
    const readAndSend: SeriesWork<LatestValue> = async (resolve) => {
      const address = await resolve();
      const latest = await read(run, address).catch(async (error: unknown) => {
        await send(run, noValue("failed", path), address);
        throw error;
      });
      await send(run, latest, address);
      return latest;
    };
    const isFresh = ({ energy }: LatestValue): boolean => energy.reason === undefined;
    const list = await series.list(run, check);
    return valueStatus(await series.each(run, list, readAndSend, isFresh));
  };
  return {
    work,
    sameWork: (message) => sameSelection(RED, settings.values, message),
  };
});
