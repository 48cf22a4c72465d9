// Tests that the demo readings obey physics: energies balance, counters add up, batteries stay within their limits.
import assert from "node:assert/strict";
import type { Energy } from "../../src/demo/energy-day";
import { EnergyHistory } from "../../src/demo/energy-history";
import { startStrictService, type StrictService } from "../support/demo-service";
import { SITES } from "../../src/demo/sites";
import { demoRecords, Reader, type DemoRecord } from "./reader";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-01T00:00:00Z");

interface DemoSystem {
  siteId: string;
  systemId: string;
  /** W. */
  solarPeak: number;
  maxPower: number;
}

const DEMO_SYSTEMS: DemoSystem[] = [
  { siteId: "demo-house", systemId: "demo-house-1", solarPeak: 8200, maxPower: 5000 },
  { siteId: "demo-farm", systemId: "demo-farm-1", solarPeak: 7400, maxPower: 6700 },
  { siteId: "demo-cabin", systemId: "demo-cabin-1", solarPeak: 5000, maxPower: 3400 },
  { siteId: "demo-twin", systemId: "demo-twin-a", solarPeak: 6000, maxPower: 4500 },
  { siteId: "demo-twin", systemId: "demo-twin-b", solarPeak: 4000, maxPower: 3400 },
  { siteId: "demo-balcony", systemId: "demo-balcony-1", solarPeak: 800, maxPower: 0 },
];

describe("demo service: physics", () => {
  let service: StrictService;
  let reader: Reader;

  before(async () => {
    service = await startStrictService({ now: () => NOW });
    reader = await Reader.of(service);
  });
  after(() => service.close());

  /** Consecutive UTC days, starting with `first`. */
  async function daysOf(
    { siteId, systemId }: DemoSystem,
    first: number,
    count: number,
  ): Promise<DemoRecord[]> {
    const days: DemoRecord[] = [];
    for (let day = 0; day < count; day++) {
      const startTime = new Date(first + day * DAY_MS).toISOString();
      const endTime = new Date(first + (day + 1) * DAY_MS).toISOString();
      days.push(...(await demoRecords(siteId, { systemId, startTime, endTime }, NOW)));
    }
    return days;
  }

  for (const system of DEMO_SYSTEMS) {
    describe(system.systemId, () => {
      /** Two consecutive days in every tenth month, another day of the month each time. */
      const pairs: DemoRecord[][] = [];

      before(async () => {
        for (let first = Date.UTC(2024, 0, 1); first < NOW; first += 313 * DAY_MS) {
          pairs.push(await daysOf(system, first, 2));
        }
      });

      it("has counters that grow by exactly the energy of each record", () => {
        let before: DemoRecord | undefined;
        for (const records of pairs) {
          for (const [index, record] of records.entries()) {
            if (before) checkCounters(before, record, index > 0);
            checkPowers(record);
            before = record;
          }
        }
      });

      it("balances energies", () => {
        for (const record of pairs.flat()) checkBalance(system, record);
      });

      if (system.maxPower > 0) {
        it("keeps the battery within its limits and its state of charge consistent", () => {
          for (const records of pairs) {
            for (const [index, { storage }] of records.entries()) {
              checkBattery(system, storage, records[index - 1]?.storage);
            }
          }
        });

        it("uses the battery", () => {
          const levels = pairs.flat().map(({ storage }) => storage?.stateOfCharge ?? 0);
          assert.ok(Math.max(...levels) - Math.min(...levels) > 40);
        });
      }
    });
  }

  it("has sun by day only, longer in the summer of each hemisphere", async () => {
    const sunny = async (system: DemoSystem | undefined, first: number) => {
      assert.ok(system);
      return (await daysOf(system, first, 3)).filter((record) => measuredOrInferredSolar(record) > 0).length;
    };
    const [june, december] = [Date.UTC(2025, 5, 10), Date.UTC(2025, 11, 10)];
    const [house, , cabin] = DEMO_SYSTEMS;
    assert.ok((await sunny(house, june)) > 1.5 * (await sunny(house, december)));
    assert.ok((await sunny(cabin, december)) > 1.2 * (await sunny(cabin, june)));
    assert.ok((await sunny(house, june)) < 0.75 * 3 * 288);
    for (const record of house ? await daysOf(house, june, 2) : []) {
      // Midnight in Berlin is 22:00 UTC.
      if (record.startTime.slice(11, 13) === "22") assert.equal(record.solar?.energy, 0);
    }
  });

  it("shows life at any hour at the first site: sun, or a battery that works", async () => {
    const [house] = DEMO_SYSTEMS;
    assert.ok(house);
    assert.equal((await reader.sites())[0]?.siteId, house.siteId);
    for (let month = 0; month < 12; month += 1)
      for (const { solar, storage, startTime } of await daysOf(house, Date.UTC(2025, month, 20), 1))
        assert.ok(Math.max(solar?.power ?? 0, Math.abs(storage?.power ?? 0)) > 100, startTime);
  });

  it("varies the weather from day to day", async () => {
    const [house] = DEMO_SYSTEMS;
    assert.ok(house);
    const records = await daysOf(house, Date.UTC(2025, 5, 1), 12);
    const energies = Array.from({ length: 12 }, (_, day) =>
      records.slice(day * 288, (day + 1) * 288).reduce((sum, record) => sum + (record.solar?.energy ?? 0), 0),
    );
    assert.ok(Math.max(...energies) > 2 * Math.min(...energies));
  });

  it("has meter readings that match the inverter", async () => {
    const window = { startTime: "2026-06-10T00:00:00Z", endTime: "2026-06-11T00:00:00Z" };
    const records = await reader.telemetry("demo-farm", { ...window, includeInverter: "true" });
    const meter = await reader.rgm("demo-farm", window);
    assert.deepEqual(
      meter.map(({ endTime }) => endTime),
      records.map(({ endTime }) => endTime),
    );
    for (const [index, { rgm }] of meter.entries()) assert.deepEqual(rgm, records[index]?.inverter);
  });

  it("has the same numbers in every run, in whatever order they are requested", async () => {
    const [start, end] = [Date.UTC(2024, 0, 10, 3), Date.UTC(2024, 0, 10, 4)];
    for (const site of SITES)
      for (const system of site.systems) {
        const [one, other] = [new EnergyHistory(site, system), new EnergyHistory(site, system)];
        const read = (history: EnergyHistory, from: number): (Energy | undefined)[] =>
          Array.from({ length: 13 }, (_none, index) => history.at(from + index * 300_000));
        const later = read(other, end + 5 * DAY_MS);
        assert.ok(later.every((energy) => energy !== undefined));
        assert.deepEqual(read(one, start), read(other, start));
        assert.deepEqual(read(one, end + 5 * DAY_MS), later);
      }
  });
});

