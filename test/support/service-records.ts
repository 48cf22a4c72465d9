// A service with a fixed clock, and the records that it holds, read over plain HTTP to compare deliveries with.
import { type StrictService, startStrictService } from "./demo-service";
import type { TelemetryRecord } from "../../src/models/telemetry";
import { siteIdOf, systemIdsOf } from "../../src/models/site";
import { recordId, seriesId } from "../../src/series/identity";
import { HOUR, splitWindow } from "../../src/time-units";
import { Reader } from "../demo/reader";

export interface ServiceRecords {
  service: StrictService;
  /** All records that may arrive, by record id: from every system, and a few hours more than must arrive. */
  all: Map<string, TelemetryRecord>;
  /** Ids of the records that must arrive. */
  required: string[];
  /** How far back a poll must start to deliver them all. */
  startHours: number;
}

/** Starts the service, and reads the records of its last hours. */
export async function startServiceWithRecords(hours: number): Promise<ServiceRecords> {
  const now = Date.now();
  const service = await startStrictService({ now: () => now });
  const all = await telemetry(service.baseUrl, now - (hours + 2) * HOUR, now);
  const required = [...all].filter(([, { startTime }]) => Date.parse(startTime) >= now - hours * HOUR);
  return { service, all, required: required.map(([id]) => id), startHours: hours + 1 };
}

async function telemetry(baseUrl: string, start: number, end: number): Promise<Map<string, TelemetryRecord>> {
  const reader = await Reader.of({ baseUrl });
  const all = new Map<string, TelemetryRecord>();
  for (const site of await reader.sites()) {
    const siteId = siteIdOf(site);
    for (const systemId of systemIdsOf(site)) {
      for (const window of splitWindow({ start, end })) {
        const [startTime, endTime] = [window.start, window.end].map((time) => new Date(time).toISOString());
        const query = { systemId, startTime: startTime ?? "", endTime: endTime ?? "" };
        for (const record of await reader.telemetry(siteId, query)) {
          all.set(
            recordId(seriesId({ siteId, systemId }, "telemetry"), Date.parse(record.startTime)),
            record,
          );
        }
      }
    }
  }
  return all;
}
