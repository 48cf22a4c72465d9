// A service whose clock stands still, and what it holds, asked for over plain HTTP: the truth to compare deliveries with.
import { type DemoService, startDemoService } from "../../src/demo";
import type { TelemetryRecord } from "../../src/models/telemetry";
import { siteIdOf, systemIdsOf } from "../../src/models/site-reader";
import { recordId } from "../../src/ledger/record-id";
import { splitWindow } from "../../src/ledger/window";
import { HOUR } from "../../src/time-units";
import { Reader } from "../demo/reader";

export interface HeldRecords {
  service: DemoService;
  /** All that may arrive, by record id: of every system, some hours more than are owed. */
  held: Map<string, TelemetryRecord>;
  /** Ids of what must arrive. */
  owed: string[];
  /** What a poll starts with, so that it owes all that. */
  startHours: number;
}

/** The service, and the records of its last hours. */
export async function serviceHolding(hours: number): Promise<HeldRecords> {
  const now = Date.now();
  const service = await startDemoService({ now: () => now });
  const held = await telemetry(service.baseUrl, now - (hours + 2) * HOUR, now);
  const owed = [...held].filter(([, { startTime }]) => Date.parse(startTime) >= now - hours * HOUR);
  return { service, held, owed: owed.map(([id]) => id), startHours: hours + 1 };
}

async function telemetry(baseUrl: string, start: number, end: number): Promise<Map<string, TelemetryRecord>> {
  const reader = await Reader.of({ baseUrl });
  const held = new Map<string, TelemetryRecord>();
  for (const site of await reader.sites()) {
    const siteId = siteIdOf(site);
    for (const systemId of systemIdsOf(site)) {
      for (const window of splitWindow({ start, end })) {
        const [startTime, endTime] = [window.start, window.end].map((time) => new Date(time).toISOString());
        const query = { systemId, startTime: startTime ?? "", endTime: endTime ?? "" };
        for (const record of await reader.telemetry(siteId, query)) {
          held.set(recordId({ siteId, systemId }, "telemetry", Date.parse(record.startTime)), record);
        }
      }
    }
  }
  return held;
}
