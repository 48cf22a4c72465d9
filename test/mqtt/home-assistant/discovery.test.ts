// Tests for discovery: Home Assistant accepts it, and names and topics distinguish systems, series, and AC from DC.
import assert from "node:assert/strict";
import { deviceId, type Profile } from "../../../src/mqtt/home-assistant/device";
import { discoveryMessage } from "../../../src/mqtt/home-assistant/discovery";
import { type NameKey, NAMES } from "../../../src/mqtt/home-assistant/entities";
import { READINGS } from "../../../src/mqtt/home-assistant/readings";
import type { Language, Publication } from "../../../src/mqtt/publications";
import { type Discovery, discoveryFaults } from "../../support/discovery-schema";
import { createPublisher, incoming, NOW } from "../../support/publisher";
import { PUBLISH_RULE } from "../../support/publish-rule";

const SYSTEM: Profile = {
  siteId: "home",
  systemId: "a",
  entities: [
    "stale",
    "telemetry_endTime",
    "grid_power",
    "storage_power",
    "storage_stateOfCharge",
    "rgm_power",
  ],
  basis: { grid: "ac", storage: "ac" },
  units: {},
};
const ALL = READINGS.map(({ key }) => key);

const config = (profile: Profile, rule = PUBLISH_RULE): Publication =>
  discoveryMessage(rule, { id: deviceId(rule.prefix, profile), profile });
const discovery = (profile: Profile, rule = PUBLISH_RULE): Discovery =>
  JSON.parse(config(profile, rule).payload) as Discovery;
const names = (profile: Profile): Record<string, string> =>
  Object.fromEntries(
    Object.entries(discovery(profile).components).map(([key, component]) => [key, component.name]),
  );

