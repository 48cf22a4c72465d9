// Tests for reading messages from alerts and site info, also after a flow has changed them.
import assert from "node:assert/strict";
import { type AlertNews, alertNewsOf, siteDetailsOf, siteOfAlert } from "../../src/messages/fact-reader";
import type { FlowMessage } from "../../src/messages/reader";

const list = (payload: unknown, alerts: unknown = [], rest: object = {}): FlowMessage => ({
  payload,
  energy: { kind: "alerts", count: 1, alerts },
  ...rest,
});
const change = (energy: object, payload: unknown = {}, rest: object = {}): FlowMessage => ({
  payload,
  energy: { kind: "alerts", ...energy },
  ...rest,
});
const openKeys = (news: AlertNews | undefined): string[] | undefined =>
  news?.change === undefined ? news?.open.map(({ alertKey }) => alertKey) : undefined;

describe("messages from alerts", () => {
  it("list alerts with the key and the severity that the node gave them", () => {
    const alert = { id: "a", severity: "MEDIUM", siteId: "home" };
    const news = alertNewsOf(list([alert], [{ alertKey: "a#2", severity: "HIGH" }]));
    assert.deepEqual(news, {
      siteId: undefined,
      change: undefined,
      open: [{ alertKey: "a#2", severity: "HIGH", alert }],
    });
  });

  it("leave out alerts that are over", () => {
    const infos = [{ alertKey: "a", isOpen: true }, { alertKey: "b", isOpen: false }, { alertKey: "c" }];
    assert.deepEqual(openKeys(alertNewsOf(list([{}, {}, {}], infos))), ["a", "c"]);
  });

  it("may have lost what the node said about each alert, and alerts that are objects", () => {
    const news = alertNewsOf(list([{ id: "a", severity: "low" }, "text"], []));
    assert.ok(news && news.change === undefined);
    assert.deepEqual(
      news.open.map(({ alertKey, severity }) => [alertKey, severity]),
      [
        ["a", "LOW"],
        ["[]", "OTHER"],
      ],
    );
  });

  it("report a change, also without its alert", () => {
    const energy = { change: "cleared", alertKey: "k", severity: "HIGH" };
    assert.deepEqual(alertNewsOf(change(energy, "text", { siteId: "home" })), {
      siteId: "home",
      change: "cleared",
      alert: { alertKey: "k", severity: "HIGH", alert: {} },
    });
  });

  it("are nothing else: other kinds, unknown changes, errors", () => {
    for (const message of [
      {},
      { energy: null },
      { payload: [], energy: { kind: "telemetry", alerts: [] } },
      change({ change: "doubted", alertKey: "k" }),
      { payload: [], energy: { kind: "alerts", error: { code: "ENERGY_HTTP" } } },
      list({}),
    ])
      assert.equal(alertNewsOf(message), undefined, JSON.stringify(message));
  });

  it("are refused with a site id that is not valid", () => {
    for (const siteId of ["", 5, "a\nb", null])
      assert.throws(() => alertNewsOf(list([], [], { siteId })), { code: "ENERGY_INPUT" });
  });

  it("name the site of an alert only by a valid id", () => {
    const siteOf = (siteId: unknown): string | undefined =>
      siteOfAlert({ alertKey: "k", severity: "LOW", alert: { siteId } });
    assert.deepEqual(["home", "", 5, undefined, "\ud800"].map(siteOf), [
      "home",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("messages from site info", () => {
  it("have the details of a site, whatever its id is called", () => {
    const energy = { kind: "site-info" };
    for (const payload of [{ siteId: "home" }, { id: "home", devices: [] }])
      assert.equal(siteDetailsOf({ payload, energy }), payload);
  });

  it("are nothing else", () => {
    for (const message of [
      { payload: { siteId: "home" }, energy: { kind: "site-list" } },
      { payload: {}, energy: { kind: "site-info" } },
      { payload: [{ siteId: "home" }], energy: { kind: "site-info" } },
      { payload: { siteId: "home" } },
    ])
      assert.equal(siteDetailsOf(message), undefined);
  });
});
