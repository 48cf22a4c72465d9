// Tests for totals in mqtt readings: a message for each period, and entities of the device of the readings.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import { HOUR, MINUTE } from "../../../src/time-units";
import { HomeAssistant } from "../../support/home-assistant";
import { BIRTH, CONFIGS, isConfig, MqttHome, SITE, SYSTEM } from "../../support/mqtt-home";
import { payloadUnder, topics } from "../../support/mqtt-node";
import { temporaryFolder } from "../../support/temporary";

/** Late in the evening, so that little has to pass until the next day. */
const NOW = Date.UTC(2026, 5, 10, 20, 40);
/** In Berlin, where it is 22:40. */
const TODAY = { startTime: "2026-06-10T00:00:00+02:00", endTime: "2026-06-11T00:00:00+02:00" };
const YESTERDAY = { startTime: "2026-06-09T00:00:00+02:00", endTime: TODAY.startTime };
const ENERGY = { solar: 12.4, imported: 3.1, exported: 5, charged: 4, discharged: 3, consumed: 9.5 };
const SHARE = { selfSufficiency: 71, selfConsumption: 60, selfSufficiencyGrid: 67, selfSufficiencyFlow: 70 };

/** A message as sent by totals. */
function totals(period: string, rest: object = {}, message: object = {}): NodeMessage {
  const span = period === "today" ? TODAY : YESTERDAY;
  const payload = {
    siteId: "home",
    systemId: "a",
    period,
    ...span,
    until: span.endTime,
    energy: ENERGY,
    share: SHARE,
    money: { currency: "EUR", net: -0.25, saving: 2.31 },
    ...rest,
  };
  const energy = { kind: "totals", period, split: "none", unit: "kWh", ...span, revision: 1 };
  return { payload, energy, siteId: "home", systemId: "a", topic: "home/a", ...message };
}

