// Tests for reading stored settings: numbers as text, absent and empty values, unused settings, variables.
import assert from "node:assert/strict";
import type { Node, NodeAPI } from "node-red";
import type { Settings, SettingValues, StoredSettings } from "../../src/settings/table";
import { ACCOUNT } from "../../nodes/account/settings";
import { ALERTS } from "../../nodes/alerts/settings";
import { HISTORY } from "../../nodes/history/settings";
import { MQTT } from "../../nodes/mqtt/settings";
import { POINTS } from "../../nodes/points/settings";
import { RGM_READ } from "../../nodes/rgm-read/settings";
import { TELEMETRY_POLL } from "../../nodes/telemetry-poll/settings";
import { THRESHOLD } from "../../nodes/threshold/settings";
import { TOTALS } from "../../nodes/totals/settings";
import { readSettings } from "../../nodes/shared/runtime/base/settings";
import { nodeRedUtil } from "../support/node-red-util";

const RED = { util: nodeRedUtil } as NodeAPI;
const node = { id: "node" } as Node;

function read<Table extends Settings>(table: Table, stored: StoredSettings<Table>): SettingValues<Table> {
  return readSettings(RED, node, table, stored).valid();
}

const rejectedWith = (key: string) => (error: unknown) =>
  error instanceof Error && "text" in error && (error.text as { key: string }).key === key;

describe("stored settings", () => {
  before(() => {
    process.env["ENERGY_TEST_HOUSE"] = "house";
  });
  after(() => {
    for (const name of ["HOUSE", "FROM", "TO"]) delete process.env[`ENERGY_TEST_${name}`];
  });

  it("use the default if the property is missing", () => {
    const { repeat, onDeploy, maxAge, output, fillGaps, store } = read(TELEMETRY_POLL, {});
    assert.deepEqual(
      { repeat, onDeploy, maxAge, output, fillGaps, store },
      { repeat: 5, onDeploy: true, maxAge: undefined, output: "record", fillGaps: true, store: "file" },
    );
  });

  it("use the default if a field is empty", () => {
    assert.equal(read(TELEMETRY_POLL, { gapHours: "", repeat: " " }).gapHours, 72);
    assert.equal(read(POINTS, { measurement: " " }).measurement, "energy");
    assert.equal(read(MQTT, { qos: "" }).qos, 1);
  });

  it("are converted to numbers if stored as text", () => {
    const { qos, expireAfter } = read(MQTT, { qos: "2", expireAfter: " 900.5 " });
    assert.deepEqual({ qos, expireAfter }, { qos: 2, expireAfter: 900.5 });
  });

  it("are decimal numbers, as a run reads them of a message", () => {
    assert.throws(() => read(MQTT, { expireAfter: "0x384" }), rejectedWith("settingRange"));
    assert.throws(() => read(TOTALS, { importPrice: "0x1" }), rejectedWith("settingNumber"));
  });

  it("are validated with or without discovery if both use them", () => {
    for (const discovery of [true, false])
      assert.throws(() => read(MQTT, { discovery, expireAfter: 0 }), rejectedWith("settingRange"));
  });

  it("are neither validated nor used while their field is hidden", () => {
    assert.equal(read(MQTT, { discovery: false, discoveryPrefix: "#" }).discoveryPrefix, "homeassistant");
    assert.equal(read(RGM_READ, { mode: "latest", maxAge: -1 }).maxAge, undefined);
    assert.throws(() => read(RGM_READ, { mode: "new", maxAge: -1 }), rejectedWith("settingRange"));
    assert.equal(read(ACCOUNT, { service: "demo", timeout: 0 }).timeout, 30);
  });

  it("have variables replaced, except in names and expressions", () => {
    assert.equal(read(MQTT, { prefix: "${ENERGY_TEST_HOUSE}/energy" }).prefix, "house/energy");
    assert.throws(() => read(MQTT, { prefix: "${ENERGY_TEST_NONE}" }), rejectedWith("variableMissing"));
    assert.throws(() => read(MQTT, { qos: "${ENERGY_TEST_NONE}" }), rejectedWith("variableMissing"));
    const property = '${"value": payload}';
    assert.equal(read(MQTT, { name: "${ENERGY_TEST_NONE}" }).name, "${ENERGY_TEST_NONE}");
    assert.equal(read(THRESHOLD, { high: 2, low: 1, property, propertyType: "jsonata" }).property, property);
  });

  it("are compared once variables are replaced", () => {
    for (const [from, to, key] of [
      ["2015", "2026", "rangeTooLong"],
      ["2026", "2025", "daysOrder"],
    ] as const) {
      Object.assign(process.env, { ENERGY_TEST_FROM: from, ENERGY_TEST_TO: to });
      const days = { range: "fromTo", from: "${ENERGY_TEST_FROM}-11-10", to: "${ENERGY_TEST_TO}-11-10" };
      assert.throws(() => read(HISTORY, days), rejectedWith(key));
    }
  });

  it("are rejected if the account lacks what the service requires", () => {
    const live = { baseUrl: "https://service.example", clientId: "a", clientSecret: "b" };
    assert.equal(read(ACCOUNT, live).baseUrl, "https://service.example");
    assert.throws(() => read(ACCOUNT, { ...live, baseUrl: undefined }), rejectedWith("baseUrlMissing"));
    assert.throws(() => read(ACCOUNT, { ...live, clientSecret: "" }), rejectedWith("clientSecretMissing"));
    assert.throws(() => read(ACCOUNT, { ...live, service: "test" }), rejectedWith("settingChoice"));
  });

  it("keep the names that the user selected", () => {
    assert.deepEqual(read(ALERTS, { severities: ["HIGH"] }).severities, ["HIGH"]);
    assert.deepEqual(read(ALERTS, { severities: "HIGH" }).severities, []);
  });

  it("are named with their unit in errors", () => {
    assert.throws(() => readSettings(RED, node, THRESHOLD, { hold: -1 }).valid("hold"), {
      code: "ENERGY_CONFIG",
      text: {
        key: "settingRange",
        values: {
          label: {
            key: "settingLabelUnit",
            values: { label: { label: "threshold:label.hold" }, unit: { label: "account:unit.minutes" } },
          },
          min: 0,
          max: 10_080,
        },
      },
    });
  });
});
