// What the dialogs accept and what they refuse.
import assert from "node:assert/strict";
import { check, definitionOf, loadSet, verdict } from "./editor-set";

const account = loadSet("account");
const telemetryPoll = loadSet("telemetry-poll");
const siteInfo = loadSet("site-info");
const latestValue = loadSet("latest-value");
const rgmRead = loadSet("rgm-read");
const history = loadSet("history");
const alerts = loadSet("alerts");
const threshold = loadSet("threshold");
const mqtt = loadSet("mqtt");

describe("validators of the dialogs", () => {
  it("accepts https, and http to this machine only", () => {
    const live = { service: "live" };
    const good = [
      "https://service.example",
      "https://service.example:8443/api/",
      "http://localhost:8080",
      "http://127.0.0.1:1",
      "http://127.9.9.9/x",
      "http://[::1]:8080",
      "https://${HOST}/v2",
    ];
    const bad = [
      "",
      "  ",
      undefined,
      "service.example",
      "http://service.example",
      "http://localhost.example",
      "http://127.0.0.1.example",
      "ftp://service.example",
      "javascript:alert(1)",
      "https://user:secret@service.example",
      "https://service.example?a=1",
      "https://service.example#a",
    ];
    for (const url of good) assert.equal(check(account, "baseUrl", url, live), true, url);
    for (const url of bad) assert.equal(check(account, "baseUrl", url, live), false, String(url));
  });

  it("asks the demo for neither address nor credentials", () => {
    for (const property of ["baseUrl", "clientId", "clientSecret"]) {
      assert.equal(check(account, property, "", { service: "demo" }), true, property);
      assert.equal(check(account, property, "", { service: "live" }), false, property);
    }
    assert.equal(check(account, "clientSecret", "__PWRD__", { service: "live" }), true);
  });

  it("accepts numbers within their range, as numbers and as text, and nothing else", () => {
    const good: [string, unknown][] = [
      ["repeat", 0],
      ["repeat", "0.5"],
      ["repeat", 10_080],
      ["maxAge", 1],
      ["gapHours", "72"],
      ["lookBack", 0],
      ["maxUnconfirmed", 10_000],
      ["repeat", undefined],
    ];
    const bad: [string, unknown][] = [
      ["repeat", -1],
      ["repeat", ""],
      ["repeat", " "],
      ["repeat", "five"],
      ["repeat", "1,5"],
      ["repeat", 10_081],
      ["repeat", Number.NaN],
      ["repeat", true],
      ["repeat", null],
      ["maxAge", 0],
      ["gapHours", 0],
      ["lookBack", 1441],
      ["confirmTimeout", 0],
      ["maxUnconfirmed", 10_001],
    ];
    for (const [property, value] of good)
      assert.equal(check(telemetryPoll, property, value), true, `${property} ${String(value)}`);
    for (const [property, value] of bad)
      assert.equal(check(telemetryPoll, property, value), false, `${property} ${String(value)}`);
    assert.equal(check(account, "timeout", 0), false);
    assert.equal(check(account, "concurrency", 0), false);
    assert.equal(check(account, "requestsPerMinute", 0), true);
  });

  it("leaves the site to the message only where there is one", () => {
    const byMessage = { siteIdType: "str", repeat: 0, onDeploy: false };
    assert.equal(check(telemetryPoll, "siteId", "", byMessage), true);
    assert.equal(check(telemetryPoll, "siteId", "", { ...byMessage, repeat: 5 }), false);
    assert.equal(check(telemetryPoll, "siteId", "", { ...byMessage, onDeploy: true }), false);
    assert.equal(
      check(telemetryPoll, "siteId", "site", { ...byMessage, siteIdType: "msg", repeat: "5" }),
      false,
    );
    assert.equal(
      check(telemetryPoll, "siteId", "site", { ...byMessage, siteIdType: "flow", repeat: 5 }),
      true,
    );
    assert.equal(check(telemetryPoll, "siteId", "", { ...byMessage, siteIdType: "flow" }), false);
    assert.equal(check(telemetryPoll, "siteId", "a b[", { ...byMessage, siteIdType: "msg" }), false);
  });

  it("says that * works only where it does", () => {
    const scheduled = { siteIdType: "str", repeat: 5, scope: "site" };
    assert.match(String(verdict(telemetryPoll, "siteId", "", scheduled)), /:validator\.scheduledSite$/);
    for (const set of [siteInfo, alerts])
      assert.match(String(verdict(set, "siteId", "", scheduled)), /:validator\.scheduledOneSite$/);
  });

  it("lets a range of rgm read take its site from the message, whatever the hidden schedule says", () => {
    const scheduled = { siteIdType: "str", repeat: 5, onDeploy: true };
    assert.equal(check(rgmRead, "siteId", "", { ...scheduled, mode: "range" }), true);
    assert.equal(check(rgmRead, "siteId", "", { ...scheduled, mode: "new" }), false);
  });

  it("takes * for all sites only where all sites can be read", () => {
    const text = { siteIdType: "str", repeat: 5 };
    assert.equal(check(telemetryPoll, "siteId", "*", text), true);
    assert.equal(check(siteInfo, "siteId", "*", text), false);
    assert.equal(check(alerts, "siteId", "*", { ...text, scope: "site" }), false);
    assert.equal(check(history, "siteId", "*", text), false);
    assert.equal(check(telemetryPoll, "systemId", "*", { systemIdType: "str" }), true);
    assert.equal(check(history, "systemId", "*", { systemIdType: "str" }), false);
    assert.equal(check(history, "systemId", "", { systemIdType: "str" }), true);
    assert.equal(check(telemetryPoll, "systemId", "", { systemIdType: "env" }), false);
  });

  it("asks for no site where alerts are those of the account", () => {
    const scheduled = { siteIdType: "str", repeat: 5 };
    assert.equal(check(alerts, "siteId", "", { ...scheduled, scope: "account" }), true);
    assert.equal(check(alerts, "siteId", "", { ...scheduled, scope: "site" }), false);
  });

  it("accepts a path or none, and header names only", () => {
    assert.equal(check(latestValue, "path", ""), true);
    assert.equal(check(latestValue, "path", "storage.stateOfCharge"), true);
    assert.equal(check(latestValue, "path", "storage..x["), false);
    assert.equal(check(account, "versionHeader", "VendorApi-Version"), true);
    for (const name of ["", "Vendor Version", "a:b", "a\nb"]) {
      assert.equal(check(account, "versionHeader", name, { service: "live" }), false, name);
      assert.equal(check(account, "versionHeader", name, { service: "demo" }), true, name);
    }
  });

  it("accepts two limits of which the lower one is below the upper one", () => {
    assert.equal(check(threshold, "high", 60, { low: 20 }), true);
    assert.equal(check(threshold, "low", "-20.5", { high: "60" }), true);
    assert.equal(check(threshold, "high", 60, { low: "${LOW}" }), true);
    for (const high of ["", " ", "many", null, Number.NaN]) {
      assert.equal(check(threshold, "high", high, { low: 20 }), false, String(high));
    }
    for (const low of [60, "61"]) {
      assert.equal(check(threshold, "low", low, { high: 60 }), false);
      assert.equal(check(threshold, "high", 60, { low }), false);
    }
    assert.equal(check(threshold, "hold", 0.5), true);
    assert.equal(check(threshold, "maxAge", 0), true);
    assert.equal(check(threshold, "property", "", { propertyType: "msg" }), false);
    assert.equal(check(threshold, "property", "payload.soc", { propertyType: "msg" }), true);
  });

  it("accepts topics that others can be made under, and hides what discovery does not need", () => {
    for (const prefix of ["energy", "home/energy", "${HOUSE}/energy", undefined])
      assert.equal(check(mqtt, "prefix", prefix), true, prefix);
    for (const prefix of ["", "energy/#", "+/energy", "energy/", "/energy", "a//b", "$SYS", "a\nb", null])
      assert.equal(check(mqtt, "prefix", prefix), false, String(prefix));
    for (const discovery of [true, false]) {
      assert.equal(check(mqtt, "discoveryPrefix", "#", { discovery }), !discovery);
      assert.equal(check(mqtt, "expireAfter", 0, { discovery }), !discovery);
    }
    assert.equal(check(mqtt, "qos", 3), false);
  });

  it("tells the editor by two parameters that it answers with a text", () => {
    for (const set of [
      account,
      telemetryPoll,
      siteInfo,
      latestValue,
      rgmRead,
      history,
      alerts,
      threshold,
      mqtt,
    ]) {
      const { defaults, credentials } = definitionOf(set);
      for (const [property, { validate }] of Object.entries({ ...defaults, ...credentials })) {
        if (validate) assert.equal(validate.length, 2, property);
      }
    }
  });
});
