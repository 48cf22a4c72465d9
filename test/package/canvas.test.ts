// Tests for what a node says and offers on the canvas: its label without a name, and the button that runs it.
import assert from "node:assert/strict";
import { catalogue, definitionOf, loadSet, nodeOf } from "./editor-set";

type Properties = Record<string, unknown>;

/** Translates as Node-RED does. */
function english(key: string, values: Record<string, string | number> = {}): string {
  const [, name = "", path = ""] = /^@energy-sites\/node-red\/([\w-]+):(.+)$/.exec(key) ?? [];
  const text = catalogue(name, "en-US").get(path) ?? key;
  return text.replaceAll(/__(\w+?)__/g, (_mark, value: string) => String(values[value]));
}

const HOUSE = { account: "complete", siteId: "demo-house", siteIdType: "str" };

function label(name: string, properties: Properties): string {
  const set = loadSet(name, undefined, english);
  const own: typeof english = (key, values) => english(`@energy-sites/node-red/${name}:${key}`, values);
  return definitionOf(set).label.call({ ...nodeOf(set, properties), _: own });
}

function hasButton(name: string, properties: Properties): boolean | undefined {
  const set = loadSet(name);
  return definitionOf(set).button?.visible.call(nodeOf(set, properties));
}

describe("the label of a node without a name", () => {
  for (const [name, properties, expected] of [
    ["site-list", { account: "complete", output: "list" }, "site list"],
    ["site-list", { account: "complete", output: "systems" }, "site list: each system"],
    ["site-info", HOUSE, "site info: Demo house"],
    ["telemetry-poll", HOUSE, "telemetry poll: Demo house"],
    ["latest-value", { ...HOUSE, path: "storage.stateOfCharge" }, "latest value: Demo house, battery charge"],
    // Without what the sign means.
    ["latest-value", { ...HOUSE, path: "grid.power" }, "latest value: Demo house, grid power"],
    ["latest-value", { ...HOUSE, path: "storage.cells[0].voltage" }, "latest value: Demo house, voltage"],
    ["latest-value", { ...HOUSE, path: "" }, "latest value: Demo house"],
    ["rgm-read", { ...HOUSE, mode: "latest" }, "rgm read: Demo house"],
    ["rgm-read", { ...HOUSE, mode: "new" }, "rgm read: Demo house, new meter records"],
    ["alerts", { ...HOUSE, scope: "site", output: "list" }, "alerts: Demo house"],
    ["alerts", { ...HOUSE, scope: "account", output: "changes" }, "alerts: all sites, changes"],
    // An imported flow sets these to anything, and a key that begins with `$t(` takes i18next years.
    ["site-list", { account: "complete", output: "constructor" }, "site list"],
    ["totals", { ...HOUSE, period: "$t(" }, "totals: Demo house"],
    ["totals", { ...HOUSE, period: "message" }, "totals: Demo house"],
    ["totals", HOUSE, "totals: Demo house, today"],
    ["history", { ...HOUSE, range: "last24h" }, "history: Demo house, last 24 hours"],
    ["history", HOUSE, "history: Demo house, last 24 hours"],
    ["history", { ...HOUSE, range: "message" }, "history: Demo house"],
    [
      "history",
      { ...HOUSE, range: "fromTo", from: "2026-03-01", to: "2026-03-31" },
      "history: Demo house, 2026-03-01 to 2026-03-31",
    ],
    [
      "history",
      { ...HOUSE, range: "fromTo", from: "2026-03-01", to: "2026-03-01" },
      "history: Demo house, 2026-03-01",
    ],
  ] as const) {
    it(`is "${expected}" for ${name}`, () => {
      assert.equal(label(name, properties), expected);
    });
  }

  for (const [what, properties, expected] of [
    ["names all sites", { siteId: "*" }, "telemetry poll: all sites"],
    ["keeps the id of a site without a known name", { siteId: "other" }, "telemetry poll: other"],
    ["leaves out a site that comes from the message", { siteId: "" }, "telemetry poll"],
    ["leaves out a site of another type", { siteId: "site", siteIdType: "flow" }, "telemetry poll"],
    ["leaves out a site that is an environment variable", { siteId: "${SITE}" }, "telemetry poll"],
    ["shortens a long name", { siteId: "long" }, "telemetry poll: The house with the longest name o…"],
    ["is the type's if no account is set", { account: "" }, "telemetry poll"],
    ["is the user's name if there is one", { name: "Roof" }, "Roof"],
  ] as const) {
    it(what, () => assert.equal(label("telemetry-poll", { ...HOUSE, ...properties }), expected));
  }
});

describe("the button of a node", () => {
  for (const [name, properties, isVisible] of [
    ["site-list", {}, true],
    ["site-info", HOUSE, true],
    ["telemetry-poll", { ...HOUSE, siteId: "*" }, true],
    ["telemetry-poll", { ...HOUSE, siteId: "" }, false],
    ["telemetry-poll", { ...HOUSE, siteId: "siteId", siteIdType: "msg" }, false],
    ["telemetry-poll", { ...HOUSE, siteId: "SITE", siteIdType: "env" }, true],
    ["latest-value", { ...HOUSE, systemId: "systemId", systemIdType: "msg" }, false],
    ["rgm-read", { ...HOUSE, mode: "latest" }, true],
    ["rgm-read", { ...HOUSE, mode: "range" }, false],
    ["alerts", { scope: "account" }, true],
    ["alerts", { scope: "site", siteId: "" }, false],
    ["history", { ...HOUSE, range: "yesterday" }, true],
    ["history", { ...HOUSE, range: "message" }, false],
    ["history", HOUSE, true],
    ["threshold", {}, undefined],
  ] as const) {
    it(`is ${isVisible ? "there" : "not there"} for ${name} with ${JSON.stringify(properties)}`, () => {
      assert.equal(hasButton(name, properties), isVisible);
    });
  }

  it("is disabled until changes are deployed", () => {
    const set = loadSet("site-list");
    const isEnabled = (changed: boolean): boolean | undefined =>
      definitionOf(set).button?.enabled.call(nodeOf(set, { changed }));
    assert.equal(isEnabled(true), false);
    assert.equal(isEnabled(false), true);
  });
});
