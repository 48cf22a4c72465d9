// Tests for the settings in a report: what helps is shown, and what may identify someone is not.
import assert from "node:assert/strict";
import { hashWith, settingLines } from "../../src/diagnostics/privacy";
import { SETTINGS } from "../support/settings";

const hash = hashWith("a key");

function shown(name: keyof typeof SETTINGS, stored: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(settingLines(SETTINGS[name], stored, hash));
}

describe("the settings in a report", () => {
  it("leave out what has its default, and show numbers and choices that differ", () => {
    const stored = { account: "a1", siteId: "*", repeat: "15", onDeploy: true, maxAge: 15, output: "batch" };
    assert.deepEqual(shown("telemetry-poll", { ...stored, lookBack: "often" }), {
      account: `set (${hash("a1")})`,
      siteId: "*",
      repeat: "15",
      output: "batch",
      maxAge: "15",
      lookBack: `not valid (5 characters, ${hash("often")})`,
    });
  });

  it("hash site and system, so that errors about the same site can be recognized", () => {
    const { siteId, systemId } = shown("site-info", { siteId: " S-1 ", systemId: "X" });
    assert.equal(siteId, `3 characters, ${hash("S-1")}`);
    assert.equal(systemId, undefined);
    assert.equal(
      shown("latest-value", { systemId: "${X}" })["systemId"],
      `with a \${variable}, 4 characters, ${hash("${X}")}`,
    );
  });

  it("show a path and a store, but no text that looks like something else", () => {
    const { path } = shown("latest-value", { path: "storage.stateOfCharge" });
    assert.equal(path, "storage.stateOfCharge");
    for (const other of ["pass word!", "passW0rd", "storage.pass", "storagexstateOfCharge.pass"])
      assert.doesNotMatch(String(shown("latest-value", { path: other })["path"]), /pass/);
    assert.equal(shown("telemetry-poll", { store: "context:default" })["store"], "context:default");
    assert.doesNotMatch(String(shown("telemetry-poll", { store: "context:mine" })["store"]), /mine/);
  });

  it("say of credentials, TLS and proxy only whether they are set", () => {
    const lines = shown("account", { clientId: "me", clientSecret: "", tls: "t1", proxy: "", baseUrl: "" });
    assert.equal(lines["clientId"], "set");
    assert.equal(lines["clientSecret"], "not set");
    assert.equal(lines["tls"], `set (${hash("t1")})`);
    assert.equal(lines["proxy"], "not set");
  });

  for (const [baseUrl, text] of Object.entries({
    "": "not set",
    "https://api.example.com": `https://(host hidden) ${hash("api.example.com")}`,
    "http://localhost:8080/v2": `http://(host hidden) ${hash("localhost:8080")}, with a port, with a path`,
    "https://${HOST}/": `with a \${variable}, ${hash("https://${HOST}/")}`,
    "api.example.com": `not valid, ${hash("api.example.com")}`,
    "secret:word": `(other scheme)://(host hidden) ${hash("")}, with a path`,
  })) {
    it(`show of the base URL ${baseUrl || "left empty"} its scheme and form only`, () => {
      assert.equal(shown("account", { baseUrl })["baseUrl"], text);
    });
  }

  it("show whether the account reads PC1", () => {
    assert.equal(shown("account", { apiVersion: "" })["apiVersion"], "empty");
    assert.equal(shown("account", { apiVersion: "2026-01-01.preview" })["apiVersion"], undefined);
    assert.equal(shown("account", { apiVersion: "2027-01-01" })["apiVersion"], "2027-01-01");
    assert.doesNotMatch(String(shown("account", { apiVersion: "s3cret" })["apiVersion"]), /s3cret/);
  });

  it("survive whatever a flow file holds", () => {
    for (const [name, table] of Object.entries(SETTINGS)) {
      for (const odd of [{ toString: 1 }, [], [null], null, NaN, "", "\u202e|`<b>", Infinity, true]) {
        const stored = Object.fromEntries(Object.keys(table).map((key) => [key, odd]));
        assert.ok(Array.isArray(settingLines(SETTINGS[name as keyof typeof SETTINGS], stored, hash)));
      }
    }
  });
});
