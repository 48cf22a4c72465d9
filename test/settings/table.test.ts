// Tests for the table of settings: the defaults that flows depend on, the ranges, and a text for every label and unit.
import assert from "node:assert/strict";
import { PREVIEW_VERSION } from "../../src/settings/rules";
import { type Setting, settingFault, type Settings, settingValue } from "../../src/settings/table";
import { SETTINGS } from "../support/settings";
import { translate } from "../support/catalogue";
import { FLOW_NODES } from "../support/flow-nodes";
import { setNames } from "../support/package";

const WEEK = 10_080;

const POLL_RANGES = {
  startHours: [0, 87_840],
  maxAge: [0.01, WEEK],
  lookBack: [0, WEEK],
  gapHours: [0, 8784],
  confirmTimeout: [0.01, 604_800],
  maxUnconfirmed: [1, 10_000],
};

/** Minimum and maximum by node. */
const RANGES: Record<string, Record<string, number[]>> = {
  account: { timeout: [0.01, 3600], concurrency: [1, 64], requestsPerMinute: [0, 60_000] },
  "site-list": { repeat: [0, WEEK] },
  "site-info": { repeat: [0, WEEK] },
  "telemetry-poll": { repeat: [0, WEEK], ...POLL_RANGES },
  "latest-value": { maxAge: [0.01, WEEK], repeat: [0, WEEK] },
  "rgm-read": { repeat: [0, WEEK], ...POLL_RANGES },
  history: { repeat: [0, WEEK] },
  totals: { repeat: [0, WEEK], fixed: [0, 1_000_000], delivery: [0, 1_000_000] },
  statistics: {},
  alerts: { repeat: [0, WEEK] },
  threshold: { high: [], low: [], hold: [0, WEEK], maxAge: [0, WEEK], repeat: [0, WEEK], min: [], max: [] },
  points: {},
  mqtt: { expireAfter: [0.6, 604_800] },
};

const tables = Object.entries<Settings>(SETTINGS);
const defaultOf = (setting: Setting): unknown => ("default" in setting ? setting.default : "");
const isStored = (setting: Setting): boolean => setting.kind !== "text" || setting.credential === undefined;

describe("table of settings", () => {
  for (const [name, settings] of tables) {
    it(`has the properties and defaults of ${name} that flows depend on`, () => {
      const stored = Object.entries(settings).filter(([, setting]) => isStored(setting));
      const defaults = stored.map(([key, setting]) => [key, defaultOf(setting)]);
      assert.deepEqual(Object.fromEntries(defaults), FLOW_NODES[name]?.defaults);
    });

    it(`has the ranges of ${name} that were decided`, () => {
      const ranges = Object.entries(settings).flatMap(([key, setting]) =>
        setting.kind === "number" ? [[key, [setting.min ?? [], setting.max ?? []].flat()]] : [],
      );
      assert.deepEqual(Object.fromEntries(ranges), RANGES[name]);
    });

    it(`has a text for the labels and units of ${name}`, () => {
      for (const setting of Object.values(settings)) {
        if (setting.label !== undefined) assert.ok(translate(`@energy-sites/node-red/${setting.label}`));
        if (setting.kind === "number" && setting.unit !== undefined)
          assert.ok(translate(`@energy-sites/node-red/account:unit.${setting.unit}`));
      }
    });
  }

  it("covers every node", () => {
    const tables = [SETTINGS, FLOW_NODES].map((table) => Object.keys(table).toSorted());
    assert.deepEqual(tables, [setNames.toSorted(), setNames.toSorted()]);
  });

  it("keeps PC1 out of an account whose API version is empty", () => {
    const { apiVersion } = SETTINGS.account;
    assert.equal(apiVersion.default, PREVIEW_VERSION);
    assert.equal(
      settingFault(apiVersion, "", () => undefined),
      undefined,
    );
    assert.equal(settingValue(apiVersion, ""), "");
  });
});
