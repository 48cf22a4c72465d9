// Promises of the forwarder about its book: it is another one only when there is something to keep.
import assert from "node:assert/strict";
import { Forwarder } from "../../src/mqtt/forwarder";
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

describe("forwarder", () => {
  const arrival = (end: number, isLive: boolean): Parameters<Forwarder["take"]>[0] => ({
    address: { siteId: "s", systemId: "a" },
    record: { startTime: "", endTime: "", grid: { power: 1, lifetimeImportedEnergy: end } },
    end,
    isLive,
  });

  it("keeps the same book over a backlog, however long, so that nothing is written", () => {
    const forwarder = new Forwarder(RULE, {}, 0);
    forwarder.take(arrival(1, false), 10);
    const { book } = forwarder;
    for (let end = 2; end < 100; end += 1) forwarder.take(arrival(end, false), 10);
    assert.equal(forwarder.book, book);
    forwarder.take(arrival(100, true), 100);
    assert.notEqual(forwarder.book, book);
  });

  it("never changes a book that it gave out", () => {
    const forwarder = new Forwarder(RULE, {}, 0);
    forwarder.take(arrival(1, true), 10);
    const { book } = forwarder;
    const before = structuredClone(book);
    forwarder.take(arrival(2, true), 20);
    forwarder.takeSites([], true);
    assert.deepEqual(book, before);
    assert.deepEqual(forwarder.book, {});
  });
});