describe("mqtt readings for Home Assistant: totals", () => {
  let mqtt: MqttHome;

  beforeEach(() => {
    mqtt = new MqttHome(NOW);
  });
  afterEach(() => mqtt.close());

  it("are published as they came, retained as set, whatever their period", async () => {
    await mqtt.start({ discovery: false, retain: true });
    for (const period of ["today", "lastMonth", "message"]) {
      const message = totals(period);
      const [sent, ...others] = await mqtt.process(message);
      assert.deepEqual([sent?.topic, sent?.retain, others], [`energy/home/a/totals/${period}`, true, []]);
      assert.deepEqual(JSON.parse(sent?.payload ?? ""), message.payload);
      assert.equal(sent?.energy.kind, "mqtt");
    }
    const site = totals("today", {}, { systemId: undefined });
    assert.deepEqual(topics(await mqtt.process(site)), ["energy/home/site/totals/today"]);
    const { code } = await mqtt.node.rejection({ ...totals("today"), siteId: undefined });
    assert.equal(code, "ENERGY_INPUT");
  });

  it("are entities that start anew with each period", async () => {
    await mqtt.start();
    const messages = await mqtt.process(totals("today"));
    assert.deepEqual(topics(messages), [
      "energy/availability",
      CONFIGS[1],
      "energy/home/a/state/totals/today",
      "energy/home/a/totals/today",
    ]);
    const { components, device } = mqtt.home.device(SYSTEM);
    assert.equal(device.via_device, undefined);
    const { solar, cost, share } = {
      solar: components["totals_today_solar"],
      cost: components["totals_today_cost"],
      share: components["totals_today_selfSufficiency"],
    };
    assert.deepEqual(
      [solar, cost, share].map((one) => [
        one?.name,
        one?.["device_class"],
        one?.["state_class"],
        one?.["unit_of_measurement"],
        one?.["last_reset_value_template"],
        one?.default_entity_id,
      ]),
      [
        [
          "Solar today",
          "energy",
          "total",
          "kWh",
          "{{ value_json.startTime }}",
          "sensor.energy_home_a_totals_today_solar",
        ],
        [
          "Cost today",
          "monetary",
          "total",
          "EUR",
          "{{ value_json.startTime }}",
          "sensor.energy_home_a_totals_today_cost",
        ],
        [
          "Self-sufficiency today",
          undefined,
          "measurement",
          "%",
          undefined,
          "sensor.energy_home_a_totals_today_self_sufficiency",
        ],
      ],
    );
    assert.deepEqual(mqtt.home.present(SYSTEM), {
      totals_today_solar: "12.4",
      totals_today_imported: "3.1",
      totals_today_exported: "5",
      totals_today_charged: "4",
      totals_today_discharged: "3",
      totals_today_consumed: "9.5",
      totals_today_selfSufficiency: "71",
      totals_today_selfConsumption: "60",
      totals_today_cost: "-0.25",
      totals_today_saving: "2.31",
    });
    const state = payloadUnder(messages, "energy/home/a/state/totals/today") as Record<string, unknown>;
    assert.equal(state["startTime"], "2026-06-09T22:00:00.000Z");
  });

  it("have the decimals of their unit", async () => {
    await mqtt.start();
    const message = totals("today", { money: { currency: "JPY", net: -25, saving: 231 } });
    await mqtt.process(message);
    await mqtt.process(totals("yesterday"));
    const { components } = mqtt.home.device(SYSTEM);
    const decimals = ["today_cost", "yesterday_cost", "today_solar"].map(
      (name) => components[`totals_${name}`]?.["suggested_display_precision"],
    );
    assert.deepEqual(decimals, [0, 2, 2]);
  });

  it("are announced once for each period, and again when there is more of them", async () => {
    await mqtt.start();
    await mqtt.process(totals("today", { money: null, energy: { ...ENERGY, solar: null } }));
    assert.equal("totals_today_cost" in mqtt.home.device(SYSTEM).components, false);
    assert.equal((await mqtt.process(totals("today", { money: null }))).some(isConfig), true);
    const again = await mqtt.process(totals("today", { money: null }));
    assert.deepEqual(topics(again).slice(1), [
      "energy/home/a/state/totals/today",
      "energy/home/a/totals/today",
    ]);
    await mqtt.process(totals("yesterday"));
    assert.equal(mqtt.home.device(SYSTEM).components["totals_yesterday_cost"]?.name, "Cost yesterday");
    // What is no longer known is unknown.
    await mqtt.process(totals("today", { money: null, energy: { ...ENERGY, solar: null } }));
    assert.equal(mqtt.home.present(SYSTEM)["totals_today_solar"], null);
  });

  it("join the readings of their device, and are available without them", async () => {
    await mqtt.start({ language: "ja" });
    await mqtt.process(totals("today"));
    // Nothing says that the device is stale or offline.
    assert.ok(
      topics(await mqtt.advance(31 * MINUTE)).every((topic) => !/a\/(availability|stale)$/.test(topic)),
    );
    await mqtt.live();
    const { device, components } = mqtt.home.device(SYSTEM);
    assert.equal(device.via_device, SITE);
    assert.equal(components["totals_today_solar"]?.name, "今日の太陽光発電量");
    assert.deepEqual(components["totals_today_solar"]["availability"], [{ topic: "energy/availability" }]);
    assert.equal(mqtt.home.present(SYSTEM)["grid_power"], "120.5");
    assert.equal(mqtt.home.present(SYSTEM)["stale"], "OFF");
    await mqtt.advance(31 * MINUTE);
    assert.equal(mqtt.home.present(SYSTEM)["stale"], "ON");
  });

  it("come again when Home Assistant starts, also after a restart: as unknown, once they are not what their name says", async () => {
    const userDir = temporaryFolder();
    await mqtt.start({}, { userDir });
    await mqtt.process(totals("today"));
    await mqtt.process(totals("yesterday"));
    await mqtt.node.stop();
    mqtt.home = new HomeAssistant();
    await mqtt.start({}, { userDir });
    await mqtt.process(BIRTH);
    assert.equal(mqtt.home.present(SYSTEM)["totals_today_solar"], "12.4");
    assert.equal(mqtt.home.present(SYSTEM)["totals_yesterday_solar"], "12.4");
    // Now it is another day.
    await mqtt.clock.tickAsync(4 * HOUR);
    mqtt.node.newMessages();
    mqtt.home = new HomeAssistant();
    await mqtt.process(BIRTH);
    // Otherwise, Home Assistant would show what it restores.
    const { totals_today_solar: today, totals_yesterday_solar: yesterday } = mqtt.home.present(SYSTEM);
    assert.deepEqual([today, yesterday], [null, null]);
  });

  for (const isRead of [true, false])
    it(`are unknown once the period is over that they are named after, ${isRead ? "beside" : "without"} readings`, async () => {
      await mqtt.start();
      if (isRead) await mqtt.live();
      await mqtt.process(totals("today"));
      await mqtt.process(totals("yesterday"));
      const solar = (period: string): unknown => mqtt.home.present(SYSTEM)[`totals_${period}_solar`];
      await mqtt.advance(Date.parse(TODAY.endTime) - Date.now() - 1);
      assert.deepEqual([solar("today"), solar("yesterday")], ["12.4", "12.4"]);
      const atMidnight = await mqtt.advance(1);
      assert.deepEqual([solar("today"), solar("yesterday")], [null, "12.4"]);
      const state = payloadUnder(atMidnight, "energy/home/a/state/totals/today") as Record<string, unknown>;
      assert.equal(state["startTime"], "2026-06-09T22:00:00.000Z");
      // By then, yesterday is certainly another day.
      await mqtt.advance(2 * HOUR);
      assert.deepEqual([solar("today"), solar("yesterday")], [null, null]);
    });

  // Half an hour before the end of February, and of a year of 365 days, in Berlin.
  for (const [period, now, startTime, endTime] of [
    ["lastMonth", "2026-02-28T22:30:00Z", "2026-01-01T00:00:00+01:00", "2026-02-01T00:00:00+01:00"],
    ["lastYear", "2026-12-31T22:30:00Z", "2025-01-01T00:00:00+01:00", "2026-01-01T00:00:00+01:00"],
  ] as const)
    it(`of ${period} are unknown once that is another one, however short the present one is`, async () => {
      mqtt.clock.setSystemTime(Date.parse(now));
      await mqtt.start();
      await mqtt.process(totals(period, { startTime, endTime }));
      const solar = (): unknown => mqtt.home.present(SYSTEM)[`totals_${period}_solar`];
      // The next totals may come a little later.
      await mqtt.advance(2 * HOUR);
      assert.equal(solar(), "12.4");
      await mqtt.advance(HOUR);
      assert.equal(solar(), null);
    });

  it("of an earlier day that come again are no state of today", async () => {
    await mqtt.start();
    await mqtt.process(totals("today"));
    const late = totals("today", YESTERDAY);
    assert.deepEqual(topics(await mqtt.process(late)), ["energy/home/a/totals/today"]);
    await mqtt.process(totals("yesterday"));
    const before = { startTime: "2026-06-08T00:00:00+02:00", endTime: YESTERDAY.startTime };
    assert.deepEqual(topics(await mqtt.process(totals("yesterday", before))), [
      "energy/home/a/totals/yesterday",
    ]);
    await mqtt.advance(4 * HOUR);
    assert.deepEqual(topics(await mqtt.process(totals("today"))), ["energy/home/a/totals/today"]);
  });

  it("of an earlier day that come again soon after midnight do not replace those of the day that has just ended", async () => {
    await mqtt.start();
    await mqtt.advance(Date.parse(TODAY.endTime) - Date.now() + 15 * MINUTE);
    await mqtt.process(totals("yesterday", TODAY));
    assert.deepEqual(topics(await mqtt.process(totals("yesterday"))), ["energy/home/a/totals/yesterday"]);
  });

  it("take the place of those that end later, by the zone that the site had before, or by a clock that was ahead", async () => {
    await mqtt.start();
    const states = (period: string): unknown => mqtt.home.states(SYSTEM, `totals_${period}_solar`);
    const solar = (value: number): object => ({ energy: { ...ENERGY, solar: value } });
    const inAmerica = { startTime: "2026-06-10T00:00:00-06:00", endTime: "2026-06-11T00:00:00-06:00" };
    await mqtt.process(totals("today", { ...inAmerica, ...solar(1) }));
    await mqtt.process(totals("today", solar(2)));
    assert.deepEqual(states("today"), ["1", "2"]);
    mqtt.clock.setSystemTime(NOW + 24 * HOUR);
    await mqtt.process(totals("yesterday", { ...TODAY, ...solar(1) }));
    mqtt.clock.setSystemTime(NOW);
    await mqtt.process(totals("yesterday", solar(2)));
    assert.deepEqual(states("yesterday"), ["1", "2"]);
  });

  it("belong to a site that is known by its alerts alone", async () => {
    await mqtt.start();
    await mqtt.process(totals("today"));
    assert.equal(mqtt.home.device(SYSTEM).device.via_device, undefined);
    await mqtt.process({ payload: [], siteId: "home", energy: { kind: "alerts", alerts: [], count: 0 } });
    await mqtt.process(totals("today"));
    assert.equal(mqtt.home.device(SYSTEM).device.via_device, SITE);
    assert.equal(mqtt.home.present(SYSTEM)["totals_today_solar"], "12.4");
  });

  it("are no device by themselves, though the broker retains them, until there is something to show", async () => {
    await mqtt.start({ retain: true });
    await mqtt.process(totals("message"));
    assert.deepEqual(topics(await mqtt.process(BIRTH)), []);
    assert.deepEqual(mqtt.home.deviceIds(), []);
  });

  it("have no entities for a period of one's own, or without times", async () => {
    await mqtt.start();
    assert.deepEqual(topics(await mqtt.process(totals("message"))), ["energy/home/a/totals/message"]);
    assert.deepEqual(topics(await mqtt.process(totals("today", { startTime: 5 }))), [
      "energy/home/a/totals/today",
    ]);
  });
});
