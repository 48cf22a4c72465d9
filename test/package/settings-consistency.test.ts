// Tests that every rule gives the same result, with the same text, in the built dialog and in the runtime.
import assert from "node:assert/strict";
import type { Node, NodeAPI } from "node-red";
import { EnergyError } from "../../src/errors";
import type { ChoiceSetting, NumberSetting, Settings } from "../../src/settings/table";
import { SETTINGS } from "../support/settings";
import { readSettings } from "../../nodes/shared/runtime/base/settings";
import { nodeRedUtil } from "../support/node-red-util";
import { type EditorSet, loadSet, validationResult } from "./editor-set";

type Name = keyof typeof SETTINGS;
type Flow = Record<string, unknown>;

/** With these settings, a node is valid and every setting is used. */
const VALID: Partial<Record<Name, Flow>> = {
  account: {
    service: "live",
    baseUrl: "https://service.example",
    clientId: "client",
    clientSecret: "secret",
  },
  "telemetry-poll": { startFrom: "hours", fillGaps: true, delivery: "confirmed" },
  "rgm-read": { mode: "new", startFrom: "hours", fillGaps: true, delivery: "confirmed" },
  threshold: { high: 60, low: 20, propertyType: "msg" },
  alerts: { output: "changes", scope: "site" },
  mqtt: { discovery: true },
  history: { range: "fromTo", from: "2026-03-01", to: "2026-03-31" },
};

const NONE = [undefined, null, "", " "];
const OK = "accepted";

const RED = { util: nodeRedUtil } as NodeAPI;
const node = { id: "node" } as Node;

function inRuntime(name: Name, flow: Flow): string {
  try {
    const table: Settings = SETTINGS[name];
    readSettings(RED, node, table, flow).valid(...Object.keys(table));
    return OK;
  } catch (error) {
    if (error instanceof EnergyError && error.code === "ENERGY_CONFIG") return error.text.key;
    throw error;
  }
}

const dialogs = new Map<Name, EditorSet>();

function dialogOf(name: Name): EditorSet {
  const dialog = dialogs.get(name) ?? loadSet(name);
  dialogs.set(name, dialog);
  return dialog;
}

function inDialog(name: Name, key: string, flow: Flow): string {
  const found = validationResult(dialogOf(name), key, flow[key], flow);
  return found === true ? OK : found.replace("@energy-sites/node-red/account:error.", "");
}

function assertBoth(expected: string, name: Name, key: string, value: unknown, others: Flow = {}): void {
  const flow = { ...VALID[name], ...others, [key]: value };
  const both = { dialog: inDialog(name, key, flow), runtime: inRuntime(name, flow) };
  assert.deepEqual(both, { dialog: expected, runtime: expected }, `${key}: ${JSON.stringify(value)}`);
}

function assertRange(name: Name, key: string, { min = 0, max = 0, whole }: NumberSetting): void {
  const outside = whole ? "settingWhole" : "settingRange";
  for (const value of [min, max, String(min), ` ${max} `, ...NONE]) assertBoth(OK, name, key, value);
  assertBoth(whole ? outside : OK, name, key, min + 0.5);
  for (const value of [min - 0.001, max + 0.001, "many", "1,5", true, Number.NaN, [], {}])
    assertBoth(outside, name, key, value);
}

function assertChoices(name: Name, key: string, { choices }: ChoiceSetting): void {
  for (const value of [...choices, ...choices.map(String), ...NONE]) assertBoth(OK, name, key, value);
  for (const value of ["other", 7, {}]) assertBoth("settingChoice", name, key, value);
}

for (const [name, settings] of Object.entries<Settings>(SETTINGS) as [Name, Settings][]) {
  describe(`settings of ${name} in dialog and runtime`, () => {
    for (const [key, setting] of Object.entries(settings)) {
      if (setting.kind === "number" && setting.min !== undefined)
        it(`agree on the range of ${key}`, () => assertRange(name, key, setting));
      // Another mode would hide the poll settings; another service, those of the connection.
      if (setting.kind === "choice")
        it(`agree on the choices of ${key}`, () => assertChoices(name, key, setting));
    }
  });
}

