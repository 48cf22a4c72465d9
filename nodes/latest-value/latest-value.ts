// latest value: the newest record, or one value of it, on output 1; the reason why there is none on output 2.
import { withRightTime } from "../../src/clock";
import type { Node, NodeAPI } from "node-red";
import { errorText } from "../../src/errors";
import { type SeriesAddress, seriesId } from "../../src/ledger/record-id";
import type { TimedRecord } from "../../src/models/timed-record";
import { latestWindows } from "../../src/ledger/window";
import { Reported } from "../../src/polling/reported";
import { settingValue } from "../../src/settings/read";
import type { SettingValues, StoredSettings } from "../../src/settings/setting";
import { LATEST_VALUE } from "../../src/settings/table/latest-value";
import type { SystemDef } from "../shared/runtime/series/address";
import type { SeriesList } from "../shared/runtime/series/known-series";
import { reportUnreadable } from "../shared/runtime/records/poll-notices";
import { refuseRange } from "../shared/runtime/range";
import { recordSource } from "../shared/runtime/records/record-source";
import { sameSeries } from "../shared/runtime/queue/same-work";
import { SeriesRuns } from "../shared/runtime/series/series-runs";
import { type Run, type ServiceNodeDef, startServiceNode } from "../shared/runtime/service-node";
import type { StatusText } from "../shared/runtime/status";
import { readSettings } from "../shared/runtime/settings";
import { failedReading, missingReading, type Reading, readingOf, readingStatus } from "./reading";

type LatestValueDef = ServiceNodeDef & SystemDef & StoredSettings<typeof LATEST_VALUE>;

type LatestValueSettings = SettingValues<typeof LATEST_VALUE>;

export default function register(RED: NodeAPI): void {
  function LatestValue(this: Node, config: LatestValueDef): void {
    RED.nodes.createNode(this, config);
    const path = settingValue(LATEST_VALUE.path, config.path);
    const valueAt = (record: object): unknown => RED.util.getObjectProperty({ ...record }, path);
    const series = new SeriesRuns(RED, this, config);
    const reported = new Reported();
    /** Series without a usable value: on a schedule, output 2 fires once until the value is back. */
    const unsafe = new Set<string>();

    async function send(run: Run, { value, energy }: Reading, address?: SeriesAddress): Promise<void> {
      const id = address ? seriesId(address, "telemetry") : "";
      const content = { payload: value, energy, ...(address ? { address } : {}) };
      if (energy.reason === undefined) {
        unsafe.delete(id);
        await run.reply(content);
      } else {
        const isNews = run.isTriggered || !unsafe.has(id);
        unsafe.add(id);
        if (isNews) await run.reply(content, 2);
      }
    }

    const read = async (
      run: Run,
      address: SeriesAddress,
      settings: LatestValueSettings,
    ): Promise<Reading> => {
      const newest = await readNewest(run, address, settings, reported);
      const reading = readingOf(newest, {
        path,
        valueAt,
        now: run.clock.now(),
        maxAgeMinutes: settings.maxAge,
      });
      await send(run, reading, address);
      return reading;
    };

    const readAll = async (
      run: Run,
      list: SeriesList,
      settings: LatestValueSettings,
    ): Promise<StatusText> => {
      const started = new Set<SeriesAddress>();
      const sendUnread = async (address: SeriesAddress, reading: Reading): Promise<void> => {
        if (!run.signal.aborted) await send(run, reading, address);
      };
      try {
        const readings = await series.each(run, list, async (address) => {
          started.add(address);
          try {
            return await read(run, address, settings);
          } catch (error) {
            await sendUnread(address, failedReading(path));
            throw error;
          }
        });
        return readingStatus(readings);
      } finally {
        // Whatever happens, every run sends a message for each system that is known.
        for (const address of list.addresses)
          if (!started.has(address)) await sendUnread(address, failedReading(path));
        for (const address of list.vanished) await sendUnread(address, missingReading(path));
      }
    };

    const work = async (run: Run): Promise<StatusText> => {
      let prepared: { settings: LatestValueSettings; list: SeriesList };
      try {
        refuseRange(run.message, errorText("advicePresent"));
        prepared = { settings: readSettings(RED, this, LATEST_VALUE, config), list: await series.list(run) };
      } catch (error) {
        if (!run.signal.aborted) await send(run, failedReading(path));
        throw error;
      }
      return readAll(run, prepared.list, prepared.settings);
    };
    startServiceNode(RED, this, config, {
      kind: "latest-value",
      work,
      sameWork: (message) => sameSeries(RED, config, message),
    });
  }

  RED.nodes.registerType("energy-latest-value", LatestValue);
}

async function readNewest(
  run: Run,
  address: SeriesAddress,
  { maxAge, includeInverter }: LatestValueSettings,
  reported: Reported,
): Promise<TimedRecord | undefined> {
  const source = recordSource(run, address, { source: "telemetry", includeInverter });
  return withRightTime(run.clock, async () => {
    for (const window of latestWindows(run.clock.now(), maxAge)) {
      const { records, unreadable } = await source.read(window, run.signal);
      reportUnreadable(run, reported, unreadable, address);
      const newest = records.at(-1);
      if (newest) return newest;
    }
    return undefined;
  });
}
