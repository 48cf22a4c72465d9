// Tests for the publisher with lists of sites: the names of devices, and which of them are removed when.
import assert from "node:assert/strict";
import { HOUR } from "../../../src/time-units";
import type { Site } from "../../../src/models/site";
import type { Publication } from "../../../src/mqtt/publications";
import { FlatPublisher } from "../../support/flat-publisher";
import { HomeAssistant } from "../../support/home-assistant";
import { PUBLISH_RULE } from "../../support/publish-rule";
import { createPublisher, incoming, NOW, SITE_CONFIG, SYSTEM_CONFIG, topics } from "../../support/publisher";
import { PublisherHome } from "../../support/publisher-home";
import { cpuTime } from "../../support/cpu-time";

const LISTED = [{ siteId: "home", siteName: "Roof", systems: [{ systemId: "a" }] }];

/** Three lists over a day: long enough to remove a device. Returns what the last one publishes. */
function removeUnlisted(publisher: FlatPublisher, sites: Site[]): Publication[] {
  assert.deepEqual(publisher.updateSites(sites, true, NOW), []);
  assert.deepEqual(publisher.updateSites(sites, true, NOW + HOUR), []);
  return publisher.updateSites(sites, true, NOW + 24 * HOUR);
}

describe("publisher with a list of sites", () => {
  it("names the devices of a site; those that have changed are followed by their state", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    const renamed = publisher.updateSites(LISTED, true, NOW);
    assert.deepEqual(topics(renamed), [
      "energy/availability",
      SITE_CONFIG,
      "energy/home/site/availability",
      "energy/home/site/stale",
      SYSTEM_CONFIG,
      "energy/home/a/availability",
      "energy/home/a/stale",
      "energy/home/a/state/telemetry",
    ]);
    const home = new HomeAssistant();
    home.receive(renamed);
    assert.equal(home.device("energy__home__a").device.name, "Roof a");
    assert.deepEqual(publisher.updateSites(LISTED, true, NOW), []);
  });

  it("renames a device that has sent nothing since a restart, and again with its next record", () => {
    const mqtt = new PublisherHome();
    mqtt.record("home", "a");
    mqtt.sites(LISTED);
    mqtt.restart();
    assert.deepEqual(mqtt.sites(LISTED), []);
    mqtt.sites([{ ...LISTED[0], siteId: "home", siteName: "Barn" }]);
    assert.equal(mqtt.home.device("energy__home__a").device.name, "Barn a");
    assert.ok(topics(mqtt.record("home", "a")).includes(SYSTEM_CONFIG));
    assert.ok(!topics(mqtt.record("home", "a")).includes(SYSTEM_CONFIG));
  });

  it("shows names of others in one line of at most 100 whole characters", () => {
    const mqtt = new PublisherHome();
    const odd = `a\r\nb\u0007c\u202ed\ud83d${"😀".repeat(300)}`;
    const [systemId, other] = ["s1", "s2"];
    const system = { systemId, systemGeneration: odd, capabilities: { solar: { inverterType: odd } } };
    const device = { deviceId: "d", model: odd, serialNumber: odd, deviceClass: odd, deviceState: odd };
    mqtt.record("home", systemId);
    mqtt.record("home", other);
    mqtt.record("unnamed", systemId);
    mqtt.list([], "home");
    mqtt.sites([
      { siteId: "home", siteName: odd, systems: [system, { systemId: other }] },
      { siteId: "unnamed", siteName: "\u202e", systems: [{ systemId }] },
    ]);
    mqtt.details({ siteId: "home", systems: [{ ...system, devices: [device] }] });
    const devices = mqtt.home.deviceIds().map((id) => mqtt.home.device(id).device);
    const texts = devices.flatMap((one) =>
      Object.entries(one).filter(([field]) => /name|model|serial/.test(field)),
    );
    assert.equal(texts.length, 13);
    for (const [field, text] of texts) {
      assert.ok(
        typeof text === "string" && text.length > 0 && text.length <= 100,
        `${field}: ${String(text)}`,
      );
      assert.doesNotMatch(text, /[\p{C}\p{Zl}\p{Zp}]/u, field);
    }
    const names = devices.map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name.startsWith("unnamed")).toSorted(), [
      "unnamed",
      "unnamed s1",
    ]);
    assert.match(mqtt.home.present("energy__home__s1__d")["deviceState"] ?? "", /^a b c d 😀+…$/u);
  });

  it("removes what is no longer listed, systems first, with every retained topic", () => {
    const publisher = createPublisher({ retain: true });
    const published = publisher
      .publish(incoming(NOW), NOW)
      .filter(({ retain, topic }) => retain && topic !== "energy/availability");
    const removed = removeUnlisted(publisher, [{ siteId: "other" }]);
    assert.ok(removed.every(({ payload, retain }) => payload === "" && retain));
    assert.deepEqual(topics(removed).toSorted(), topics(published).toSorted());
    assert.ok(topics(removed).indexOf(SYSTEM_CONFIG) < topics(removed).indexOf(SITE_CONFIG));
    assert.equal(publisher.devices.size, 0);
    assert.equal(publisher.nextDue(), undefined);
  });

  it("removes it again at the next birth, in case the broker was offline, but not what is back by then", () => {
    const publisher = createPublisher({ retain: true });
    const cleared = (now: number): Publication[] =>
      publisher.birth(now).filter(({ payload }) => payload === "");
    publisher.publish(incoming(NOW), NOW);
    const removed = removeUnlisted(publisher, [{ siteId: "other" }]);
    assert.deepEqual(cleared(NOW + 25 * HOUR), removed);
    assert.deepEqual(cleared(NOW + 26 * HOUR), []);
    publisher.publish(incoming(NOW), NOW);
    removeUnlisted(publisher, [{ siteId: "other" }]);
    publisher.publish(incoming(NOW), NOW);
    assert.deepEqual(cleared(NOW + 27 * HOUR), []);
  });

  it("removes the last device again also at a birth that had to wait", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    const day = NOW + 24 * HOUR;
    publisher.birth(day);
    const removed = removeUnlisted(publisher, []);
    assert.deepEqual(publisher.birth(day + 1000), []);
    assert.equal(publisher.nextDue(), day + 10_000);
    assert.deepEqual(publisher.due(day + 10_000), removed);
    assert.equal(publisher.nextDue(), undefined);
  });

  it("removes the record of a birth, too, which may be the first that the broker has retained", () => {
    const before = createPublisher();
    before.publish(incoming(NOW), NOW);
    const publisher = new FlatPublisher({ ...PUBLISH_RULE, retain: true }, before.devices, NOW);
    assert.ok(topics(publisher.birth(NOW)).includes("energy/home/a/live"));
    assert.ok(topics(removeUnlisted(publisher, [{ siteId: "other" }])).includes("energy/home/a/live"));
  });

  it("removes nothing for an incomplete list, a site without its systems, or a system without an id", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    for (const day of [0, 1, 2, 3]) {
      const now = NOW + day * 24 * HOUR;
      assert.deepEqual(publisher.updateSites([{ siteId: "other" }], false, now), []);
      assert.deepEqual(publisher.updateSites([{ siteId: "home" }], true, now), []);
      assert.deepEqual(publisher.updateSites([{ siteId: "home", systems: [{}] }], true, now), []);
    }
    assert.equal(publisher.devices.size, 2);
  });

  it("keeps a device that is in one of the lists, or sends a record, even backlog", () => {
    const returns: ((publisher: FlatPublisher) => void)[] = [
      (publisher) => publisher.updateSites(LISTED, true, NOW + 2 * HOUR),
      (publisher) => publisher.updateSites(LISTED, false, NOW + 2 * HOUR),
      (publisher) => publisher.publish(incoming(NOW - HOUR, { isLive: false }), NOW + 2 * HOUR),
    ];
    for (const comeBack of returns) {
      const publisher = createPublisher();
      publisher.publish(incoming(NOW), NOW);
      for (const hour of [0, 1]) publisher.updateSites([{ siteId: "other" }], true, NOW + hour * HOUR);
      comeBack(publisher);
      for (const hour of [24, 25]) publisher.updateSites([{ siteId: "other" }], true, NOW + hour * HOUR);
      assert.equal(publisher.devices.size, 2);
      publisher.updateSites([{ siteId: "other" }], true, NOW + 48 * HOUR);
      assert.equal(publisher.devices.size, 0);
    }
  });

  it("goes on counting after a restart", () => {
    const before = createPublisher();
    before.publish(incoming(NOW), NOW);
    for (const hour of [0, 1]) before.updateSites([{ siteId: "other" }], true, NOW + hour * HOUR);
    const publisher = new FlatPublisher(PUBLISH_RULE, before.devices, NOW + 23 * HOUR);
    publisher.updateSites([{ siteId: "other" }], true, NOW + 24 * HOUR);
    assert.equal(publisher.devices.size, 0);
  });

  it("compares many devices with many sites without delay", () => {
    const sites = Array.from({ length: 1500 }, (_, index) => ({ siteId: `s${index}` }));
    const known = sites.map(({ siteId }) => {
      const profile = { siteId, entities: ["stale"], basis: {}, units: {} };
      return { id: `energy__${siteId}`, profile, states: {} };
    });
    const publisher = new FlatPublisher(PUBLISH_RULE, new Map(known.map((one) => [one.id, one])), NOW);
    assert.ok(cpuTime(() => publisher.updateSites(sites, true, NOW)) < 400);
    assert.equal(publisher.devices.size, sites.length);
  });
});