const TOPICS: [unknown, string][] = [
  ["home/energy", OK],
  [undefined, OK],
  ["", "topicPrefixInvalid"],
  ["energy/#", "topicPrefixInvalid"],
  ["$SYS", "topicPrefixInvalid"],
  ["a\nb", "topicPrefixInvalid"],
  [7, "settingText"],
];
const URLS: [unknown, string][] = [
  [" https://service.example/api/ ", OK],
  ["http://localhost:8080", OK],
  [undefined, "baseUrlMissing"],
  ["  ", "baseUrlMissing"],
  ["service.example", "baseUrlInvalid"],
  ["http://service.example", "baseUrlInsecure"],
  ["https://user:secret@service.example", "baseUrlCredentials"],
  ["https://service.example?a=1", "baseUrlQuery"],
];
const HEADERS: [unknown, string][] = [
  ["VendorApi-Version", OK],
  ["", OK],
  ["Vendor Version", "versionHeaderInvalid"],
];
const VERSIONS: [unknown, string][] = [
  ["", OK],
  ["2026-01-01.preview", OK],
  ["a\r\nEvil: 1", "apiVersionInvalid"],
];
const CLIENT_IDS: [unknown, string][] = [
  ["client", OK],
  ["", "clientIdMissing"],
  ["a:b", "clientIdColon"],
];
const SECRETS: [unknown, string][] = [
  ["a:b", OK],
  ["", "clientSecretMissing"],
];
const LIMITS: [unknown, string][] = [
  [60, OK],
  ["60.5", OK],
  ["", "settingNumber"],
  [undefined, "settingNumber"],
  ["many", "settingNumber"],
  [20, "limitsOrder"],
  ["19", "limitsOrder"],
];
const BOUNDS: [unknown, string][] = [
  [0, OK],
  ["-20.5", OK],
  ["", OK],
  [" ", OK],
  [undefined, OK],
  ["many", "settingNumber"],
  [100, OK],
  [100.5, "plausibleOrder"],
];
const PROPERTIES: [unknown, string][] = [
  ["payload.soc", OK],
  [undefined, OK],
  ["", "settingEmpty"],
  [" ", "settingEmpty"],
];

for (const [name, key, rows] of [
  ["mqtt", "prefix", TOPICS],
  ["mqtt", "discoveryPrefix", TOPICS],
  ["account", "baseUrl", URLS],
  ["account", "versionHeader", HEADERS],
  ["account", "apiVersion", VERSIONS],
  ["account", "clientId", CLIENT_IDS],
  ["account", "clientSecret", SECRETS],
  ["threshold", "high", LIMITS],
  ["threshold", "property", PROPERTIES],
] as const) {
  it(`dialog and runtime agree on the ${key} of ${name}`, () => {
    for (const [value, expected] of rows) assertBoth(expected, name, key, value);
  });
}

it("dialog and runtime agree that low must be below high", () => {
  assertBoth(OK, "threshold", "low", "59.9");
  assertBoth("limitsOrder", "threshold", "low", 60);
});

it("dialog and runtime check the expiry of mqtt readings without discovery, too", () => {
  assertBoth("settingRange", "mqtt", "expireAfter", 0, { discovery: false });
});

it("dialog and runtime agree that the minimum must not be above the maximum", () => {
  for (const [value, expected] of BOUNDS) assertBoth(expected, "threshold", "min", value, { max: "100" });
  assertBoth("plausibleOrder", "threshold", "max", -1, { min: 0 });
  assertBoth(OK, "threshold", "max", -1, { min: "" });
});

it("dialog and runtime agree that a ledger in messages needs messages, and is its own confirmation", () => {
  const sent = { delivery: "sent", repeat: 0, onDeploy: false };
  assertBoth(OK, "telemetry-poll", "store", "message", sent);
  assertBoth("carriedConfirmed", "telemetry-poll", "store", "message");
  for (const schedule of [{ repeat: 5 }, { onDeploy: true }])
    assertBoth("carriedSchedule", "telemetry-poll", "store", "message", { ...sent, ...schedule });
});

it("dialog and runtime do not validate hidden settings", () => {
  assertBoth(OK, "mqtt", "discoveryPrefix", "#", { discovery: false });
  assertBoth(OK, "rgm-read", "maxAge", 0, { mode: "latest" });
  assertBoth(OK, "rgm-read", "repeat", -1, { mode: "range" });
  assertBoth(OK, "telemetry-poll", "lookBack", -1, { store: "none" });
  assertBoth(OK, "telemetry-poll", "gapHours", 0, { fillGaps: false });
  assertBoth(OK, "telemetry-poll", "confirmTimeout", 0, { delivery: "sent" });
  assertBoth(OK, "telemetry-poll", "startHours", -1, { startFrom: "now" });
  for (const key of ["baseUrl", "clientId", "timeout", "versionHeader"])
    assertBoth(OK, "account", key, key === "timeout" ? 0 : "", { service: "demo" });
});
