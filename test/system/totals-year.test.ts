// A year of totals against the demo: days, months and the year add up to the same, and no day is read twice.
import assert from "node:assert/strict";
import type { TotalsMessage, TotalsPart } from "../../src/messages/messages";
import { startNode } from "../support/flow";
import { usePassingTime } from "../support/passing-time";
import { startService } from "../support/service";

const DAYS = 365;

describe("totals of a year", () => {
  it("are the sum of its days and of its months, each read once", async function () {
    this.timeout(300_000);
    const clock = usePassingTime(Date.parse("2026-05-06T10:02:00Z"));
    const service = await startService();
    const account = { baseUrl: service.baseUrl, apiVersion: "" };
    const prices = { importPrice: "0.3", exportPrice: "0.1", fixed: 12, fixedPer: "month" };
    const properties = { siteId: "demo-house", period: "lastYear", split: "day", unit: "Wh", ...prices };
    const node = await startNode("energy-totals", properties, { account });
    try {
      const read = async (): Promise<TotalsMessage["payload"]> => {
        node.input({ payload: "go" });
        await node.completed();
        return node.sent<TotalsMessage>().at(-1)?.payload ?? assert.fail("no totals");
      };
      const byDay = await read();
      const requests = service.requestsTo(/telemetry/).length;
      assert.ok(requests <= DAYS + 10, `${requests} requests`);
      await node.redeploy({ split: "month" });
      const byMonth = await read();
      assert.equal(service.requestsTo(/telemetry/).length, requests);
      assert.deepEqual([byDay.parts?.length, byMonth.parts?.length], [DAYS, 12]);
      for (const { parts = [], energy, flows, money } of [byDay, byMonth]) {
        const assertSum = (
          whole: number | null | undefined,
          of: (part: TotalsPart) => number | null | undefined,
        ) => {
          const sum = parts.reduce((all, part) => all + (of(part) ?? 0), 0);
          assert.ok(
            whole !== null && whole !== undefined && Math.abs(sum - whole) < 1e-3,
            `${sum} is not ${whole}`,
          );
        };
        for (const name of ["solar", "imported", "exported", "charged", "discharged", "consumed"] as const)
          assertSum(energy[name], (part) => part.energy[name]);
        for (const name of ["solarToHome", "batteryToHome", "gridToHome", "loss", "unexplained"] as const)
          assertSum(flows?.[name], (part) => part.flows?.[name]);
        for (const name of [
          "import",
          "revenue",
          "fixed",
          "net",
          "baseline",
          "saving",
          "unallocated",
        ] as const)
          assertSum(money?.[name], (part) => part.money?.[name]);
      }
      const { share, quality, money } = byMonth;
      assert.equal(quality.coverage, 1);
      assert.ok(Math.abs((money?.fixed ?? 0) - 144) < 1e-6);
      // The battery is charged from the grid before dawn: that is not the sun's, and some of it is lost.
      const { selfSufficiency, selfSufficiencyGrid, selfSufficiencyFlow } = share;
      assert.ok(selfSufficiency !== null && selfSufficiencyGrid !== null && selfSufficiencyFlow !== null);
      assert.ok(selfSufficiencyFlow > selfSufficiency + 5, `${selfSufficiencyFlow} and ${selfSufficiency}`);
      assert.ok(selfSufficiency > selfSufficiencyGrid, `${selfSufficiency} and ${selfSufficiencyGrid}`);
    } finally {
      await node.stop();
      await service.close();
      clock.restore();
    }
  });
});
