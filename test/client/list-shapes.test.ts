// Tests that the same lists are read whatever shape the service sends them in: nothing is lost, nothing read twice.
import assert from "node:assert/strict";
import type { ServiceClient } from "../../src/client/service-client";
import { cachedPromise } from "../../src/single-flight";
import { ENVELOPES, LIST_SHAPES } from "../support/list-shapes";
import { startService, type TestServiceOptions } from "../support/service";
import { clientOf, PREVIEW } from "./clients";

const NOW = Date.parse("2026-03-10T12:03:00Z");
const HOUR = { startTime: "2026-03-10T10:00:00Z", endTime: "2026-03-10T11:00:00Z" };

async function read(client: ServiceClient): Promise<unknown[][]> {
  const farm = { siteId: "demo-farm", ...HOUR };
  const sites = await client.sites();
  const alerts = [...(await client.alerts()), ...(await client.siteAlerts("demo-farm"))];
  const { records } = await client.telemetry(farm);
  const { records: ofMeter } = await client.rgmTelemetry(farm);
  return [
    sites.map(({ siteId }) => siteId),
    alerts.map((alert) => alert["id"]),
    [...records, ...ofMeter].map(({ start, end }) => [start, end]),
  ];
}

async function readShaped(shape?: TestServiceOptions["shape"]): Promise<unknown[][]> {
  const service = await startService({ now: () => NOW, ...(shape && { shape }) });
  const client = clientOf(service, { apiVersion: PREVIEW });
  try {
    return await read(client);
  } finally {
    client.close();
    await service.close();
  }
}

describe("lists of unknown shape", () => {
  const readPlain = cachedPromise(() => readShaped());

  for (const [name, shape] of Object.entries({ ...LIST_SHAPES, ...ENVELOPES })) {
    it(`are read whole in ${name}`, async () => {
      const plain = await readPlain();
      assert.ok(plain.every((list) => list.length > 5));
      assert.deepEqual(await readShaped(shape), plain);
    });
  }
});
