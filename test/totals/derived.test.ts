// Tests for the values that latest value derives from a record.
import assert from "node:assert/strict";
import { DERIVED } from "../../src/totals/energies";

/** A five-minute record in which solar serves the home, fills the battery, and the rest is exported. */
const SUNNY = {
  solar: { energy: 500, power: 6000 },
  consumption: { energy: 100, power: 1200 },
  storage: { energy: -150, power: -1800, chargeEnergy: 150, dischargeEnergy: 0 },
  grid: { energy: -250, power: -3000, importedEnergy: 0, exportedEnergy: 250 },
};

const surplus = (record: object): unknown => DERIVED.get("derived.surplus")?.({ ...record });
const selfUse = (record: object): unknown => DERIVED.get("derived.selfUse")?.({ ...record });

describe("derived values", () => {
  it("are the solar power that home and battery do not use", () => {
    assert.equal(surplus(SUNNY), 3000);
    assert.equal(surplus({ ...SUNNY, storage: null }), 4800);
    // A battery that discharges adds nothing.
    assert.equal(surplus({ ...SUNNY, storage: { power: 900 } }), 4800);
    assert.equal(surplus({ ...SUNNY, consumption: { power: 9000 } }), 0);
  });

  it("are the share of the home's use that solar and battery cover", () => {
    assert.equal(selfUse(SUNNY), 100);
    const night = { ...SUNNY, solar: { energy: 0 }, storage: { energy: 40 }, grid: { energy: 60 } };
    assert.equal(selfUse(night), 40);
    // Charged from the grid at night: that is not the home's use.
    const charging = { ...night, storage: { energy: -200 }, grid: { energy: 300 } };
    assert.equal(selfUse(charging), 0);
    assert.equal(selfUse({ ...SUNNY, storage: null, grid: { energy: -400 } }), 100);
    // What the house uses follows from the rest.
    assert.equal(selfUse({ ...night, consumption: null }), 40);
  });

  it("are null where the record does not say enough, never 0", () => {
    for (const unknown of [
      { ...SUNNY, solar: null },
      { ...SUNNY, consumption: null, grid: null },
      { ...SUNNY, storage: { power: null } },
      {},
    ])
      assert.deepEqual([surplus(unknown), selfUse(unknown)], [null, null], JSON.stringify(unknown));
    assert.equal(selfUse({ ...SUNNY, consumption: { energy: 0 } }), null);
  });
});
