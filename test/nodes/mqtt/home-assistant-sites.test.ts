// Tests for site messages: they name devices in Home Assistant, and remove those from the broker that no longer exist.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import type { MqttMessage } from "../../../src/messages/messages";
import { HOUR, MINUTE } from "../../../src/time-units";
import { BIRTH, CONFIGS, isConfig, END, MqttHome, SITE, SYSTEM } from "../../support/mqtt-home";
import { recordAt, telemetry, topics } from "../../support/mqtt-node";
import { temporaryFolder } from "../../support/temporary";

describe("mqtt readings for Home Assistant: sites", () => {
  let mqtt: MqttHome;

  beforeEach(() => {
    mqtt = new MqttHome();
  });
  afterEach(() => mqtt.close());

  const list = (payload: unknown): NodeMessage => ({ payload, energy: { kind: "site-list", count: 1 } });
  /** Three lists over a day: long enough to remove a device. Returns what the last one publishes. */
  const listForADay = async (payload: unknown): Promise<MqttMessage[]> => {
    for (const _time of [1, 2]) {
      assert.deepEqual(await mqtt.process(list(payload)), []);
      mqtt.clock.setSystemTime(Date.now() + 12 * HOUR);
    }
    return mqtt.process(list(payload));
  };
  const OTHERS = [{ siteId: "elsewhere", systems: [] }];
  const systems = (...ids: string[]): object[] => ids.map((systemId) => ({ systemId }));

  it("name devices, before and after the first record", async () => {
    await mqtt.start();
    await mqtt.process(list([{ siteId: "home", siteName: "Roof & Sons", systems: systems("a") }]));
    await mqtt.live();
    assert.equal(mqtt.home.device(SITE).device.name, "Roof & Sons");
    assert.equal(mqtt.home.device(SYSTEM).device.name, "Roof & Sons a");
    const messages = await mqtt.process(list({ siteId: "home", siteName: "New name" }));
    assert.deepEqual(topics(messages.filter(isConfig)), CONFIGS);
    assert.equal(mqtt.home.device(SITE).device.name, "New name");
    assert.deepEqual(
      await mqtt.process(list([{ siteId: "home", siteName: "New name", systems: systems("a") }])),
      [],
    );
  });

  it("leave devices named by their id until they have a name", async () => {
    await mqtt.start();
    await mqtt.live();
    assert.equal(mqtt.home.device(SITE).device.name, "home");
  });

  it("remove a system that no longer exists from the broker, and keep the others", async () => {
    await mqtt.start();
    await mqtt.live();
    await mqtt.process({ ...telemetry(recordAt(END)), systemId: "b" });
    const messages = await listForADay([{ siteId: "home", systems: systems("b") }]);
    assert.deepEqual(
      messages.map(({ topic, payload, retain }) => [topic, payload, retain]),
      [
        [CONFIGS[1], "", true],
        ["energy/home/a/availability", "", true],
      ],
    );
    assert.deepEqual(mqtt.home.deviceIds(), [SITE, "energy__home__b"]);
    assert.deepEqual(await mqtt.process(list([{ siteId: "home", systems: systems("b") }])), []);
  });

  it("remove a site that no longer exists from the broker, its systems first, even after a restart", async () => {
    const userDir = temporaryFolder();
    await mqtt.start({}, { userDir });
    await mqtt.live();
    await mqtt.process(list(OTHERS));
    await mqtt.process(list(OTHERS));
    await mqtt.node.stop();
    mqtt.clock.setSystemTime(Date.now() + 24 * HOUR);
    await mqtt.start({}, { userDir });
    const removed = [CONFIGS[1], "energy/home/a/availability", CONFIGS[0], "energy/home/site/availability"];
    assert.deepEqual(topics(await mqtt.process(list(OTHERS))), removed);
    assert.deepEqual(mqtt.home.deviceIds(), []);
    const again = await mqtt.process(BIRTH);
    assert.deepEqual(topics(again), removed);
    assert.ok(again.every(({ payload }) => payload === ""));
    assert.deepEqual(await mqtt.advance(60 * MINUTE), []);
  });

  it("remove nothing if only some of the lists are incomplete", async () => {
    await mqtt.start();
    await mqtt.live();
    for (const payload of [OTHERS, OTHERS, [{ siteId: "home" }], OTHERS, OTHERS]) {
      assert.deepEqual(await mqtt.process(list(payload)), []);
      mqtt.clock.setSystemTime(Date.now() + 12 * HOUR);
    }
    assert.deepEqual(mqtt.home.deviceIds(), [SITE, SYSTEM]);
  });

  it("do not prevent a device from returning with its next record", async () => {
    await mqtt.start();
    await mqtt.live();
    await listForADay(OTHERS);
    assert.equal(mqtt.clock.countTimers(), 0);
    await mqtt.process(telemetry(recordAt(END), { phase: "late" }));
    assert.deepEqual(mqtt.home.deviceIds(), [SITE, SYSTEM]);
    assert.equal(topics(await mqtt.process(BIRTH)).includes("energy/home/a/live"), false);
  });

  it("remove every retained message of a device, also of values that its last record lacks, after a restart", async () => {
    const userDir = temporaryFolder();
    await mqtt.start({ retain: true, layout: "values" }, { userDir });
    const published = await mqtt.live({ grid: { power: 1, importedEnergy: 5 }, windmill: { power: 3 } });
    published.push(...(await mqtt.process(telemetry(recordAt(END - HOUR), { phase: "late" }))));
    published.push(...(await mqtt.live({ grid: null, solar: { power: 1 } })));
    await mqtt.node.stop();
    await mqtt.start({}, { userDir });
    const messages = await listForADay(OTHERS);
    const retained = new Set(topics(published.filter(({ retain }) => retain)));
    retained.delete("energy/availability");
    assert.equal(retained.has("energy/home/a/live/windmill/power"), true);
    assert.deepEqual(topics(messages).toSorted(), [...retained].toSorted());
    assert.ok(messages.every(({ payload, retain }) => payload === "" && retain));
  });

  it("remove the retained totals of every period, also of those without entities", async () => {
    await mqtt.start({ retain: true });
    await mqtt.live();
    const span = { startTime: "2026-06-01T00:00:00Z", endTime: "2026-06-02T00:00:00Z" };
    for (const period of ["message", "day", "yesterday", "today"])
      await mqtt.process({
        payload: { ...span, energy: { solar: 1 } },
        energy: { kind: "totals", period },
        siteId: "home",
        systemId: "a",
      });
    const removed = topics(await listForADay(OTHERS));
    for (const period of ["message", "day", "yesterday", "today"])
      assert.ok(removed.includes(`energy/home/a/totals/${period}`), period);
  });

  it("remove nothing for a message of one site or system, for an empty list, or for a site without its systems", async () => {
    await mqtt.start();
    await mqtt.live();
    for (const payload of [[], { siteId: "other" }, { systemId: "z" }, [{ siteId: "home" }]])
      assert.deepEqual(await listForADay(payload), []);
    assert.deepEqual(await listForADay([{ siteId: "home", systems: [{ nameless: true }] }]), []);
    assert.deepEqual(mqtt.home.deviceIds(), [SITE, SYSTEM]);
  });
});
