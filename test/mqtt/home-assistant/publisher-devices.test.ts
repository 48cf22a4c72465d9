// Tests for the devices of the publisher: what it remembers of them, and what they show after a restart or a jump of the time.
import assert from "node:assert/strict";
import { HOUR, MINUTE } from "../../../src/time-units";
import type { Publication } from "../../../src/mqtt/publications";
import { alertUpdateOf } from "../../../src/messages/reader";
import type { Device } from "../../../src/mqtt/home-assistant/device";
import { FlatPublisher } from "../../support/flat-publisher";
import { PUBLISH_RULE } from "../../support/publish-rule";
import { createPublisher, incoming, NOW, topics } from "../../support/publisher";

describe("devices of the publisher", () => {
  const system = (publisher: FlatPublisher): Device | undefined => publisher.devices.get("energy__home__a");

  it("remember little of records and alerts without bounds, and show what they know", () => {
    const publisher = createPublisher({ retain: true, layout: "values" });
    for (let round = 0; round < 3; round += 1) {
      const odd = (index: number): [string, number] => [`lifetime${round}_${index}`, index];
      const grid = {
        power: round,
        ...Object.fromEntries(Array.from({ length: 3000 }, (_, index) => odd(index))),
      };
      const record = { startTime: "", endTime: "", grid, note: "x".repeat(100_000) };
      const basis = { [`group${round}`]: "ac" as const };
      publisher.publish(incoming(NOW + round, { record, basis }), NOW + round);
    }
    const state = publisher.birth(NOW + 3).find(({ topic }) => topic.endsWith("/state/telemetry"));
    assert.equal((JSON.parse(state?.payload ?? "") as { grid: { power: number } }).grid.power, 2);
    const message = {
      payload: { siteId: "home" },
      energy: { kind: "alerts", change: "raised", alertKey: "k".repeat(1e6) },
    };
    publisher.updateAlerts(alertUpdateOf(message) ?? assert.fail(), NOW);
    assert.ok(JSON.stringify([...publisher.devices]).length < 100_000);
  });

  it("stay the same objects during a backlog, however long, so that nothing is written", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(1, { isLive: false }), NOW);
    const before = system(publisher);
    for (let end = 2; end < 100; end += 1) publisher.publish(incoming(end, { isLive: false }), NOW);
    assert.equal(system(publisher), before);
    publisher.publish(incoming(NOW), NOW);
    assert.notEqual(system(publisher), before);
  });

  it("never change: what is new makes another object", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    const device = system(publisher);
    const before = structuredClone(device);
    publisher.publish(incoming(NOW + 1), NOW);
    assert.deepEqual(device, before);
    assert.notDeepEqual(system(publisher), before);
  });

  it("say after a restart whether they are online, and bring no state that Home Assistant has not requested", () => {
    const before = createPublisher();
    before.publish(incoming(NOW), NOW);
    before.due(NOW + 5000);
    const later = NOW + 10 * MINUTE;
    const publisher = new FlatPublisher(PUBLISH_RULE, before.devices, later);
    assert.equal(publisher.nextDue(), later + 5000);
    assert.deepEqual(publisher.due(later + 5000), [
      { topic: "energy/availability", payload: "online", retain: true },
      { topic: "energy/home/site/availability", payload: "online", retain: true },
      { topic: "energy/home/site/stale", payload: "OFF", retain: false },
      { topic: "energy/home/a/availability", payload: "online", retain: true },
      { topic: "energy/home/a/stale", payload: "OFF", retain: false },
    ]);
    assert.equal(publisher.nextDue(), NOW + 30 * MINUTE);
  });

  it("repeat what followed a new config also if there was a restart in between", () => {
    const publisher = (): FlatPublisher => new FlatPublisher(PUBLISH_RULE, before.devices, NOW + MINUTE);
    const before = createPublisher();
    before.updateAlerts({ siteId: "home", change: undefined, alerts: [] }, NOW);
    assert.deepEqual(topics(publisher().due(NOW + 2 * MINUTE)).slice(1), ["energy/home/site/alerts/state"]);
    before.due(NOW + 5000);
    assert.deepEqual(topics(publisher().due(NOW + 2 * MINUTE)), []);
  });

  it("bring nothing back as fresh while the time is not sure, as after a start, but as soon as it is", () => {
    const before = createPublisher();
    before.publish(incoming(NOW), NOW);
    const publisher = new FlatPublisher(PUBLISH_RULE, before.devices, NOW + MINUTE);
    publisher.clock.isSure = false;
    assert.deepEqual(publisher.due(NOW + 2 * MINUTE), []);
    assert.equal(publisher.nextDue(), Number.POSITIVE_INFINITY);
    const born = publisher.birth(NOW + 2 * MINUTE);
    assert.ok(topics(born).every((topic) => !/\/(live|state)\b/.test(topic)));
    const said = (messages: Publication[]): string[] =>
      messages.filter(({ topic }) => topic.endsWith("/a/availability")).map(({ payload }) => payload);
    assert.deepEqual(said(born), ["offline"]);
    publisher.clock.isSure = true;
    const repeated = publisher.due(NOW + 3 * MINUTE);
    assert.deepEqual(said(repeated), ["online"]);
    assert.ok(topics(repeated).includes("energy/home/a/state/telemetry"));
  });

  it("are offline when the clock has been set, until they are heard of again", () => {
    const said = (messages: Publication[]): string[] =>
      messages
        .filter(({ topic }) => topic.endsWith("/availability"))
        .map(({ topic, payload }) => `${topic} ${payload}`);
    for (const passed of [10 * MINUTE, -24 * HOUR]) {
      const publisher = createPublisher();
      publisher.publish(incoming(NOW), NOW);
      publisher.due(NOW + 5000);
      publisher.jump();
      const now = NOW + passed;
      assert.deepEqual(said(publisher.due(now)), [
        "energy/availability online",
        "energy/home/site/availability offline",
        "energy/home/a/availability offline",
      ]);
      assert.deepEqual(publisher.due(now + MINUTE), []);
      assert.ok(topics(publisher.birth(now + MINUTE)).every((topic) => !/\/(live|state)\b/.test(topic)));
      const next = publisher.publish(incoming(now + MINUTE), now + 2 * MINUTE);
      assert.deepEqual(said(next).slice(-2), [
        "energy/home/site/availability online",
        "energy/home/a/availability online",
      ]);
      assert.ok(topics(next).includes("energy/home/a/state/telemetry"));
      // They stay so for no longer than the new record is valid.
      const stale = publisher.due(now + 31 * MINUTE);
      assert.deepEqual(said(stale).slice(-2), [
        "energy/home/site/availability offline",
        "energy/home/a/availability offline",
      ]);
    }
  });

  it("bring what follows a new config soon after the time is sure again, also if the clock was ahead", () => {
    const publisher = createPublisher();
    publisher.publish(incoming(NOW), NOW);
    publisher.due(NOW + 5000);
    publisher.clock.isSure = false;
    const ahead = NOW + 24 * HOUR;
    publisher.due(ahead);
    publisher.birth(ahead);
    publisher.clock.isSure = true;
    publisher.due(NOW + MINUTE);
    const repeated = topics(publisher.due(NOW + MINUTE + 5000));
    assert.ok(repeated.includes("energy/home/a/state/telemetry"));
  });

  it("go on being reported as stale when the clock is set back", () => {
    const before = createPublisher();
    before.publish(incoming(NOW), NOW);
    const publisher = new FlatPublisher(PUBLISH_RULE, before.devices, NOW + MINUTE);
    publisher.jump();
    const stale = (now: number): string[] =>
      publisher.due(now).flatMap(({ topic, payload }) => (topic.endsWith("/a/stale") ? [payload] : []));
    const back = NOW - 24 * HOUR;
    assert.deepEqual(stale(back), ["ON"]);
    assert.deepEqual(stale(back + 30 * MINUTE), ["ON"]);
  });

  it("show a record that a node has sent as live, whatever is sure", () => {
    const publisher = createPublisher();
    publisher.clock.isSure = false;
    for (const end of [NOW, NOW + 1]) {
      const sent = topics(publisher.publish(incoming(end), NOW + 1));
      assert.ok(sent.includes("energy/home/a/state/telemetry"));
    }
    assert.deepEqual(publisher.due(NOW + 5000), []);
  });

  it("show totals that came while the time was not sure as soon as it is, also after a restart", () => {
    const payload = {
      startTime: "2026-06-10T00:00:00Z",
      endTime: "2026-06-11T00:00:00Z",
      energy: { solar: 12.4 },
    };
    const address = { siteId: "home", systemId: "a" };
    const shown = (messages: Publication[]): unknown[] =>
      messages.flatMap(({ topic, payload: state }) =>
        topic.endsWith("/state/totals/today") ? [(JSON.parse(state) as { solar: unknown }).solar] : [],
      );
    const publisher = createPublisher();
    const update = (): Publication[] =>
      publisher.updateTotals({ address, period: "today", payload, energy: {} }, NOW);
    update();
    publisher.due(NOW + 5000);
    publisher.clock.isSure = false;
    publisher.due(NOW + MINUTE);
    payload.energy.solar = 13;
    assert.deepEqual(shown(update()), [null]);
    const restarted = new FlatPublisher(PUBLISH_RULE, publisher.devices, NOW + MINUTE);
    for (const one of [publisher, restarted]) {
      one.clock.isSure = true;
      assert.deepEqual(shown([...one.due(NOW + 2 * MINUTE), ...one.due(NOW + 3 * MINUTE)]), [13]);
    }
  });

  it("are offline after a restart without a fresh record", () => {
    const before = createPublisher();
    before.publish(incoming(NOW), NOW);
    const later = NOW + 30 * MINUTE;
    const publisher = new FlatPublisher(PUBLISH_RULE, before.devices, later);
    const payloads = publisher.due(later + 5000).map(({ payload }) => payload);
    assert.deepEqual(payloads, ["online", "offline", "ON", "offline", "ON"]);
    assert.ok(topics(publisher.birth(later)).every((topic) => !/\/(live|state)\b/.test(topic)));
  });

  it("keep their last record over a restart: a new config and a birth are followed by it while it is fresh", () => {
    const before = createPublisher();
    before.publish(incoming(NOW), NOW);
    const stored = new Map(
      [...before.devices].map(([id, device]) => [id, JSON.parse(JSON.stringify(device)) as Device]),
    );
    const publisher = new FlatPublisher({ ...PUBLISH_RULE, language: "de" }, stored, NOW + MINUTE);
    const state = before.birth(NOW).find(({ topic }) => topic.endsWith("/state/telemetry"));
    const born = publisher.birth(NOW + MINUTE);
    assert.deepEqual(
      born.find(({ topic }) => topic.endsWith("/state/telemetry")),
      state,
    );
    assert.equal(topics(born).at(-1), "energy/home/a/live");
  });

  it("are offline, retained, when publishing ends, if they were online", () => {
    const publisher = createPublisher();
    const gone = { topic: "energy/availability", payload: "offline", retain: true };
    assert.deepEqual(publisher.farewell(NOW), [gone]);
    publisher.publish(incoming(NOW), NOW);
    assert.deepEqual(
      publisher.farewell(NOW).map(({ payload, retain }) => [payload, retain]),
      [
        ["offline", true],
        ["offline", true],
        ["ON", false],
        ["offline", true],
        ["ON", false],
      ],
    );
    assert.deepEqual(publisher.farewell(NOW + 30 * MINUTE), [gone]);
  });
});
