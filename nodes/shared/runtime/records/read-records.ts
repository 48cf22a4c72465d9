// Reads the records of a window, or the newest one, for nodes that remember no position.
import { withRightTime } from "../../../../src/clock";
import type { SeriesAddress } from "../../../../src/ledger/record-id";
import type { TimeWindow } from "../../../../src/ledger/window";
import type { TimedRecord } from "../../../../src/models/telemetry";
import type { Reported } from "../../../../src/bounded-map";
import type { Run } from "../service/service-node";
import { reportUnreadable } from "../service/unreadable";
import { recordSource, type RecordSourceOptions } from "./record-ports";

interface ReadOptions extends RecordSourceOptions {
  /** Records that cannot be read are reported once. */
  reported: Reported;
}

export async function readWindow(
  run: Run,
  address: SeriesAddress,
  window: TimeWindow,
  { reported, ...options }: ReadOptions,
): Promise<readonly TimedRecord[]> {
  const { records, unreadable } = await recordSource(run, address, options).read(window, run.signal);
  reportUnreadable(run, reported, unreadable, address);
  return records;
}

/** The last record of the first window that has one. */
export function readNewest(
  run: Run,
  address: SeriesAddress,
  windowsAt: (now: number) => readonly TimeWindow[],
  options: ReadOptions,
): Promise<TimedRecord | undefined> {
  return withRightTime(run.clock, async () => {
    for (const window of windowsAt(run.clock.now())) {
      const newest = (await readWindow(run, address, window, options)).at(-1);
      if (newest) return newest;
    }
    return undefined;
  });
}
