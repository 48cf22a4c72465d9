// Tests for the settings in a report: what helps is shown, and what may identify someone is not.
import assert from "node:assert/strict";
import { hash, settingTexts } from "../../src/diagnostics/privacy";
import { SETTINGS } from "../support/settings";

function shown(
  name: keyof typeof SETTINGS,
  stored: Record<string, unknown>,
): Readonly<Record<string, string>> {
  return settingTexts(SETTINGS[name], stored);
}

describe("the settings in a report", () => {
  it("leave out what has its default, and show numbers and choices that differ", () => {
    const stored = { account: "a1", siteId: "*", repeat: "15", onDeploy: true, maxAge: 15, output: "batch" };
    assert.deepEqual(shown("telemetry-poll", { ...stored, lookBack: "often" }), {
      account: "set",
      siteId: "*",
      repeat: "15",
      output: "batch",
      maxAge: "15",
      lookBack: "not valid",
    });
  });

  it("show none of the names in a list, which may be anything", () => {
    for (const severities of [["HIGH", "secret"], "secret", { secret: "secret" }])
      assert.deepEqual(shown("alerts", { severities, output: "changes" }), {
        account: "not set",
        output: "changes",
      });
  });

  it("hash site and system, so that errors about the same site can be recognized", () => {
    const { siteId, systemId } = shown("site-info", { siteId: " S-1 ", systemId: "X" });
    assert.equal(siteId, hash("S-1"));
    assert.equal(systemId, undefined);
  });

  it("show a path and a store, but no text that looks like something else", () => {
    const { path } = shown("latest-value", { path: "storage.stateOfCharge" });
    assert.equal(path, "storage.stateOfCharge");
    for (const other of ["pass word!", "passW0rd", "storage.pass", "storagexstateOfCharge.pass"])
      assert.equal(shown("latest-value", { path: other })["path"], hash(other));
    assert.equal(shown("telemetry-poll", { store: "context:default" })["store"], "context:default");
    assert.equal(shown("telemetry-poll", { store: "context:mine" })["store"], hash("context:mine"));
  });

  it("say of credentials, TLS and proxy only whether they are set, and hide the base URL", () => {
    const baseUrl = "https://api.example.com";
    const texts = shown("account", { clientId: "me", clientSecret: "", tls: "t1", proxy: "", baseUrl });
    assert.equal(texts["clientId"], "set");
    assert.equal(texts["clientSecret"], "not set");
    assert.equal(texts["tls"], "set");
    assert.equal(texts["proxy"], "not set");
    assert.equal(texts["baseUrl"], hash(baseUrl));
  });

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
        assert.ok(settingTexts(SETTINGS[name as keyof typeof SETTINGS], stored));
      }
    }
  });
});