/** [lifetime counter, energy of the record] for every counter in a record. */
function countersOf({ grid, solar, consumption, storage, inverter }: DemoRecord): [number, number][] {
  return [
    [grid.lifetimeImportedEnergy, grid.importedEnergy],
    [grid.lifetimeExportedEnergy, grid.exportedEnergy],
    [consumption.lifetimeEnergy, consumption.energy],
    [inverter.lifetimeImportedEnergy, inverter.importedEnergy],
    [inverter.lifetimeExportedEnergy, inverter.exportedEnergy],
    ...(solar ? [[solar.lifetimeEnergy, solar.energy] satisfies [number, number]] : []),
    ...(storage
      ? ([
          [storage.lifetimeDischargeEnergy, storage.dischargeEnergy],
          [storage.lifetimeChargeEnergy, storage.chargeEnergy],
        ] satisfies [number, number][])
      : []),
  ];
}

function checkCounters(before: DemoRecord, record: DemoRecord, adjacent: boolean): void {
  const earlier = countersOf(before);
  for (const [index, [lifetime, energy]] of countersOf(record).entries()) {
    const growth = lifetime - (earlier[index]?.[0] ?? Number.NaN);
    assert.ok(energy >= 0 && growth >= energy);
    if (adjacent) assert.equal(growth, energy, record.startTime);
  }
}

function checkPowers({ grid, solar, consumption, storage, inverter }: DemoRecord): void {
  for (const group of [grid, solar, consumption, storage, inverter]) {
    if (group) assert.equal(group.power, group.energy * 12);
  }
  assert.equal(grid.energy, grid.importedEnergy - grid.exportedEnergy);
  assert.equal(Math.min(grid.importedEnergy, grid.exportedEnergy), 0);
  assert.equal(inverter.energy, inverter.exportedEnergy - inverter.importedEnergy);
  if (storage) {
    assert.equal(storage.energy, storage.dischargeEnergy - storage.chargeEnergy);
    assert.equal(Math.min(storage.dischargeEnergy, storage.chargeEnergy), 0);
  }
}

/** The measured solar energy of the system, or what must come from solar that it does not measure. */
function measuredOrInferredSolar({ solar, consumption, grid, inverter }: DemoRecord): number {
  return solar ? solar.energy : consumption.energy - grid.energy - inverter.energy;
}

function checkBalance({ solarPeak }: DemoSystem, record: DemoRecord): void {
  const { grid, solar, consumption, storage, inverter } = record;
  const sun = measuredOrInferredSolar(record);
  assert.ok(sun >= 0 && sun * 12 <= solarPeak, `${sun} Wh of sun`);
  if (solar) assert.equal(grid.energy + inverter.energy, consumption.energy);
  const behindInverter = (solar?.energy ?? 0) + (storage?.energy ?? 0);
  if (grid.connectivityStatus !== null) {
    // All groups are measured as AC, so nothing is lost between them.
    assert.equal(inverter.energy, behindInverter);
  } else if (behindInverter > 50) {
    const efficiency = inverter.energy / behindInverter;
    assert.ok(efficiency > 0.93 && efficiency < 0.97, `efficiency ${efficiency}`);
  } else {
    assert.ok(inverter.energy <= behindInverter, "conversion never makes energy");
  }
}

/** Charging has losses, discharging has none. The state of charge is rounded to 0.01 %. */
function checkBattery(
  { maxPower }: DemoSystem,
  storage: DemoRecord["storage"],
  before: DemoRecord["storage"] | undefined,
): void {
  assert.ok(storage);
  const { stateOfCharge, minimumReserve, remainingEnergy, totalEnergy, chargeEnergy } = storage;
  assert.ok(Math.abs(storage.power) <= maxPower);
  assert.ok(stateOfCharge >= minimumReserve && stateOfCharge <= 100);
  assert.ok(Math.abs(remainingEnergy - (stateOfCharge * totalEnergy) / 100) < 1e-6);
  if (!before) return;
  const rounding = totalEnergy * 0.0001 + 0.25;
  const stored = remainingEnergy - before.remainingEnergy + storage.dischargeEnergy;
  assert.ok(stored >= 0.85 * chargeEnergy - rounding, `${stored} Wh of ${chargeEnergy}`);
  assert.ok(stored <= 0.95 * chargeEnergy + rounding, `${stored} Wh of ${chargeEnergy}`);
}
