// Clients for the tests in this folder.
import { setTimeout as timeout } from "node:timers/promises";
import type sinon from "sinon";
import { RuntimeClock } from "../../src/clock";
import type { Turn } from "../../src/client/http/gate";
import type { ConnectionSettings } from "../../src/client/connection";
import type { EnergyError } from "../../src/errors";
import { createServiceClient, type RecordQuery, type ServiceClient } from "../../src/client/service-client";
import type { TestService } from "../support/service";

/** Never faked. */
const pause = timeout;

export const DAY = { startTime: "2026-02-01T00:00:00Z", endTime: "2026-02-02T00:00:00Z" };

/** Opts in to the preview API. */
export const PREVIEW = "2026-01-01.preview";

export function settingsOf(
  service: Pick<TestService, "baseUrl" | "clientId" | "clientSecret">,
  changes: Partial<ConnectionSettings> = {},
): ConnectionSettings {
  return {
    baseUrl: service.baseUrl,
    clientId: service.clientId,
    clientSecret: service.clientSecret,
    apiVersion: "",
    versionHeader: "VendorApi-Version",
    timeoutSeconds: 60,
    concurrency: 4,
    requestsPerMinute: 0,
    retryDelaysMs: [0, 0, 0],
    proxy: "none",
    ...changes,
  };
}

export function clientOf(
  service: Pick<TestService, "baseUrl" | "clientId" | "clientSecret">,
  changes: Partial<ConnectionSettings> = {},
  onClockCorrected?: (correction: number) => void,
): ServiceClient {
  return createServiceClient(settingsOf(service, changes), new RuntimeClock().open(onClockCorrected));
}

/** Reads that differ from each other, because identical ones in flight are made once. */
export function differentReads<T>(count: number, read: (query: RecordQuery) => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, (_, index) => {
    const endTime = new Date(Date.parse(DAY.startTime) + (index + 1) * 60_000).toISOString();
    return read({ siteId: "demo-house", startTime: DAY.startTime, endTime });
  });
}

/** The error of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<EnergyError> {
  try {
    await call;
  } catch (error) {
    return error as EnergyError;
  }
  throw new Error("the call must fail, but succeeded");
}

/** Lets 20 s pass, by a faked clock, after each of so many requests has arrived and what is sent without delay is back. */
export async function passTimeouts(
  clock: sinon.SinonFakeTimers,
  arrived: () => number,
  count: number,
): Promise<void> {
  for (let attempt = 1; attempt <= count; attempt += 1) {
    // A retry waits for no time, but for a timer.
    while (arrived() < attempt) await clock.tickAsync(1).then(() => new Promise(setImmediate));
    // Meanwhile, what drips goes on.
    for (let passed = 0; passed < 20_000; passed += 5000) {
      await pause(10);
      await clock.tickAsync(5000);
    }
  }
}

/** A promise together with its resolve function. */
export function signalled(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A request that has started: now, unless said otherwise, and of no site. */
export function turnAt(startedAt = performance.now(), site = ""): Turn {
  return { startedAt, site };
}