describe("discovery", () => {
  it("is accepted by Home Assistant with every entity", () => {
    const profile = { ...SYSTEM, entities: ALL };
    const payload = JSON.stringify(discovery(profile));
    assert.deepEqual(discoveryFaults(config(profile).topic, payload), []);
  });

  it("links a system to its site, and names it after the site's id until the site has a name", () => {
    assert.deepEqual(discovery({ ...SYSTEM, parentId: "energy__home" }).device, {
      identifiers: ["energy__home__a"],
      name: "home a",
      via_device: "energy__home",
      serial_number: "a",
    });
    const site = { siteId: "home", siteName: "Roof", entities: ["stale"], basis: {}, units: {} };
    assert.deepEqual(discovery(site).device, { identifiers: ["energy__home"], name: "Roof" });
  });

  it("tells the systems of a site apart, however long the names are", () => {
    for (const siteName of ["x".repeat(97), "x".repeat(100)])
      for (const systemName of ["roof", "s".repeat(40)]) {
        const [one, other] = ["1", "2"].map(
          (end) => discovery({ ...SYSTEM, siteName, systemName: systemName + end }).device.name,
        );
        assert.notEqual(one, other);
        assert.ok(String(one).length <= 100, one);
      }
  });

  it("includes the time of each series of the device, and only known entities", () => {
    assert.deepEqual(
      names({ ...SYSTEM, entities: ["rgm_power", "rgm_endTime", "stale", "from_another_version"] }),
      {
        stale: "Data stale",
        rgm_endTime: "Revenue meter data as of",
        rgm_power: "Revenue meter power AC",
      },
    );
    assert.equal(names(SYSTEM)["telemetry_endTime"], "Data as of");
  });

  it("is called by the names that its records bring, until a site list has another", () => {
    const publisher = createPublisher();
    const named = (messages: Publication[]): string[] =>
      messages
        .filter(({ topic }) => topic.endsWith("/config"))
        .map(({ payload }) => (JSON.parse(payload) as Discovery).device.name);
    const energy = { siteName: "Demo house\n", systemName: "Roof" };
    assert.deepEqual(named(publisher.publish(incoming(NOW, { energy }), NOW)), [
      "Demo house",
      "Demo house Roof",
    ]);
    const sites = [{ siteId: "home", siteName: "My house", systems: [{ systemId: "a" }] }];
    assert.deepEqual(named(publisher.updateSites(sites, true, NOW)), ["My house", "My house Roof"]);
    assert.deepEqual(named(publisher.publish(incoming(NOW + 1, { energy }), NOW + 1)), []);
    const odd = { siteName: 7, systemName: "" };
    assert.deepEqual(named(createPublisher().publish(incoming(NOW, { energy: odd }), NOW)), [
      "home",
      "home a",
    ]);
  });

  it("says which model a system is, where the site list has said so", () => {
    const { device } = discovery({ ...SYSTEM, model: "PC2", inverterType: "VENDOR" });
    assert.deepEqual([device["model"], device["model_id"]], ["PC2", "VENDOR"]);
  });

  it("has readable entity ids, and unique ids that never change", () => {
    const { components } = discovery({ ...SYSTEM, entities: ["storage_lifetimeDischargeEnergy"] });
    const component = components["storage_lifetimeDischargeEnergy"];
    assert.equal(component?.unique_id, "energy__home__a_storage_lifetimeDischargeEnergy");
    assert.equal(component.default_entity_id, "sensor.energy_home_a_storage_lifetime_discharge_energy");
  });

  it("has entity ids that Home Assistant can store, also for ids of 255 characters", () => {
    const id = "é/+#x y".repeat(37).slice(0, 255);
    const components = ["one", "other"].flatMap((last) =>
      Object.values(discovery({ ...SYSTEM, siteId: id, systemId: id.slice(0, 200) + last }).components),
    );
    const ids = components.map(({ default_entity_id }) => default_entity_id);
    assert.deepEqual(
      ids.filter((one) => one.length > 255 || !/^[a-z_]+\.[a-z0-9]+(_[a-z0-9]+)*$/.test(one)),
      [],
    );
    assert.equal(new Set(ids).size, ids.length);
  });

  it("keeps the time of the last record off dashboards that Home Assistant makes by itself", () => {
    const { components } = discovery(SYSTEM);
    assert.equal(components["telemetry_endTime"]?.["visible_by_default"], false);
    assert.equal(components["grid_power"]?.["visible_by_default"], undefined);
  });

  it("has names in the language of the node", () => {
    const { components } = discovery(SYSTEM, { ...PUBLISH_RULE, language: "de" });
    assert.deepEqual(
      [components["grid_power"]?.name, components["stale"]?.name],
      ["Netzleistung", "Daten veraltet"],
    );
  });

  for (const language of Object.keys(NAMES) as Language[]) {
    it(`has a short name of its own for each entity of a system (${language})`, () => {
      const profile = { ...SYSTEM, entities: ALL, basis: {} };
      const { components } = discovery(profile, { ...PUBLISH_RULE, language });
      const shown = Object.values(components).map(({ name }) => name);
      assert.equal(new Set(shown).size, shown.length);
      assert.deepEqual(
        shown.filter((name) => name.length > 45 || /^\p{Ll}|^$|^\s|\s$|\.$/u.test(name)),
        [],
      );
    });
  }

  it("leaves no name in English in any other language, but those that are the same there", () => {
    const same = Object.entries(NAMES)
      .filter(([language]) => language !== "en")
      .flatMap(([language, translated]) =>
        Object.entries(translated).flatMap(([key, name]) =>
          // The order of its words.
          key !== "totals_name" && name === NAMES.en[key as NameKey] ? [`${language}: ${name}`] : [],
        ),
      );
    assert.deepEqual(same, ["de: Gateway", "fr: Modules"]);
  });

  it("names AC or DC if a system has both, but not for percentages", () => {
    assert.deepEqual(
      [names(SYSTEM)["grid_power"], names(SYSTEM)["storage_power"]],
      ["Grid power", "Battery power"],
    );
    const mixed = names({ ...SYSTEM, basis: { grid: "ac", storage: "dc" } });
    assert.deepEqual(
      [mixed["grid_power"], mixed["storage_power"], mixed["storage_stateOfCharge"]],
      ["Grid power AC", "Battery power DC", "Battery state of charge"],
    );
  });

  it("expires after whole seconds; the stale sensor after twice as long, available while anything is published", () => {
    const { components } = discovery(SYSTEM, { ...PUBLISH_RULE, expireAfter: 900_500, qos: 0 });
    assert.equal(components["grid_power"]?.["expire_after"], 901);
    assert.deepEqual(
      [components["stale"]?.["expire_after"], components["stale"]?.["availability"]],
      [1802, [{ topic: "energy/availability" }]],
    );
    assert.ok(Object.values(components).every((component) => component["qos"] === 0));
  });

  it("uses the prefixes of the node for its topics", () => {
    const rule = { ...PUBLISH_RULE, prefix: "my/power", discoveryPrefix: "ha/test" };
    assert.equal(config(SYSTEM, rule).topic, "ha/test/device/my_2fpower__home__a/config");
    const { availability, components } = discovery(SYSTEM, rule);
    assert.deepEqual(availability, [
      { topic: "my/power/availability" },
      { topic: "my/power/home/a/availability" },
    ]);
    assert.equal(components["rgm_power"]?.state_topic, "my/power/home/a/state/rgm");
  });
});
