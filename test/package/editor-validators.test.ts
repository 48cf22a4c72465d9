// Tests what the dialogs accept and reject.
import assert from "node:assert/strict";
import { check, definitionOf, loadSet, validationResult } from "./editor-set";

const account = loadSet("account");
const telemetryPoll = loadSet("telemetry-poll");
const siteInfo = loadSet("site-info");
const latestValue = loadSet("latest-value");
const rgmRead = loadSet("rgm-read");
const history = loadSet("history");
const alerts = loadSet("alerts");
const totals = loadSet("totals");
const threshold = loadSet("threshold");
const mqtt = loadSet("mqtt");

describe("validators of the dialogs", () => {
  it("show no value as markup: the sidebar of Node-RED shows the errors of an account as HTML", () => {
    const fill = (key: string, values: object = {}): string => `${key} ${Object.values(values).join(" ")}`;
    const translated = loadSet("account", undefined, fill);
    const evil = "<img src=x onerror=alert(1)>";
    for (const [property, value] of Object.entries({ service: evil, timeout: evil, versionHeader: evil })) {
      const text = String(
        validationResult(translated, property, value, { service: "live", [property]: value }),
      );
      assert.doesNotMatch(text, /</, property);
    }
    const long = String(validationResult(translated, "service", "x".repeat(100_000)));
    assert.ok(long.length < 500, `${long.length} characters`);
  });

  it("leave environment variables to the runtime", () => {
    const live = { service: "live" };
    for (const url of ["${BASE}", "https://${HOST}/v2", "${BASE}/api"])
      assert.equal(check(account, "baseUrl", url, live), true, url);
    assert.equal(check(account, "timeout", "${SECONDS}", live), true);
    assert.equal(check(mqtt, "prefix", "${HOUSE}/energy"), true);
  });

  it("require neither a base URL nor credentials in demo mode", () => {
    for (const property of ["baseUrl", "clientId", "clientSecret"]) {
      assert.equal(check(account, property, "", { service: "demo" }), true, property);
      assert.equal(check(account, property, "", { service: "live" }), false, property);
    }
    assert.equal(check(account, "clientSecret", "__PWRD__", { service: "live" }), true);
  });

  it("leave the site to the message only if a message triggers the run", () => {
    const byMessage = { siteIdType: "str", repeat: 0, onDeploy: false };
    assert.equal(check(telemetryPoll, "siteId", "", byMessage), true);
    assert.equal(check(telemetryPoll, "siteId", "", { ...byMessage, repeat: 5 }), false);
    // The node then uses its default.
    assert.equal(check(telemetryPoll, "siteId", "", { ...byMessage, repeat: "" }), false);
    assert.equal(check(siteInfo, "siteId", "", { ...byMessage, repeat: "" }), true);
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

  it("suggest * only where it is supported", () => {
    const scheduled = { siteIdType: "str", repeat: 5, scope: "site" };
    assert.match(
      String(validationResult(telemetryPoll, "siteId", "", scheduled)),
      /:validator\.scheduledSite$/,
    );
    for (const set of [siteInfo, alerts])
      assert.match(String(validationResult(set, "siteId", "", scheduled)), /:validator\.scheduledOneSite$/);
  });

  it("let rgm read and totals take the site of a range from the message, whatever the hidden schedule says", () => {
    const scheduled = { siteIdType: "str", repeat: 5, onDeploy: true };
    assert.equal(check(totals, "siteId", "", { ...scheduled, period: "message" }), true);
    assert.equal(check(totals, "siteId", "", { ...scheduled, period: "today" }), false);
    assert.equal(check(rgmRead, "siteId", "", { ...scheduled, mode: "range" }), true);
    assert.equal(check(rgmRead, "siteId", "", { ...scheduled, mode: "new" }), false);
  });

  it("accept no * where a message brings the ledger of one system", () => {
    const byMessage = { repeat: 0, onDeploy: false };
    const carried = { siteIdType: "str", systemIdType: "str", store: "message", ...byMessage };
    for (const property of ["siteId", "systemId"]) {
      assert.equal(check(telemetryPoll, property, "*", carried), false, property);
      assert.equal(check(telemetryPoll, property, "", carried), true, property);
      assert.equal(check(rgmRead, property, "*", { ...carried, mode: "new" }), false, property);
      assert.equal(check(rgmRead, property, "*", { ...carried, mode: "latest" }), true, property);
    }
  });

  it("accept * for all sites only where all sites can be read", () => {
    const text = { siteIdType: "str", repeat: 5 };
    assert.equal(check(telemetryPoll, "siteId", "*", text), true);
    assert.equal(check(siteInfo, "siteId", "*", text), false);
    assert.equal(check(alerts, "siteId", "*", { ...text, scope: "site" }), false);
    assert.equal(check(history, "siteId", "*", text), true);
    assert.equal(check(telemetryPoll, "systemId", "*", { systemIdType: "str" }), true);
    assert.equal(check(history, "systemId", "*", { systemIdType: "str" }), true);
    assert.equal(check(history, "systemId", "", { systemIdType: "str" }), true);
    assert.equal(check(telemetryPoll, "systemId", "", { systemIdType: "env" }), false);
  });

  it("require all systems where all sites are read", () => {
    const all = { siteId: "*", siteIdType: "str", systemIdType: "str" };
    for (const set of [telemetryPoll, history, rgmRead]) {
      assert.match(String(validationResult(set, "systemId", "", all)), /:validator\.allSystems$/);
      assert.equal(check(set, "systemId", "*", all), true);
      assert.equal(check(set, "systemId", "", { ...all, siteId: "demo-twin" }), true);
      assert.equal(check(set, "systemId", "systemId", { ...all, systemIdType: "msg" }), true);
    }
  });

  it("require no site for the alerts of the account", () => {
    const scheduled = { siteIdType: "str", repeat: 5 };
    assert.equal(check(alerts, "siteId", "", { ...scheduled, scope: "account" }), true);
    assert.equal(check(alerts, "siteId", "", { ...scheduled, scope: "site" }), false);
  });

  it("accept a path or none", () => {
    assert.equal(check(latestValue, "path", ""), true);
    assert.equal(check(latestValue, "path", "storage.stateOfCharge"), true);
    assert.equal(check(latestValue, "path", "storage..x["), false);
  });

  it("accept a limit while the other one is unknown", () => {
    assert.equal(check(threshold, "high", 60, { low: "${LOW}" }), true);
    assert.equal(check(threshold, "low", 60, { high: "" }), true);
  });

  it("accept a readable price, or none", () => {
    for (const property of ["importPrice", "exportPrice"]) {
      const isAccepted = (value: unknown, type: string): boolean =>
        check(totals, property, value, { [`${property}Type`]: type });
      for (const type of ["num", "msg", "jsonata", "prices"]) assert.equal(isAccepted("", type), true, type);
      assert.equal(isAccepted(" 0.3 ", "num"), true);
      assert.equal(isAccepted("tariff.price", "msg"), true);
      assert.equal(isAccepted("a b[", "msg"), false);
      assert.equal(isAccepted("$hour < ", "jsonata"), false);
    }
  });

  it("accept a readable threshold value", () => {
    assert.equal(check(threshold, "property", "payload.soc", { propertyType: "msg" }), true);
    assert.equal(check(threshold, "property", "payload..soc[", { propertyType: "msg" }), false);
  });

  it("have two parameters, so that the editor accepts a text as the result", () => {
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
