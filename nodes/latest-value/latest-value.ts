// latest value: the newest record, or one value of it, on output 1; the reason why there is none on output 2.
import { withRightTime } from "../../src/clock";
import type { Node, NodeAPI } from "node-red";
import { errorText, ResponseError } from "../../src/errors";
import { type SeriesAddress, seriesId } from "../../src/ledger/record-id";
import type { TimedRecord } from "../../src/models/timed-record";
import { latestWindows } from "../../src/ledger/window";
import { settingValue } from "../../src/settings/read";
import type { SettingValues, StoredSettings } from "../../src/settings/setting";
import { LATEST_VALUE } from "../../src/settings/table/latest-value";
import { addressesOf, forEachSeries, type SystemDef } from "../shared/runtime/address";
import { unreadableNotice } from "../shared/runtime/poll-notices";
import { refuseRange } from "../shared/runtime/range";
import { recordSource } from "../shared/runtime/record-source";
import { type Run, type ServiceNodeDef, startServiceNode } from "../shared/runtime/service-node";
import type { StatusText } from "../shared/runtime/status";
import { readSettings } from "../shared/runtime/settings";
import { failedReading, type Reading, readingOf, readingStatus } from "./reading";

type LatestValueDef = ServiceNodeDef & SystemDef & StoredSettings<typeof LATEST_VALUE>;

type LatestValueSettings = SettingValues<typeof LATEST_VALUE>;

export default function register(RED: NodeAPI): void {
  function LatestValue(this: Node, config: LatestValueDef): void {
    RED.nodes.createNode(this, config);
    const path = settingValue(LATEST_VALUE.path, config.path);
    const valueAt = (record: object): unknown => RED.util.getObjectProperty({ ...record }, path);
    /** Series without a usable value: on a schedule, output 2 fires once until the value is back. */
    const unsafe = new Set<string>();

    function send(run: Run, { value, energy }: Reading, address?: SeriesAddress): void {
      const series = address ? seriesId(address, "telemetry") : "";
      const message = run.make({ payload: value, energy, ...(address ? { address } : {}) });
      if (energy.reason === undefined) {
        unsafe.delete(series);
        run.send(message);
      } else {
        if (run.isTriggered || !unsafe.has(series)) run.send([null, message]);
        unsafe.add(series);
      }
    }

    /** Sends a failure to output 2 as well as to catch nodes, so that every run sends a message. */
    async function reportingFailure<T>(
      run: Run,
      work: () => Promise<T>,
      address?: SeriesAddress,
    ): Promise<T> {
      try {
        return await work();
      } catch (error) {
        if (!run.signal.aborted) send(run, failedReading(path), address);
        throw error;
      }
    }

    const read = async (
      run: Run,
      address: SeriesAddress,
      settings: LatestValueSettings,
    ): Promise<Reading> => {
      const newest = await readNewest(run, address, settings);
      const reading = readingOf(newest, {
        path,
        valueAt,
        now: run.clock.now(),
        maxAgeMinutes: settings.maxAge,
      });
      send(run, reading, address);
      return reading;
    };

    const work = async (run: Run): Promise<StatusText> => {
      const { addresses, settings } = await reportingFailure(run, async () => {
        refuseRange(run.message, errorText("advicePresent"));
        return {
          settings: readSettings(RED, this, LATEST_VALUE, config),
          addresses: await addressesOf(RED, this, config, run),
        };
      });
      return readingStatus(
        await forEachSeries(addresses, (address) =>
          reportingFailure(run, () => read(run, address, settings), address),
        ),
      );
    };
    startServiceNode(RED, this, config, { kind: "latest-value", work });
  }

  RED.nodes.registerType("energy-latest-value", LatestValue);
}

async function readNewest(
  run: Run,
  address: SeriesAddress,
  { maxAge, includeInverter }: LatestValueSettings,
): Promise<TimedRecord | undefined> {
  const source = recordSource(run, address, { source: "telemetry", includeInverter });
  return withRightTime(run.clock, async () => {
    for (const window of latestWindows(run.clock.now(), maxAge)) {
      const { records, unreadable } = await source.read(window, run.signal);
      for (const { fault } of unreadable) run.notify(unreadableNotice(new ResponseError(fault), address));
      const newest = records.at(-1);
      if (newest) return newest;
    }
    return undefined;
  });
}
