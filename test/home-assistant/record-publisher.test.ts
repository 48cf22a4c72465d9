// Tests for the record publisher: what it publishes in which order, and which devices it stores.
import assert from "node:assert/strict";
import { MINUTE } from "../../src/time-units";
import type { IncomingRecord } from "../../src/mqtt/incoming-record";
import type { Publication, PublishRule } from "../../src/mqtt/publication";
import { RecordPublisher } from "../../src/home-assistant/record-publisher";
import { HomeAssistant } from "../support/home-assistant";
import { PUBLISH_RULE } from "../support/publish-rule";

const NOW = Date.UTC(2026, 5, 10, 10, 7);
const SITE = "homeassistant/device/energy__home/config";
const SYSTEM = "homeassistant/device/energy__home__a/config";
const LISTED = [{ siteId: "home", siteName: "Roof", systems: [{ systemId: "a" }] }];

const incoming = (end: number, rest: Partial<IncomingRecord> = {}): IncomingRecord => ({
  address: { siteId: "home", systemId: "a" },
  record: { startTime: "", endTime: "", grid: { power: 1, lifetimeImportedEnergy: end } },
  end,
  isLive: true,
  ...rest,
});
const create = (rule: Partial<PublishRule> = {}): RecordPublisher =>
  new RecordPublisher({ ...PUBLISH_RULE, ...rule }, {}, NOW);
const topics = (publications: Publication[]): string[] => publications.map(({ topic }) => topic);

describe("record publisher", () => {
  it("publishes the site, the system, their state, and the record last", () => {
    const publisher = create();
    assert.deepEqual(topics(publisher.publish(incoming(NOW), NOW)), [
      SITE,
      SYSTEM,
      "energy/home/site/availability",
      "energy/home/a/availability",
      "energy/home/a/state/telemetry",
      "energy/home/a/live",
    ]);
    assert.equal(topics(publisher.publish(incoming(NOW + 1), NOW)).includes(SYSTEM), false);
  });

  it("publishes only the record if discovery is off, and never has anything due", () => {
    const publisher = create({ discovery: false });
    assert.deepEqual(topics(publisher.publish(incoming(NOW), NOW)), ["energy/home/a/live"]);
    assert.deepEqual([publisher.birth(NOW), publisher.due(NOW), publisher.nextDue()], [[], [], undefined]);
  });

  it("separates the series of a meter by state topic", () => {
    const record = { startTime: "", endTime: "", rgm: { power: 7 } };
    assert.ok(topics(create().publish(incoming(NOW, { record }), NOW)).includes("energy/home/a/state/rgm"));
  });

  it("publishes no state for backlog, for an expired record, or for one older than the last", () => {
    const publisher = create();
    const hasState = (record: IncomingRecord): boolean =>
      topics(publisher.publish(record, NOW)).includes("energy/home/a/state/telemetry");
    assert.equal(hasState(incoming(NOW, { isLive: false })), false);
    assert.equal(hasState(incoming(NOW - 30 * MINUTE)), false);
    assert.equal(hasState(incoming(NOW - MINUTE)), true);
    assert.equal(hasState(incoming(NOW - 2 * MINUTE)), false);
  });

  it("publishes discovery again with a resent delivery, because it may have been lost", () => {
    const publisher = create();
    const discovered = (delivery: string): boolean =>
      topics(publisher.publish(incoming(NOW, { delivery }), NOW)).includes(SYSTEM);
    assert.deepEqual([discovered("1"), discovered("2"), discovered("1")], [true, false, true]);
  });

  it("repeats the state of a new device after 5 s, and reports it as stale after its time", () => {
    const publisher = create();
    publisher.publish(incoming(NOW), NOW);
    assert.equal(publisher.nextDue(), NOW + 5000);
    const repeated = publisher.due(NOW + 5000).map(({ payload }) => payload);
    assert.deepEqual(repeated.slice(0, 2), ["online", "online"]);
    assert.equal(publisher.nextDue(), NOW + 30 * MINUTE);
    const stale = publisher.due(NOW + 30 * MINUTE);
    assert.deepEqual(
      stale.map(({ topic, payload }) => [topic, payload]),
      [
        ["energy/home/site/availability", "offline"],
        ["energy/home/a/availability", "offline"],
      ],
    );
  });

  it("publishes every device on a birth message, and records only while fresh", () => {
    const publisher = create();
    publisher.publish(incoming(NOW), NOW);
    const home = new HomeAssistant();
    const born = publisher.birth(NOW + MINUTE);
    home.receive(born);
    assert.deepEqual(home.deviceIds(), ["energy__home", "energy__home__a"]);
    assert.equal(topics(born).at(-1), "energy/home/a/live");
    assert.equal(topics(publisher.birth(NOW + 30 * MINUTE)).includes("energy/home/a/live"), false);
  });
});

