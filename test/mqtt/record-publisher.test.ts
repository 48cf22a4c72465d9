// Promises of the record publisher: what it publishes, and that its devices are another object only when one has changed.
import assert from "node:assert/strict";
import { RecordPublisher } from "../../src/mqtt/record-publisher";
import type { PublishRule } from "../../src/mqtt/publication";

const RULE: PublishRule = {
  prefix: "energy",
  layout: "json",
  discovery: true,
  discoveryPrefix: "homeassistant",
  expireAfter: 60_000,
  retain: false,
  qos: 1,
};

describe("record publisher", () => {
  const incoming = (end: number, isLive: boolean): Parameters<RecordPublisher["publish"]>[0] => ({
    address: { siteId: "s", systemId: "a" },
    record: { startTime: "", endTime: "", grid: { power: 1, lifetimeImportedEnergy: end } },
    end,
    isLive,
  });

  it("keeps the same devices over a backlog, however long, so that nothing is written", () => {
    const publisher = new RecordPublisher(RULE, {}, 0);
    publisher.publish(incoming(1, false), 10);
    const { devices } = publisher;
    for (let end = 2; end < 100; end += 1) publisher.publish(incoming(end, false), 10);
    assert.equal(publisher.devices, devices);
    publisher.publish(incoming(100, true), 100);
    assert.notEqual(publisher.devices, devices);
  });

  it("never changes devices that it gave out", () => {
    const publisher = new RecordPublisher(RULE, {}, 0);
    publisher.publish(incoming(1, true), 10);
    const { devices } = publisher;
    const before = structuredClone(devices);
    publisher.publish(incoming(2, true), 20);
    publisher.updateSites([], true);
    assert.deepEqual(devices, before);
    assert.deepEqual(publisher.devices, {});
  });
});
