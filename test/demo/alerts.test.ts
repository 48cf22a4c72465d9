// Tests for the alerts of the demo sites: they are raised and cleared, and keep their ids (service interface 4.6).
import assert from "node:assert/strict";
import { alertChanges, type OpenAlert } from "../../src/alerts/alert-changes";
import { answerTo } from "../../src/demo/endpoints";
import { startStrictService, type StrictService } from "../support/demo-service";
import { type Alert, isOver } from "../../src/models/alert";
import { PREVIEW_VERSION } from "../../src/settings/rules";
import { cachedPromise } from "../../src/single-flight";
import { Reader } from "./reader";

const STEP_MS = 600_000;
const PREVIEW = { "vendorapi-version": PREVIEW_VERSION };
const START = Date.parse("2026-03-10T00:00:00Z");

describe("demo service: alerts", () => {
  let service: StrictService;
  let reader: Reader;

  before(async () => {
    service = await startStrictService({ now: () => START });
    reader = await Reader.of(service);
  });
  after(() => service.close());

  /** What is listed at every step of a day. */
  const stepsOfDay = cachedPromise(async () => {
    const steps: Alert[][] = [];
    for (let time = START; time < START + 86_400_000; time += STEP_MS) {
      const { data } = (await answerTo({ url: "/v1/alerts", headers: PREVIEW }, time)) as { data: Alert[] };
      steps.push(data);
    }
    return steps;
  });

  it("raises and clears several a day, each without interruption from its raisedAt", async () => {
    const steps = (await stepsOfDay()).map((alerts) => alerts.filter(({ closedAt }) => closedAt === null));
    const seen = new Map<string, { alert: Alert; steps: number[] }>();
    for (const [step, alerts] of steps.entries()) {
      assert.equal(new Set(alerts.map(({ id }) => id)).size, alerts.length);
      for (const alert of alerts) {
        const entry = seen.get(String(alert.id)) ?? { alert, steps: [] };
        assert.deepEqual(alert, entry.alert);
        entry.steps.push(step);
        seen.set(String(alert.id), entry);
      }
    }
    assert.ok(seen.size > 20, `${seen.size} alerts`);
    assert.ok([...seen.values()].some(({ steps: open }) => (open.at(-1) ?? 0) < steps.length - 1));
    for (const { alert, steps: open } of seen.values()) {
      const first = open[0] ?? 0;
      assert.equal(
        open.length,
        (open.at(-1) ?? 0) - first + 1,
        `${String(alert.id)} stays open without a break`,
      );
      const raised = Date.parse(String(alert.raisedAt));
      const firstSeen = START + first * STEP_MS;
      assert.ok(raised <= firstSeen);
      if (first > 0) assert.ok(raised >= firstSeen - STEP_MS - 60_000);
    }
    const severities = new Set([...seen.values()].map(({ alert }) => alert.severity));
    assert.deepEqual(severities, new Set(["LOW", "MEDIUM", "HIGH", "CRITICAL"]));
  });

  it("lists an alert for a quarter of an hour after it is over, with its closing time", async () => {
    const steps = await stepsOfDay();
    const ended = new Map<string, number>();
    for (const [step, alerts] of steps.entries()) {
      const time = START + step * STEP_MS;
      const before = new Set(steps[step - 1]?.map(({ id }) => id));
      for (const alert of alerts) {
        assert.equal(isOver(alert, time), alert.closedAt !== null);
        const { closedAt } = alert;
        if (typeof closedAt !== "string") continue;
        const closed = Date.parse(closedAt);
        assert.ok(closed > Date.parse(String(alert.raisedAt)) && closed <= time && time < closed + 900_000);
        assert.ok(step === 0 || before.has(alert.id), "it was open before");
        assert.equal(closed, ended.get(String(alert.id)) ?? closed, "its closing time stays the same");
        ended.set(String(alert.id), closed);
      }
    }
    assert.ok(ended.size > 20, `${ended.size} alerts`);
  });

  it("lets each alert be raised once, and cleared once as listed with its closing time", async () => {
    let known: OpenAlert[] = [];
    const seen: string[] = [];
    for (const [step, alerts] of (await stepsOfDay()).entries()) {
      const result = await alertChanges(known, alerts, () => true, START + step * STEP_MS);
      known = result.open;
      for (const { change, alertKey, alert } of result.changes) {
        assert.equal(change, alert.closedAt === null ? "raised" : "cleared");
        seen.push(`${change} ${alertKey}`);
      }
    }
    assert.equal(new Set(seen).size, seen.length);
    assert.ok(seen.filter((text) => text.startsWith("cleared")).length > 20);
  });

  it("identifies site, system and device of each alert as in the site details", async () => {
    const named = new Set<string>();
    for (const siteId of (await reader.sites()).map((site) => site.siteId)) {
      const site = await reader.site(siteId);
      for (const alert of await reader.alerts(siteId)) {
        assert.equal(alert.siteId, siteId);
        const system = site.systems?.find(({ systemId }) => systemId === alert.systemId);
        assert.equal(system === undefined, site.systems?.length === 0);
        if ("deviceId" in alert) {
          assert.ok(system?.devices?.some(({ deviceId }) => deviceId === alert.deviceId));
          named.add("device");
        }
        named.add(system ? "system" : "site");
      }
    }
    assert.ok(named.has("system") && named.has("device"));
  });

  it("lists the alerts of a site oldest first", async () => {
    for (const { siteId } of await reader.sites()) {
      const times = (await reader.alerts(siteId)).map(({ raisedAt }) => Date.parse(String(raisedAt)));
      assert.deepEqual(
        times,
        times.toSorted((left, right) => left - right),
      );
    }
  });

  it("lists the same alerts for the account as for its sites", async () => {
    const sites = await reader.sites();
    const bySite = await Promise.all(sites.map(({ siteId }) => reader.alerts(siteId)));
    assert.deepEqual(await reader.alerts(), bySite.flat());
    assert.ok(bySite.flat().length > 0);
  });

  it("omits alerts of PC1 sites without the version header", async () => {
    const visible = new Set((await reader.sites({})).map(({ siteId }) => siteId));
    const expected = (await reader.alerts()).filter(({ siteId }) => visible.has(String(siteId)));
    assert.deepEqual(await reader.alerts(undefined, {}), expected);
    assert.ok(expected.length < (await reader.alerts()).length);
  });
});
