// Tests for alerts in Home Assistant: an event for each change, and what is open now, for each site and the account.
import assert from "node:assert/strict";
import { MAX_SENT } from "../../../src/limits";
import type { Publication } from "../../../src/mqtt/publications";
import { HOUR } from "../../../src/time-units";
import { PublisherHome, NOW, topicsOf } from "../../support/publisher-home";

const HOME = "energy__home";
const STATE = "energy/home/site/alerts/state";
const EVENT = "energy/home/site/alerts/event";
const CONFIG = "homeassistant/device/energy__home/config";
const HIGH = { id: "1", severity: "HIGH", siteId: "home", title: "Too hot" };
const LOW = { id: "2", severity: "LOW", siteId: "home" };

describe("alerts in Home Assistant", () => {
  let mqtt: PublisherHome;

  beforeEach(() => {
    mqtt = new PublisherHome();
  });

  const open = (id = HOME): unknown[] => {
    const { alerts_open, alerts_problem, alerts_severity } = mqtt.home.present(id);
    return [alerts_open, alerts_problem, alerts_severity];
  };
  const attributes = (): Record<string, unknown> => mqtt.home.attributes(HOME, "alerts_open");

  it("of a list: how many are open, whether any is, and the highest severity", () => {
    assert.deepEqual(topicsOf(mqtt.list([LOW, HIGH])), [CONFIG, STATE]);
    assert.deepEqual(open(), ["2", "ON", "HIGH"]);
    assert.deepEqual(attributes(), {
      asOf: new Date(NOW).toISOString(),
      alerts: [
        { alertKey: "1", severity: "HIGH", title: "Too hot" },
        { alertKey: "2", severity: "LOW" },
      ],
    });
    assert.deepEqual(topicsOf(mqtt.list([LOW])), [STATE]);
    assert.deepEqual(open(), ["1", "ON", "LOW"]);
    mqtt.list([], "home");
    assert.deepEqual(open(), ["0", "OFF", "none"]);
    assert.deepEqual(mqtt.home.states(HOME, "alerts_event"), []);
  });

  it("of an account replace those of every site, and of sites that have none so far", () => {
    mqtt.record("quiet", "a");
    mqtt.list([HIGH, { id: "3", severity: "NEW", siteId: "other" }]);
    assert.deepEqual(
      [open(), open("energy__other"), open("energy__quiet")],
      [
        ["1", "ON", "HIGH"],
        ["1", "ON", "NEW"],
        ["0", "OFF", "none"],
      ],
    );
    mqtt.list([]);
    for (const id of [HOME, "energy__other"]) assert.deepEqual(open(id), ["0", "OFF", "none"]);
  });

  it("are remembered up to a limit: those that were raised last", () => {
    mqtt.list(Array.from({ length: MAX_SENT }, (_none, index) => ({ ...LOW, id: `${index}` })));
    mqtt.change({ change: "raised", alertKey: "last", severity: "HIGH" }, HIGH, "home");
    assert.deepEqual(open(), [String(MAX_SENT), "ON", "HIGH"]);
  });

  it("with a severity of the service's own rank above all others, because they may be worse", () => {
    mqtt.list([HIGH, { id: "3", severity: "Critical", siteId: "home" }]);
    assert.deepEqual(open(), ["2", "ON", "Critical"]);
    mqtt.list([{ id: "4", siteId: "home" }, LOW]);
    assert.deepEqual(open(), ["2", "ON", "OTHER"]);
  });

  it("of a site replace those of no other site", () => {
    mqtt.list([HIGH, { ...LOW, siteId: "other" }]);
    mqtt.list([], "home");
    assert.deepEqual(
      [open(), open("energy__other")],
      [
        ["0", "OFF", "none"],
        ["1", "ON", "LOW"],
      ],
    );
  });

  it("that name no site belong to a device of the account", () => {
    const messages = mqtt.list([{ id: "1", severity: "LOW" }]);
    assert.deepEqual(topicsOf(messages), ["homeassistant/device/energy/config", "energy/alerts/state"]);
    assert.equal(mqtt.home.device("energy").device.name, "Energy account");
    assert.deepEqual(open("energy"), ["1", "ON", "LOW"]);
    mqtt.list([]);
    assert.deepEqual(open("energy"), ["0", "OFF", "none"]);
    mqtt.change({ change: "raised", alertKey: "9" });
    mqtt.after(5000);
    assert.deepEqual(mqtt.home.attributes("energy", "alerts_event"), { alertKey: "9", severity: "LOW" });
  });

  it("of changes: an event for each, sent once, 5 s after a discovery, and what is open", () => {
    const raised = mqtt.change({ change: "raised", alertKey: "1", severity: "HIGH" }, HIGH, "home");
    assert.deepEqual(topicsOf(raised), [CONFIG, STATE]);
    assert.deepEqual(topicsOf(mqtt.after(5000)), [STATE, EVENT]);
    assert.deepEqual(mqtt.home.attributes(HOME, "alerts_event"), {
      alertKey: "1",
      severity: "HIGH",
      title: "Too hot",
      siteId: "home",
    });
    mqtt.change({ change: "raised", alertKey: "2" }, { systemId: "a", deviceId: "d" }, "home");
    assert.deepEqual(open(), ["2", "ON", "HIGH"]);
    mqtt.change({ change: "changed", alertKey: "1", severity: "MEDIUM" }, HIGH, "home");
    assert.deepEqual(open(), ["2", "ON", "MEDIUM"]);
    mqtt.change({ change: "cleared", alertKey: "1" }, HIGH, "home");
    mqtt.change({ change: "cleared", alertKey: "unknown" }, HIGH, "home");
    assert.deepEqual(open(), ["1", "ON", "LOW"]);
    // Two within a millisecond would have the same state.
    const events = (): unknown => mqtt.home.states(HOME, "alerts_event");
    assert.deepEqual(events(), ["raised"]);
    assert.deepEqual(topicsOf(mqtt.after(19)), []);
    assert.deepEqual(topicsOf(mqtt.after(1)), [EVENT]);
    assert.equal(mqtt.publisher.nextDue(), mqtt.now + 20);
    for (let time = 0; time < 3; time++) mqtt.after(20);
    assert.deepEqual(events(), ["raised", "raised", "changed", "cleared", "cleared"]);
    mqtt.after(HOUR);
    assert.deepEqual(events(), ["raised", "raised", "changed", "cleared", "cleared"]);
    // Home Assistant has just started: it would miss what comes at once.
    mqtt.birth();
    assert.deepEqual(topicsOf(mqtt.change({ change: "raised", alertKey: "3" }, {}, "home")), [STATE]);
    mqtt.after(5000);
    assert.deepEqual(events(), ["raised", "raised", "changed", "cleared", "cleared", "raised"]);
  });

  it("of changes wait for Home Assistant to subscribe, whatever has changed the device, or started it", () => {
    mqtt.list([HIGH]);
    assert.deepEqual(topicsOf(mqtt.change({ change: "changed", alertKey: "1" }, HIGH, "home")), [STATE]);
    assert.deepEqual(topicsOf(mqtt.after(5000)), [STATE, EVENT]);
  });

  it("of changes soon after a discovery keep their order", () => {
    mqtt.change({ change: "raised", alertKey: "1" }, HIGH, "home");
    mqtt.after(4000);
    assert.deepEqual(topicsOf(mqtt.change({ change: "cleared", alertKey: "1" }, HIGH, "home")), [STATE]);
    mqtt.after(1000);
    mqtt.after(4000);
    assert.deepEqual(mqtt.home.states(HOME, "alerts_event"), ["raised", "cleared"]);
  });

  it("of changes come soon, and in order, even if the clock is set back in the meantime", () => {
    mqtt.change({ change: "raised", alertKey: "1" }, HIGH, "home");
    mqtt.now -= 3 * HOUR;
    mqtt.change({ change: "raised", alertKey: "2" }, HIGH, "home");
    mqtt.after(5000);
    assert.deepEqual(mqtt.home.states(HOME, "alerts_event"), ["raised", "raised"]);
    assert.equal(mqtt.home.attributes(HOME, "alerts_event")["alertKey"], "2");
  });

  it("are retained in nothing but the discovery", () => {
    const messages = [
      ...mqtt.change({ change: "raised", alertKey: "1" }, HIGH, "home"),
      ...mqtt.list([HIGH]),
    ];
    const retained = messages.filter(({ retain }) => retain);
    assert.deepEqual(topicsOf(retained), [CONFIG]);
    assert.equal(messages[0]?.topic, "energy/availability");
  });

  it("repeat their state after 5 seconds, once, because Home Assistant takes a moment to subscribe", () => {
    mqtt.list([HIGH]);
    assert.equal(mqtt.publisher.nextDue(), NOW + 5000);
    assert.deepEqual(topicsOf(mqtt.after(4999)), []);
    assert.deepEqual(topicsOf(mqtt.after(1)), [STATE]);
    assert.equal(mqtt.publisher.nextDue(), Number.POSITIVE_INFINITY);
  });

  it("survive a restart, and are announced again when Home Assistant starts", () => {
    mqtt.change({ change: "raised", alertKey: "1", severity: "HIGH" }, HIGH, "home");
    mqtt.restart();
    assert.deepEqual(topicsOf(mqtt.birth()), [CONFIG, STATE]);
    assert.deepEqual(open(), ["1", "ON", "HIGH"]);
    assert.deepEqual(topicsOf(mqtt.after(5000)), [STATE]);
    mqtt.change({ change: "cleared", alertKey: "1" }, HIGH, "home");
    assert.deepEqual(open(), ["0", "OFF", "none"]);
  });

  it("are on the device of the site's readings, and follow its name", () => {
    mqtt.sites([{ siteId: "home", siteName: "Roof" }]);
    mqtt.list([HIGH]);
    mqtt.record("home", "a");
    assert.equal(mqtt.home.device(HOME).device.name, "Roof");
    assert.ok("stale" in mqtt.home.device(HOME).components);
    mqtt.sites([{ siteId: "home", siteName: "Barn" }], false);
    assert.equal(mqtt.home.device(HOME).device.name, "Barn");
    mqtt.restart();
    mqtt.birth();
    assert.equal(mqtt.home.device(HOME).device.name, "Barn");
    assert.deepEqual(topicsOf(mqtt.sites([{ siteId: "home", siteName: "Barn" }], false)), []);
  });

  /** The name of the site's device in a discovery message among these. */
  const namedIn = (messages: Publication[]): unknown => {
    const config = messages.find(({ topic }) => topic === CONFIG);
    return config && (JSON.parse(config.payload) as { device: { name: string } }).device.name;
  };

  it("have the name of the site's device from the first message on, also after a restart", () => {
    assert.equal(namedIn(mqtt.list([HIGH])), "home");
    mqtt.record("home", "a");
    mqtt.sites([{ siteId: "home", siteName: "Roof" }]);
    mqtt.restart();
    assert.equal(namedIn(mqtt.list([HIGH])), "Roof");
    mqtt = new PublisherHome();
    mqtt.record("home", "a");
    mqtt.sites([{ siteId: "home", siteName: "Roof" }]);
    mqtt.restart();
    assert.equal(namedIn(mqtt.list([HIGH])), "Roof");
    mqtt = new PublisherHome();
    mqtt.sites([{ siteId: "home", siteName: "Roof" }]);
    assert.equal(namedIn(mqtt.list([HIGH])), "Roof");
    mqtt.restart();
    assert.equal(namedIn(mqtt.list([HIGH])), "Roof");
  });

  it("are announced with their next message or with the start of Home Assistant, not with a list of sites", () => {
    mqtt.list([HIGH]);
    mqtt.restart();
    assert.deepEqual(mqtt.sites([{ siteId: "home" }]), []);
    assert.deepEqual(topicsOf(mqtt.list([HIGH])), [CONFIG, STATE]);
    assert.deepEqual(topicsOf(mqtt.birth()), [CONFIG, STATE]);
    mqtt.now += 10_000;
    assert.deepEqual(topicsOf(mqtt.birth()), [CONFIG, STATE]);
  });

  it("of a change that names its site only in the alert belong to that site", () => {
    mqtt.change({ change: "raised", alertKey: "1" }, HIGH);
    assert.deepEqual(open(), ["1", "ON", "LOW"]);
    mqtt.after(5000);
    assert.equal(mqtt.home.attributes(HOME, "alerts_event")["siteId"], "home");
  });

  it("leave the broker with their site, after a day and three lists without it", () => {
    mqtt.list([HIGH]);
    mqtt.list([{ id: "1" }]);
    const others = [{ siteId: "other" }];
    assert.deepEqual(mqtt.sites(others), []);
    mqtt.now += 23 * HOUR;
    assert.deepEqual(mqtt.sites(others), []);
    mqtt.list([]);
    mqtt.restart();
    mqtt.list([]);
    mqtt.now += HOUR;
    const removed = mqtt.sites(others);
    assert.deepEqual(removed, [{ topic: CONFIG, payload: "", retain: true }]);
    assert.deepEqual(mqtt.home.deviceIds(), ["energy"]);
    assert.equal([...mqtt.publisher.devices.keys()].join(), "energy");
    assert.deepEqual(topicsOf(mqtt.list([HIGH], "home")), [CONFIG, STATE]);
  });

  it("belong to the account if their site is not a valid id", () => {
    mqtt.list(["", 5, "\ud800"].map((siteId, id) => ({ ...LOW, id, siteId })));
    assert.deepEqual(mqtt.home.deviceIds(), ["energy"]);
  });

  it("stay while a list, or an alert, shows that the site exists", () => {
    mqtt.list([HIGH]);
    for (const evidence of [() => mqtt.list([HIGH]), () => mqtt.sites([{ siteId: "home" }], false)]) {
      for (let lists = 0; lists < 2; lists++) {
        mqtt.sites([{ siteId: "other" }]);
        mqtt.now += 25 * HOUR;
      }
      evidence();
      mqtt.sites([{ siteId: "other" }]);
      assert.deepEqual(mqtt.home.deviceIds(), [HOME]);
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
      ...mqtt.list([...many, HIGH]),
      ...mqtt.change({ change: "raised", alertKey: long }, { title: `x${long}` }, "home"),
    ];
    for (const { payload } of messages.filter(({ topic }) => topic !== CONFIG)) {
      assert.ok(Buffer.byteLength(payload) <= 16_384 - 1000, `${Buffer.byteLength(payload)} bytes`);
      assert.doesNotMatch(payload, /\\ud[89a-f]/i);
    }
    const { alerts } = attributes() as { alerts: { alertKey: string; title?: string }[] };
    assert.equal(alerts[0]?.alertKey, "1");
    assert.ok(alerts.length > 5 && alerts.length <= 20);
    assert.ok(alerts.every(({ alertKey, title = "" }) => alertKey.length <= 255 && title.length <= 255));
    mqtt.list(Array.from({ length: 30 }, (_, id) => ({ ...LOW, id })));
    assert.equal((attributes()["alerts"] as object[]).length, 20);
    assert.equal(open()[0], "30");
  });

  it("have names in the language of the node", () => {
    mqtt = new PublisherHome({ language: "de" });
    mqtt.list([HIGH]);
    assert.equal(mqtt.home.device(HOME).components["alerts_open"]?.name, "Offene Meldungen");
  });

  it("publish nothing without discovery", () => {
    mqtt = new PublisherHome({ discovery: false });
    assert.deepEqual(mqtt.list([HIGH]), []);
    assert.deepEqual(mqtt.change({ change: "raised", alertKey: "1" }, HIGH, "home"), []);
    assert.deepEqual(mqtt.birth(), []);
  });
});