describe("record publisher with a list of sites", () => {
  it("names the devices of a site, and publishes only those that have changed", () => {
    const publisher = create();
    publisher.publish(incoming(NOW), NOW);
    const renamed = publisher.updateSites(LISTED, true);
    assert.deepEqual(topics(renamed), [SITE, SYSTEM]);
    const home = new HomeAssistant();
    home.receive(renamed);
    assert.equal(home.device("energy__home__a").device.name, "Roof a");
    assert.deepEqual(publisher.updateSites(LISTED, true), []);
  });

  it("removes what is no longer listed, systems first, with every retained topic", () => {
    const publisher = create({ retain: true });
    const published = topics(publisher.publish(incoming(NOW), NOW));
    const removed = publisher.updateSites([{ siteId: "other" }], true);
    assert.ok(removed.every(({ payload, retain }) => payload === "" && retain));
    assert.deepEqual(topics(removed).toSorted(), published.toSorted());
    assert.ok(topics(removed).indexOf(SYSTEM) < topics(removed).indexOf(SITE));
    assert.deepEqual(publisher.devices, {});
    assert.equal(publisher.nextDue(), undefined);
  });

  it("removes nothing for an incomplete list, a site without its systems, or a system without an id", () => {
    const publisher = create();
    publisher.publish(incoming(NOW), NOW);
    assert.deepEqual(publisher.updateSites([{ siteId: "other" }], false), []);
    assert.deepEqual(publisher.updateSites([{ siteId: "home" }], true), []);
    assert.deepEqual(publisher.updateSites([{ siteId: "home", systems: [{}] }], true), []);
    assert.equal(Object.keys(publisher.devices).length, 2);
  });
});

describe("devices of the record publisher", () => {
  it("stay the same object during a backlog, however long, so that nothing is written", () => {
    const publisher = create();
    publisher.publish(incoming(1, { isLive: false }), NOW);
    const { devices } = publisher;
    for (let end = 2; end < 100; end += 1) publisher.publish(incoming(end, { isLive: false }), NOW);
    assert.equal(publisher.devices, devices);
    publisher.publish(incoming(NOW), NOW);
    assert.notEqual(publisher.devices, devices);
  });

  it("never change once returned", () => {
    const publisher = create();
    publisher.publish(incoming(1), NOW);
    const { devices } = publisher;
    const before = structuredClone(devices);
    publisher.publish(incoming(2), NOW);
    publisher.updateSites([], true);
    assert.deepEqual(devices, before);
    assert.deepEqual(publisher.devices, {});
  });

  it("are each expected to send a record after a restart", () => {
    const before = create();
    before.publish(incoming(NOW), NOW);
    const publisher = new RecordPublisher(PUBLISH_RULE, before.devices, NOW);
    assert.equal(publisher.nextDue(), NOW + 30 * MINUTE);
    assert.ok(topics(publisher.birth(NOW)).every((topic) => !/\/(live|state)\b/.test(topic)));
  });
});
