// Tests for the publisher of records: what it publishes, and in which order.
import assert from "node:assert/strict";
import { MAX_DEVICES } from "../../../src/limits";
import { HOUR, MINUTE } from "../../../src/time-units";
import type { IncomingRecord } from "../../../src/mqtt/publications";
import { FlatPublisher } from "../../support/flat-publisher";
import { HomeAssistant } from "../../support/home-assistant";
import { PUBLISH_RULE } from "../../support/publish-rule";
import { createPublisher, incoming, NOW, SITE_CONFIG, SYSTEM_CONFIG, topics } from "../../support/publisher";

describe("publisher", () => {
  it("announces no more devices than it can keep, but publishes their records", () => {
    const publisher = createPublisher();
    const address = { siteId: "s7" };
    publisher.publish(incoming(NOW, { address }), NOW);
    // As if it had so many: to make them takes long.
    Object.defineProperty(publisher.devices, "size", { value: MAX_DEVICES });
    assert.deepEqual(topics(publisher.publish(incoming(NOW), NOW)), ["energy/home/a/live"]);
    const known = topics(publisher.publish(incoming(NOW + 1, { address }), NOW));
    assert.ok(known.includes("energy/s7/site/state/telemetry"));
  });

  it("publishes the site, the system, their state, and the record last", () => {
    const publisher = createPublisher();
    assert.deepEqual(topics(publisher.publish(incoming(NOW), NOW)), [
      "energy/availability",
      SITE_CONFIG,
      "energy/home/site/availability",
      "energy/home/site/stale",
      SYSTEM_CONFIG,
      "energy/home/a/availability",
      "energy/home/a/stale",
      "energy/home/a/state/telemetry",
      "energy/home/a/live",
    ]);
    assert.equal(topics(publisher.publish(incoming(NOW + 1), NOW)).includes(SYSTEM_CONFIG), false);
  });

  it("publishes only the record if discovery is off, and never has anything due", () => {
    const publisher = createPublisher({ discovery: false });
    assert.deepEqual(topics(publisher.publish(incoming(NOW), NOW)), ["energy/home/a/live"]);
    assert.deepEqual([publisher.birth(NOW), publisher.due(NOW), publisher.nextDue()], [[], [], undefined]);
  });

  it("separates the series of a meter by state topic", () => {
    const record = { startTime: "", endTime: "", rgm: { power: 7 } };
    assert.ok(
      topics(createPublisher().publish(incoming(NOW, { record }), NOW)).includes("energy/home/a/state/rgm"),
    );
  });

  it("publishes the end of a state also if another message comes first: at the moment, or after a restart", () => {
    const end = NOW + HOUR;
    const [startTime, endTime] = [end - 24 * HOUR, end].map((time) => new Date(time).toISOString());
    const address = { siteId: "home", systemId: "a" };
    const payload = { startTime, endTime, energy: { solar: 1 } };
    const before = createPublisher();
    before.publish(incoming(NOW), NOW);
    before.updateTotals({ address, period: "today", payload, energy: { unit: "kWh" } }, NOW);
    before.due(NOW + MINUTE);
    const devices = new Map(before.devices);
    const born = before.birth(NOW + MINUTE);
    const later = end + HOUR;
    for (const [publisher, now] of [
      [before, end],
      [new FlatPublisher(PUBLISH_RULE, devices, later), later],
    ] as const) {
      const home = new HomeAssistant();
      home.receive(born);
      assert.equal(home.present("energy__home__a")["totals_today_solar"], "1");
      home.receive(publisher.publish(incoming(now), now));
      home.receive(publisher.due(now + MINUTE));
      assert.equal(home.present("energy__home__a")["totals_today_solar"], null);
    }
  });

  it("publishes the end of what a jump of the time ends also while a new config is to be followed by it", () => {
    const publisher = createPublisher();
    const [startTime, endTime] = [NOW, NOW + HOUR].map((time) => new Date(time).toISOString());
    const address = { siteId: "home" };
    const payload = { startTime, endTime, energy: { solar: 1 } };
    const home = new HomeAssistant();
    home.receive(publisher.updateTotals({ address, period: "today", payload, energy: {} }, NOW));
    publisher.jump();
    home.receive(publisher.due(NOW + 10 * MINUTE));
    assert.equal(home.present("energy__home")["totals_today_solar"], null);
  });

  it("publishes no state for backlog, for an expired record, or for one older than the last", () => {
    const publisher = createPublisher();
    const hasState = (record: IncomingRecord): boolean =>
      topics(publisher.publish(record, NOW)).includes("energy/home/a/state/telemetry");
    assert.equal(hasState(incoming(NOW, { isLive: false })), false);
    assert.equal(hasState(incoming(NOW - 30 * MINUTE)), false);
    assert.equal(hasState(incoming(NOW - MINUTE)), true);
    assert.equal(hasState(incoming(NOW - 2 * MINUTE)), false);
  });

  it("shows a record in progress until the next one, whenever it ends", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW + 24 * HOUR, { start: NOW - MINUTE }), NOW);
    assert.equal(publisher.nextDue(), NOW + 5000);
    const next = publisher.publish(incoming(NOW + 5 * MINUTE), NOW + 5 * MINUTE);
    assert.ok(topics(next).includes("energy/home/a/state/telemetry"));
    publisher.due(NOW + 5 * MINUTE);
    assert.equal(publisher.nextDue(), NOW + 5 * MINUTE + PUBLISH_RULE.expireAfter);
  });

  it("never retains a state, which the broker would show as a new one, also if readings are retained", () => {
    const retained = createPublisher({ retain: true })
      .publish(incoming(NOW), NOW)
      .filter(({ retain }) => retain);
    assert.deepEqual(topics(retained), [
      "energy/availability",
      SITE_CONFIG,
      "energy/home/site/availability",
      SYSTEM_CONFIG,
      "energy/home/a/availability",
      "energy/home/a/live",
    ]);
  });

  it("follows a config that backlog has changed by the last fresh state", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    const record = { startTime: "", endTime: "", storage: { stateOfCharge: 50 } };
    const published = publisher.publish(incoming(NOW - MINUTE, { record, isLive: false }), NOW);
    assert.deepEqual(topics(published), [
      SYSTEM_CONFIG,
      "energy/home/a/availability",
      "energy/home/a/stale",
      "energy/home/a/state/telemetry",
      "energy/home/a/backlog",
    ]);
    assert.ok(topics(publisher.due(NOW + 5000)).includes("energy/home/a/state/telemetry"));
  });

  it("publishes a live record that has expired as backlog, with or without discovery", () => {
    for (const discovery of [true, false]) {
      const publisher = createPublisher({ discovery });
      const published = (end: number): string =>
        topics(publisher.publish(incoming(end), NOW))
          .at(-1)
          ?.replace("energy/home/a/", "") ?? "";
      assert.equal(published(NOW - 30 * MINUTE - 1), "backlog");
      assert.equal(published(NOW - 30 * MINUTE), "live");
      // In progress: its age is negative.
      assert.equal(published(NOW + 3 * MINUTE), "live");
    }
  });

  it("goes by the time for which records are valid, if that is longer", () => {
    const publisher = createPublisher();
    const expireAfter = PUBLISH_RULE.expireAfter;
    const validFor = 2 * expireAfter;
    const end = NOW - expireAfter - MINUTE;
    const published = publisher.publish(incoming(end, { validUntil: end + validFor }), NOW);
    assert.match(published.at(-1)?.topic ?? "", /live$/);
    for (const topic of [SITE_CONFIG, SYSTEM_CONFIG]) {
      const config = published.find((one) => one.topic === topic)?.payload ?? "";
      const { components } = JSON.parse(config) as { components: Record<string, { expire_after: number }> };
      assert.equal(components["stale"]?.expire_after, (2 * validFor) / 1000);
    }
    // A config that stays as it is is not sent again.
    const next = end + 5 * MINUTE;
    const again = publisher.publish(incoming(next, { validUntil: next + validFor }), NOW);
    assert.ok(again.every(({ topic }) => !topic.endsWith("/config")));
    const shorter = publisher.publish(incoming(next, { validUntil: next + validFor - 16 * MINUTE }), NOW);
    assert.ok(shorter.every(({ topic }) => !topic.endsWith("/config")));
    publisher.publish(incoming(next, { validUntil: next + validFor }), NOW);
    assert.equal(publisher.nextDue(), Math.min(NOW + 5000, next + validFor));
    const late = publisher.publish(incoming(end, { validUntil: end + validFor }), end + validFor + 1);
    assert.match(late.at(-1)?.topic ?? "", /backlog$/);
  });

  it("goes by the last record, also if the one before was valid for longer", () => {
    const publisher = createPublisher();
    const publish = (systemId: string, end: number, validFor: number): void =>
      void publisher.publish(
        incoming(end, { address: { siteId: "home", systemId }, validUntil: end + validFor }),
        end,
      );
    const offline = (now: number): string[] =>
      publisher
        .due(now)
        .filter(({ topic, payload }) => topic.endsWith("/availability") && payload === "offline")
        .map(({ topic }) => topic);
    publish("a", NOW, 3 * HOUR);
    publish("b", NOW, HOUR);
    publish("a", NOW + MINUTE, 30 * MINUTE);
    assert.deepEqual(offline(NOW + 32 * MINUTE), ["energy/home/a/availability"]);
    assert.deepEqual(offline(NOW + HOUR), ["energy/home/site/availability", "energy/home/b/availability"]);
  });

  it("lets no message make a record valid for longer than a week: Home Assistant can add no more", () => {
    const published = createPublisher().publish(incoming(NOW, { validUntil: Date.UTC(9999, 0) }), NOW);
    const config = published.find(({ topic }) => topic === SYSTEM_CONFIG)?.payload ?? "";
    const { components } = JSON.parse(config) as { components: Record<string, { expire_after: number }> };
    assert.equal(components["grid_power"]?.expire_after, (7 * 24 * HOUR) / 1000);
  });

  it("goes on with the next record after the clock has been set back", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    const before = NOW - 24 * HOUR;
    const next = publisher.publish(incoming(before), before + MINUTE);
    const state = next.find(({ topic }) => topic === "energy/home/a/state/telemetry")?.payload ?? "";
    const { grid } = JSON.parse(state) as { grid: Record<string, number> };
    assert.deepEqual([grid["power"], grid["lifetimeImportedEnergy"]], [1, before]);
  });

  it("checks no counters of a record that has expired", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW - 31 * MINUTE), NOW);
    assert.deepEqual(
      [...publisher.devices.values()].map(({ counters = {} }) => counters),
      [{}, {}],
    );
  });

  it("publishes discovery again with a resent delivery, because it may have been lost", () => {
    const publisher = createPublisher();
    const discovered = (delivery: string): boolean =>
      topics(publisher.publish(incoming(NOW, { delivery }), NOW)).includes(SYSTEM_CONFIG);
    assert.deepEqual([discovered("1"), discovered("2"), discovered("1")], [true, false, true]);
  });

  it("repeats the state of a new device after 5 s, and reports it as stale after its time", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    assert.equal(publisher.nextDue(), NOW + 5000);
    const repeated = publisher.due(NOW + 5000).map(({ payload }) => payload);
    assert.deepEqual(repeated.slice(0, 3), ["online", "online", "OFF"]);
    assert.equal(publisher.nextDue(), NOW + 30 * MINUTE);
    assert.deepEqual(
      publisher.due(NOW + 30 * MINUTE).map(({ topic, payload }) => `${topic} ${payload}`),
      [
        "energy/availability online",
        "energy/home/site/availability offline",
        "energy/home/site/stale ON",
        "energy/home/a/availability offline",
        "energy/home/a/stale ON",
      ],
    );
  });

  it("answers a birth also after the clock has been set back", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    publisher.birth(NOW + MINUTE);
    assert.deepEqual(publisher.birth(NOW + MINUTE + 1), []);
    assert.ok(topics(publisher.birth(NOW - HOUR)).includes(SYSTEM_CONFIG));
  });

  it("publishes every device on a birth message, and records only while fresh", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    const home = new HomeAssistant();
    const born = publisher.birth(NOW + MINUTE);
    home.receive(born);
    assert.deepEqual(home.deviceIds(), ["energy__home", "energy__home__a"]);
    assert.equal(topics(born).at(-1), "energy/home/a/live");
    assert.equal(topics(publisher.birth(NOW + 30 * MINUTE)).includes("energy/home/a/live"), false);
  });
});
