// Tests for discovered entities: those that the Energy dashboard needs, for readings that occurred, each with its state.
import assert from "node:assert/strict";
import { FULL, FULL_STATES } from "../../support/full-record";
import { CONFIGS, END, isConfig, MqttHome, SITE, SYSTEM } from "../../support/mqtt-home";
import { recordAt, telemetry, topics } from "../../support/mqtt-node";

describe("mqtt readings for Home Assistant: entities", () => {
  let mqtt: MqttHome;

  beforeEach(() => {
    mqtt = new MqttHome();
  });
  afterEach(() => mqtt.close());

  const keys = (): string[] => Object.keys(mqtt.home.device(SYSTEM).components).toSorted();

  it("creates the entities that the Energy dashboard needs for a system with all readings", async () => {
    await mqtt.start();
    await mqtt.live(FULL);
    const { components } = mqtt.home.device(SYSTEM);
    const kinds = Object.entries(components).map(([key, one]) => [
      key,
      ["device_class", "state_class", "unit_of_measurement", "entity_category"]
        .flatMap((option) => (one[option] as string | undefined) ?? [])
        .join(" "),
    ]);
    assert.deepEqual(Object.fromEntries(kinds), {
      stale: "problem diagnostic",
      telemetry_endTime: "timestamp diagnostic",
      grid_power: "power measurement W",
      grid_lifetimeImportedEnergy: "energy total_increasing Wh",
      grid_lifetimeExportedEnergy: "energy total_increasing Wh",
      grid_connectivityStatus: "diagnostic",
      solar_power: "power measurement W",
      solar_lifetimeEnergy: "energy total_increasing Wh",
      consumption_power: "power measurement W",
      consumption_lifetimeEnergy: "energy total_increasing Wh",
      storage_power: "power measurement W",
      storage_lifetimeDischargeEnergy: "energy total_increasing Wh",
      storage_lifetimeChargeEnergy: "energy total_increasing Wh",
      storage_stateOfCharge: "battery measurement %",
      storage_remainingEnergy: "energy_storage measurement Wh",
      storage_totalEnergy: "energy_storage measurement Wh diagnostic",
      storage_minimumReserve: "measurement % diagnostic",
      inverter_power: "power measurement W",
      inverter_lifetimeImportedEnergy: "energy total_increasing Wh",
      inverter_lifetimeExportedEnergy: "energy total_increasing Wh",
    });
    const soc = components["storage_stateOfCharge"];
    assert.deepEqual(
      [soc?.unique_id, soc?.default_entity_id, soc?.["expire_after"]],
      ["energy__home__a_storage_stateOfCharge", "sensor.energy_home_a_storage_state_of_charge", 1800],
    );
  });

  it("publishes the state of every entity", async () => {
    await mqtt.start();
    await mqtt.live(FULL);
    assert.deepEqual(mqtt.home.present(SYSTEM), {
      ...FULL_STATES,
      telemetry_endTime: "2026-06-10T10:07:00.000Z",
    });
  });

  it("creates entities only for readings that have occurred, and adds more later", async () => {
    await mqtt.start();
    await mqtt.live({ grid: { power: 1 }, solar: null });
    assert.deepEqual(keys(), ["grid_power", "stale", "telemetry_endTime"]);
    const messages = await mqtt.live({ grid: { power: 1 }, solar: { power: 0 } });
    assert.deepEqual(topics(messages.filter(isConfig)), [CONFIGS[1]]);
    assert.deepEqual(keys(), ["grid_power", "solar_power", "stale", "telemetry_endTime"]);
  });

  it("keeps the entities of a group that becomes null: they are unknown, neither 0 nor the old value", async () => {
    await mqtt.start();
    await mqtt.live({ grid: { power: 1 }, solar: { power: 5 } });
    const messages = await mqtt.live({ grid: { power: null }, solar: null });
    assert.equal(messages.some(isConfig), false);
    assert.deepEqual(mqtt.home.states(SYSTEM, "solar_power"), ["5", null]);
    assert.deepEqual(mqtt.home.states(SYSTEM, "grid_power"), ["1", null]);
  });

  it("assigns the readings of a site without systems to the site", async () => {
    await mqtt.start();
    await mqtt.process({ ...telemetry(recordAt(END)), systemId: undefined });
    assert.deepEqual(mqtt.home.deviceIds(), [SITE]);
    assert.deepEqual(mqtt.home.states(SITE, "grid_power"), ["120.5"]);
  });

  it("separates meter and telemetry, each with its own state and time", async () => {
    await mqtt.start();
    const { startTime, endTime } = recordAt(END);
    await mqtt.process(telemetry(recordAt(END)));
    await mqtt.process(
      telemetry({ startTime, endTime, rgm: { power: 7, lifetimeImportedEnergy: 8 } }, { kind: "rgm" }),
    );
    assert.deepEqual(mqtt.home.states(SYSTEM, "rgm_power"), ["7"]);
    assert.equal(mqtt.home.present(SYSTEM)["grid_power"], "120.5");
    assert.equal(mqtt.home.device(SYSTEM).components["rgm_endTime"]?.name, "Revenue meter data as of");
  });

  it("names AC and DC if a system has both", async () => {
    await mqtt.start();
    const name = (key: string): string | undefined => mqtt.home.device(SYSTEM).components[key]?.name;
    await mqtt.process(telemetry(recordAt(END, FULL), { basis: { grid: "ac", solar: "ac", storage: "ac" } }));
    assert.deepEqual([name("grid_power"), name("inverter_power")], ["Grid power", "Inverter power AC"]);
    await mqtt.process(telemetry(recordAt(END, FULL), { basis: { grid: "ac", solar: "dc", storage: "dc" } }));
    assert.deepEqual(
      [name("grid_power"), name("solar_power"), name("storage_lifetimeChargeEnergy")],
      ["Grid power AC", "Solar power DC", "Battery energy charged DC"],
    );
    assert.equal(name("storage_stateOfCharge"), "Battery state of charge");
  });

  it("are those of telemetry, whatever it has in the place of the meter", async () => {
    await mqtt.start();
    for (const rgm of [null, { power: 7 }]) {
      await mqtt.process(telemetry({ ...recordAt(END), rgm }));
      assert.equal(mqtt.home.present(SYSTEM)["grid_power"], "120.5");
      assert.equal("rgm_power" in mqtt.home.present(SYSTEM), false);
    }
    // Of the meter, the groups of telemetry may be null.
    await mqtt.process(telemetry({ ...recordAt(END), grid: null, rgm: { power: 7 } }, { kind: "rgm" }));
    assert.deepEqual(mqtt.home.states(SYSTEM, "rgm_power"), ["7"]);
    assert.equal(mqtt.home.present(SYSTEM)["grid_power"], "120.5");
  });
});
