import assert from "node:assert/strict";
import fc from "fast-check";
import { type Balance, FLOWS, flowsOf } from "../../src/totals/energies";
import { casesOf } from "../support/fuzz";

const NONE: Balance = { solar: 0, imported: 0, exported: 0, charged: 0, discharged: 0, consumed: 0 };
const energy = fc.double({ min: 0, max: 20_000, noNaN: true });
const balances = fc.record({
  solar: energy,
  imported: energy,
  exported: energy,
  charged: energy,
  discharged: energy,
  consumed: energy,
});
const options = { numRuns: casesOf(100) };

describe("flows of an interval", () => {
  it("serves the house first, then the battery, and sells what is left", () => {
    // 1000 solar: 300 sold, 400 to the house, 300 to the battery.
    const flows = flowsOf({ ...NONE, solar: 1000, exported: 300, charged: 300, consumed: 400 }, "house");
    assert.deepEqual([flows.solarToHome, flows.solarToBattery, flows.solarToGrid], [400, 300, 300]);
    assert.deepEqual([flows.loss, flows.unexplained], [0, 0]);
  });

  it("serves the battery first if it is set to", () => {
    // 500 solar, 300 charged, 400 used, 200 from the grid: solar charges 300 and leaves 200 for the house.
    const balance = { ...NONE, solar: 500, imported: 200, charged: 300, consumed: 400 };
    const battery = flowsOf(balance, "battery");
    assert.deepEqual([battery.solarToBattery, battery.solarToHome, battery.gridToHome], [300, 200, 200]);
    const house = flowsOf(balance, "house");
    assert.deepEqual([house.solarToBattery, house.solarToHome, house.gridToBattery], [100, 400, 200]);
  });

  it("exports from the battery only what the sun cannot", () => {
    const flows = flowsOf({ ...NONE, solar: 100, exported: 400, discharged: 500, consumed: 200 }, "house");
    assert.deepEqual([flows.solarToGrid, flows.batteryToGrid, flows.batteryToHome], [100, 300, 200]);
  });

  it("names phases that are not netted", () => {
    assert.equal(flowsOf({ ...NONE, imported: 300, exported: 100, consumed: 200 }, "house").gridToGrid, 100);
  });

  it("never has a negative flow, and sources and unexplained equal uses and loss", () => {
    fc.assert(
      fc.property(balances, fc.constantFrom("house" as const, "battery" as const), (balance, priority) => {
        const flows = flowsOf(balance, priority);
        for (const name of FLOWS) assert.ok(flows[name] >= -1e-9, `${name} is ${flows[name]}`);
        const sources = balance.solar + balance.imported + balance.discharged + flows.unexplained;
        const uses = balance.exported + balance.charged + balance.consumed + flows.loss;
        assert.ok(Math.abs(sources - uses) < 1e-6, `${sources} is not ${uses}`);
      }),
      options,
    );
  });
});
