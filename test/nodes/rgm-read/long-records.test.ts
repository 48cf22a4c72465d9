// Tests that rgm read finds the latest record at any moment, however long the records of a meter are.
import assert from "node:assert/strict";
import type { RecordAge, RgmMessage } from "../../../src/messages/messages";
import type { RgmRecord } from "../../../src/models/telemetry";
import { MINUTE } from "../../../src/time-units";
import { NOW, Polling } from "../../support/polling";

describe("rgm read of the latest record", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-rgm-read", { siteId: "demo-farm", mode: "latest" });
  });
  afterEach(() => polling.close());

  /** Serves records of this many minutes, each as soon as it has ended. */
  const serveRecords = (minutes: number): void => {
    const length = minutes * MINUTE;
    polling.service.fault({
      path: /rgm-telemetry$/,
      times: Number.POSITIVE_INFINITY,
      respond({ url = "" }, response) {
        const { searchParams } = new URL(url, "http://service");
        const [from = 0, to = 0] = ["startTime", "endTime"].map((name) =>
          Date.parse(searchParams.get(name) ?? ""),
        );
        const data: RgmRecord[] = [];
        for (let start = Math.floor(from / length) * length; start < to; start += length) {
          const end = start + length;
          const [startTime = "", endTime = ""] = [start, end].map((time) => new Date(time).toISOString());
          if (end > from && end <= Date.now()) data.push({ startTime, endTime, rgm: null });
        }
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ data }));
      },
    });
  };

  for (const minutes of [5, 15, 60, 12 * 60]) {
    it(`finds it at any moment if records are ${minutes} min long`, async () => {
      serveRecords(minutes);
      await polling.start();
      const steps = 6;
      for (let step = 0; step < steps; step += 1) {
        polling.at((step * minutes) / steps);
        await polling.poll();
        const { payload } = await polling.node.output<RgmMessage>();
        const now = NOW + (step * minutes * MINUTE) / steps;
        const newest = Math.floor(now / (minutes * MINUTE)) * minutes * MINUTE;
        assert.equal(Date.parse((payload as RgmRecord | null)?.endTime ?? ""), newest);
      }
      assert.ok(!polling.node.statuses().includes("no record"));
    });
  }

  for (const minutes of [5, 15, 30]) {
    it(`is valid until the one after the next if records are ${minutes} min long, for a threshold behind it`, async () => {
      serveRecords(minutes);
      await polling.start({ repeat: 5 });
      for (let passed = 0; passed < 60; passed += 5) {
        polling.at(passed);
        await polling.poll();
        const { energy } = await polling.node.output<RgmMessage>();
        const { validUntil } = energy as RecordAge;
        assert.ok(Date.parse(validUntil) > NOW + (passed + 5) * MINUTE, `${validUntil} at ${passed} min`);
      }
    });
  }
});
