// Tests for alerts in Home Assistant: an event for each change, and what is open now, for each site and the account.
import assert from "node:assert/strict";
import type { Publication } from "../../../src/mqtt/publications";
import { HOUR } from "../../../src/time-units";
import { FacetHome, NOW, topicsOf } from "../../support/facet-home";

const HOME = "energy__home";
const STATE = "energy/home/site/alerts/state";
const EVENT = "energy/home/site/alerts/event";
const CONFIG = "homeassistant/device/energy__home_alerts/config";
const HIGH = { id: "1", severity: "HIGH", siteId: "home", title: "Too hot" };
const LOW = { id: "2", severity: "LOW", siteId: "home" };

describe("alerts in Home Assistant", () => {
  let facets: FacetHome;

  beforeEach(() => {
    facets = new FacetHome();
  });

  const open = (id = HOME): unknown[] => {
    const { alerts_open, alerts_problem, alerts_severity } = facets.home.present(id);
    return [alerts_open, alerts_problem, alerts_severity];
  };
  const attributes = (): Record<string, unknown> => facets.home.attributes(HOME, "alerts_open");

  it("of a list: how many are open, whether any is, and the highest severity", () => {
    assert.deepEqual(topicsOf(facets.list([LOW, HIGH])), [CONFIG, STATE]);
    assert.deepEqual(open(), ["2", "ON", "HIGH"]);
    assert.deepEqual(attributes(), {
      asOf: new Date(NOW).toISOString(),
      alerts: [
        { alertKey: "1", severity: "HIGH", title: "Too hot" },
        { alertKey: "2", severity: "LOW" },
      ],
    });
    assert.deepEqual(topicsOf(facets.list([LOW])), [STATE]);
    assert.deepEqual(open(), ["1", "ON", "LOW"]);
    facets.list([], "home");
    assert.deepEqual(open(), ["0", "OFF", "none"]);
    assert.deepEqual(facets.home.states(HOME, "alerts_event"), []);
  });

  it("of an account replace those of every site, and of sites that have none so far", () => {
    facets.record("quiet", "a");
    facets.list([HIGH, { id: "3", severity: "NEW", siteId: "other" }]);
    assert.deepEqual(
      [open(), open("energy__other"), open("energy__quiet")],
      [
        ["1", "ON", "HIGH"],
        ["1", "ON", "OTHER"],
        ["0", "OFF", "none"],
      ],
    );
    facets.list([]);
    for (const id of [HOME, "energy__other"]) assert.deepEqual(open(id), ["0", "OFF", "none"]);
  });

  it("of a site replace those of no other site", () => {
    facets.list([HIGH, { ...LOW, siteId: "other" }]);
    facets.list([], "home");
    assert.deepEqual(
      [open(), open("energy__other")],
      [
        ["0", "OFF", "none"],
        ["1", "ON", "LOW"],
      ],
    );
  });

  it("that name no site belong to a device of the account", () => {
    const messages = facets.list([{ id: "1", severity: "LOW" }]);
    assert.deepEqual(topicsOf(messages), [
      "homeassistant/device/energy_alerts/config",
      "energy/alerts/state",
    ]);
    assert.equal(facets.home.device("energy").device.name, "Energy account");
    assert.deepEqual(open("energy"), ["1", "ON", "LOW"]);
    facets.list([]);
    assert.deepEqual(open("energy"), ["0", "OFF", "none"]);
    facets.change({ change: "raised", alertKey: "9" });
    facets.after(5000);
    assert.deepEqual(facets.home.attributes("energy", "alerts_event"), { alertKey: "9", severity: "LOW" });
  });

  it("of changes: an event for each, sent once, 5 s after a discovery, and what is open", () => {
    const raised = facets.change({ change: "raised", alertKey: "1", severity: "HIGH" }, HIGH, "home");
    assert.deepEqual(topicsOf(raised), [CONFIG, STATE]);
    assert.deepEqual(topicsOf(facets.after(5000)), [EVENT, STATE]);
    assert.deepEqual(facets.home.attributes(HOME, "alerts_event"), {
      alertKey: "1",
      severity: "HIGH",
      title: "Too hot",
      siteId: "home",
    });
    facets.change({ change: "raised", alertKey: "2" }, { systemId: "a", deviceId: "d" }, "home");
    assert.deepEqual(open(), ["2", "ON", "HIGH"]);
    facets.change({ change: "changed", alertKey: "1", severity: "MEDIUM" }, HIGH, "home");
    assert.deepEqual(open(), ["2", "ON", "MEDIUM"]);
    facets.change({ change: "cleared", alertKey: "1" }, HIGH, "home");
    facets.change({ change: "cleared", alertKey: "unknown" }, HIGH, "home");
    assert.deepEqual(open(), ["1", "ON", "LOW"]);
    facets.birth();
    facets.after(HOUR);
    const events = facets.home.states(HOME, "alerts_event");
    assert.deepEqual(events, ["raised", "raised", "changed", "cleared", "cleared"]);
  });

  it("of changes soon after a discovery keep their order", () => {
    facets.change({ change: "raised", alertKey: "1" }, HIGH, "home");
    facets.after(4000);
    assert.deepEqual(topicsOf(facets.change({ change: "cleared", alertKey: "1" }, HIGH, "home")), [STATE]);
    facets.after(1000);
    facets.after(4000);
    assert.deepEqual(facets.home.states(HOME, "alerts_event"), ["raised", "cleared"]);
  });

  it("of changes come soon, and in order, even if the clock is set back in the meantime", () => {
    facets.change({ change: "raised", alertKey: "1" }, HIGH, "home");
    facets.now -= 3 * HOUR;
    facets.change({ change: "raised", alertKey: "2" }, HIGH, "home");
    facets.after(5000);
    assert.deepEqual(facets.home.states(HOME, "alerts_event"), ["raised", "raised"]);
    assert.equal(facets.home.attributes(HOME, "alerts_event")["alertKey"], "2");
  });

  it("are retained in nothing but the discovery", () => {
    const messages = [
      ...facets.change({ change: "raised", alertKey: "1" }, HIGH, "home"),
      ...facets.list([HIGH]),
    ];
    const retained = messages.filter(({ retain }) => retain);
    assert.deepEqual(topicsOf(retained), [CONFIG]);
    assert.equal(messages[0]?.topic, "energy/availability");
  });

  it("repeat their state after 5 seconds, once, because Home Assistant takes a moment to subscribe", () => {
    facets.list([HIGH]);
    assert.equal(facets.publisher.nextDue(), NOW + 5000);
    assert.deepEqual(topicsOf(facets.after(4999)), []);
    assert.deepEqual(topicsOf(facets.after(1)), [STATE]);
    assert.equal(facets.publisher.nextDue(), undefined);
  });

  it("survive a restart, and are announced again when Home Assistant starts", () => {
    facets.change({ change: "raised", alertKey: "1", severity: "HIGH" }, HIGH, "home");
    facets.restart();
    assert.deepEqual(topicsOf(facets.birth()), [CONFIG, STATE]);
    assert.deepEqual(open(), ["1", "ON", "HIGH"]);
    assert.deepEqual(topicsOf(facets.after(5000)), [STATE]);
    facets.change({ change: "cleared", alertKey: "1" }, HIGH, "home");
    assert.deepEqual(open(), ["0", "OFF", "none"]);
  });

  it("are on the device of the site's readings, and follow its name", () => {
    facets.sites([{ siteId: "home", siteName: "Roof" }]);
    facets.list([HIGH]);
    facets.record("home", "a");
    assert.equal(facets.home.device(HOME).device.name, "Roof");
    assert.ok("stale" in facets.home.device(HOME).components);
    facets.sites([{ siteId: "home", siteName: "Barn" }], false);
    assert.equal(facets.home.device(HOME).device.name, "Barn");
    facets.restart();
    facets.birth();
    assert.equal(facets.home.device(HOME).device.name, "Barn");
    assert.deepEqual(topicsOf(facets.sites([{ siteId: "home", siteName: "Barn" }], false)), []);
  });

  /** The name of the site's device in a discovery message among these. */
  const namedIn = (messages: Publication[]): unknown => {
    const config = messages.find(({ topic }) => topic === CONFIG);
    return config && (JSON.parse(config.payload) as { device: { name: string } }).device.name;
  };

  it("have the name of the site's device from the first message on, also after a restart", () => {
    assert.equal(namedIn(facets.list([HIGH])), "home");
    facets.record("home", "a");
    facets.sites([{ siteId: "home", siteName: "Roof" }]);
    facets.restart();
    assert.equal(namedIn(facets.list([HIGH])), "Roof");
    facets = new FacetHome();
    facets.record("home", "a");
    facets.sites([{ siteId: "home", siteName: "Roof" }]);
    facets.restart();
    assert.equal(namedIn(facets.list([HIGH])), "Roof");
    facets = new FacetHome();
    facets.sites([{ siteId: "home", siteName: "Roof" }]);
    assert.equal(namedIn(facets.list([HIGH])), "Roof");
    facets.restart();
    assert.equal(namedIn(facets.list([HIGH])), "Roof");
  });

  it("are announced with their next message or with the start of Home Assistant, not with a list of sites", () => {
    facets.list([HIGH]);
    facets.restart();
    assert.deepEqual(facets.sites([{ siteId: "home" }]), []);
    assert.deepEqual(topicsOf(facets.list([HIGH])), [CONFIG, STATE]);
    assert.deepEqual(topicsOf(facets.birth()), [CONFIG, STATE]);
    assert.deepEqual(topicsOf(facets.birth()), [CONFIG, STATE]);
  });

  it("of a change that names its site only in the alert belong to that site", () => {
    facets.change({ change: "raised", alertKey: "1" }, HIGH);
    assert.deepEqual(open(), ["1", "ON", "LOW"]);
    facets.after(5000);
    assert.equal(facets.home.attributes(HOME, "alerts_event")["siteId"], "home");
  });

  it("leave the broker with their site, after a day and three lists without it", () => {
    facets.list([HIGH]);
    facets.list([{ id: "1" }]);
    const others = [{ siteId: "other" }];
    assert.deepEqual(facets.sites(others), []);
    facets.now += 23 * HOUR;
    assert.deepEqual(facets.sites(others), []);
    facets.list([]);
    facets.restart();
    facets.list([]);
    facets.now += HOUR;
    const removed = facets.sites(others);
    assert.deepEqual(removed, [{ topic: CONFIG, payload: "", retain: true }]);
    assert.deepEqual(facets.home.deviceIds(), ["energy"]);
    assert.equal([...facets.publisher.home.facets.keys()].join(), "energy_alerts");
    assert.deepEqual(topicsOf(facets.list([HIGH], "home")), [CONFIG, STATE]);
  });

  it("stay while a list, or an alert, shows that the site exists", () => {
    facets.list([HIGH]);
    for (const evidence of [() => facets.list([HIGH]), () => facets.sites([{ siteId: "home" }], false)]) {
      for (let lists = 0; lists < 2; lists++) {
        facets.sites([{ siteId: "other" }]);
        facets.now += 25 * HOUR;
      }
      evidence();
      facets.sites([{ siteId: "other" }]);
      assert.deepEqual(facets.home.deviceIds(), [HOME]);
      evidence();
    }
  });

  it("are bounded: 20 in the attributes, the most severe first, and texts that Home Assistant accepts", () => {
    const long = "\u{1f50b}".repeat(300);
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...LOW,
      id: `${index}${long}`,
      title: `x${long}`,
    }));
    const messages = [
      ...facets.list([...many, HIGH]),
      ...facets.change({ change: "raised", alertKey: long }, { title: `x${long}` }, "home"),
    ];
    for (const { payload } of messages.filter(({ topic }) => topic !== CONFIG)) {
      assert.ok(Buffer.byteLength(payload) <= 16_384 - 1000, `${Buffer.byteLength(payload)} bytes`);
      assert.doesNotMatch(payload, /\\ud[89a-f]/i);
    }
    const { alerts } = attributes() as { alerts: { alertKey: string; title?: string }[] };
    assert.equal(alerts[0]?.alertKey, "1");
    assert.ok(alerts.length > 5 && alerts.length <= 20);
    assert.ok(alerts.every(({ alertKey, title = "" }) => alertKey.length <= 255 && title.length <= 255));
    facets.list(Array.from({ length: 30 }, (_, id) => ({ ...LOW, id })));
    assert.equal((attributes()["alerts"] as object[]).length, 20);
    assert.equal(open()[0], "30");
  });

  it("have names in the language of the node", () => {
    facets = new FacetHome({ language: "de" });
    facets.list([HIGH]);
    assert.equal(facets.home.device(HOME).components["alerts_open"]?.name, "Offene Meldungen");
  });

  it("publish nothing without discovery", () => {
    facets = new FacetHome({ discovery: false });
    assert.deepEqual(facets.list([HIGH]), []);
    assert.deepEqual(facets.change({ change: "raised", alertKey: "1" }, HIGH, "home"), []);
    assert.deepEqual(facets.birth(), []);
  });
});
