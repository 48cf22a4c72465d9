// Tests for the message reader: messages of every node are read the same way, and anything else is rejected with a reason.
import assert from "node:assert/strict";
import { InputError } from "../../src/errors";
import {
  addressIn,
  type AlertUpdate,
  alertUpdateOf,
  confirmationOf,
  energyOf,
  type FlowMessage,
  noValueReasonOf,
  type MessageRecord,
  recordsIn,
  siteDetailsOf,
  sitesOf,
} from "../../src/messages/reader";
import { isoTime, MINUTE } from "../../src/time-units";
import { TurnWatch } from "../support/cpu-time";

const START = "2026-06-10T10:00:00Z";
const END = "2026-06-10T10:05:00Z";
const RECORD = { startTime: START, endTime: END, storage: { stateOfCharge: 55 } };
const OTHER = { ...RECORD, startTime: END, endTime: "2026-06-10T12:10:00+02:00" };

const records = (message: object): MessageRecord[] => [...recordsIn(message, [])];
const isLive = (payload: unknown, energy?: object): boolean[] =>
  records({ payload, energy }).map((record) => record.isLive);

describe("records of a message", () => {
  it("are read once, with their times in milliseconds, in the order of the payload", () => {
    const read = records({ payload: [RECORD, OTHER] });
    assert.deepEqual(
      read.map(({ record, start, end }) => [record, start, end]),
      [
        [RECORD, Date.parse(START), Date.parse(END)],
        [OTHER, Date.parse(END), Date.UTC(2026, 5, 10, 10, 10)],
      ],
    );
  });

  it("include their own part of msg.energy, without what belongs to the whole message", () => {
    const infos = [{ phase: "late", recordId: "1", basis: { grid: "ac", solar: "DC?" } }, "damaged"];
    const energy = { kind: "telemetry", cursor: "c", delivery: "d", records: infos };
    const [first, second] = records({ payload: [RECORD, OTHER], energy });
    assert.deepEqual(first?.energy, { kind: "telemetry", cursor: "c", ...(infos[0] as object) });
    assert.deepEqual(first?.basis, { grid: "ac" });
    assert.deepEqual(second?.energy, { kind: "telemetry", cursor: "c" });
  });

  it("are live by phase; without one, only if they are sent alone", () => {
    assert.deepEqual(isLive(RECORD), [true]);
    assert.deepEqual(isLive([RECORD]), [false]);
    assert.deepEqual(isLive(RECORD, { phase: "catchup" }), [false]);
    assert.deepEqual(isLive([RECORD, OTHER], { records: [{ phase: "live" }, { phase: "revised" }] }), [
      true,
      false,
    ]);
  });

  it("stay backlog if a single payload replaces several backlog records", () => {
    assert.deepEqual(isLive(RECORD, { records: [{ phase: "catchup" }, { phase: "late" }] }), [false]);
    assert.deepEqual(isLive(RECORD, { records: [{ phase: "live" }, { phase: "late" }] }), [true]);
  });

  it("are found by their times in a message whose records a flow has split, filtered or sorted", () => {
    const infos = [
      { phase: "catchup", startTime: START, endTime: END },
      { phase: "live", startTime: OTHER.startTime, endTime: OTHER.endTime },
    ];
    const phases = (payload: unknown): unknown[] =>
      records({ payload, energy: { records: infos } }).map(({ energy }) => energy["phase"]);
    assert.deepEqual([RECORD, OTHER, [OTHER], [OTHER, RECORD]].map(phases), [
      ["catchup"],
      ["live"],
      ["live"],
      ["live", "catchup"],
    ]);
  });

  it("are found in a large batch that a flow has split, without much work for each", () => {
    const batch = Array.from({ length: 10_000 }, (_, minute) => ({
      startTime: isoTime(minute * MINUTE),
      endTime: isoTime((minute + 1) * MINUTE),
    }));
    const infos = batch.map((times) => ({ ...times, phase: "live" }));
    const watch = new TurnWatch();
    for (const payload of batch.slice(0, 300)) records({ payload, energy: { records: infos } });
    const longest = watch.longest();
    watch.stop();
    assert.ok(longest < 700, `${longest} ms`);
  });

  it("are read from msg.energy in a latest value message whose payload is a single value", () => {
    const energy = { kind: "latest-value", path: "storage.stateOfCharge", record: RECORD };
    assert.deepEqual(records({ payload: 55, energy })[0]?.record, RECORD);
    assert.deepEqual(records({ payload: OTHER, energy: { ...energy, path: "" } })[0]?.record, OTHER);
    assert.deepEqual(records({ payload: null, energy: { ...energy, path: "" } })[0]?.record, RECORD);
  });

  it("are empty for a meter that has no record yet", () => {
    assert.deepEqual(records({ payload: null, energy: { kind: "rgm", hasRgm: true } }), []);
  });

  for (const [name, record, text] of [
    ["a number", 7, /not a record \(it is a number\)/],
    ["text", '{"endTime":1}', /it is text/],
    ["a missing payload", undefined, /it is missing/],
    ["null", null, /it is null/],
    ["a record without times", { storage: { stateOfCharge: 1 } }, /no valid startTime and endTime/],
    ["a record with an end that is not a time", { ...RECORD, endTime: "yesterday" }, /no valid/],
    ["a record with an end in seconds", { ...RECORD, endTime: 1_780_000_000 }, /no valid/],
    ["a record without a start", { endTime: END }, /no valid/],
    ["an array without a record", [7, {}], /it is a number/],
  ] as const) {
    it(`reject ${name}`, () =>
      assert.throws(
        () => records({ payload: record }),
        (error) => error instanceof InputError && text.test(error.message),
      ));
  }
});

describe("reason of a message", () => {
  const reasonIn = (energy: object): unknown => noValueReasonOf({ energy });

  it("is read from latest value; an unknown reason means no value", () => {
    assert.equal(reasonIn({ kind: "latest-value", reason: "implausible" }), "implausible");
    assert.equal(reasonIn({ kind: "latest-value", reason: "novel" }), "no-value");
    assert.equal(reasonIn({ kind: "latest-value" }), undefined);
    assert.equal(reasonIn({ kind: "threshold", reason: "stale" }), undefined);
  });

  it("is undefined in messages from other nodes, whatever they contain", () => {
    for (const energy of [undefined, null, "text", 7, [{ kind: "latest-value", reason: "stale" }]])
      assert.deepEqual(noValueReasonOf({ energy, payload: 1 }), undefined);
  });
});

describe("address of a message", () => {
  it("is a site or one of its systems", () => {
    assert.deepEqual(addressIn({ siteId: "a", systemId: "" }), { siteId: "a" });
    assert.deepEqual(addressIn({ siteId: "a", systemId: "b" }), { siteId: "a", systemId: "b" });
  });

  it("is rejected without a site, and with ids that are not text", () => {
    for (const siteId of ["", undefined, 7, "\ud800"])
      assert.throws(() => addressIn({ siteId }), { code: "ENERGY_INPUT", message: /has no site/ });
    for (const systemId of [null, 7, {}, "\ud800"])
      assert.throws(() => addressIn({ siteId: "a", systemId }), {
        code: "ENERGY_INPUT",
        message: /msg\.systemId/,
      });
  });
});

describe("sites of a message", () => {
  const energy = { kind: "site-list" };
  const site = { siteId: "a" };

  it("are read only from site list; a list is complete unless it is empty", () => {
    assert.deepEqual(sitesOf({ payload: [site, 7], energy }), { sites: [site], isComplete: true });
    assert.deepEqual(sitesOf({ payload: [], energy }), { sites: [], isComplete: false });
    assert.deepEqual(sitesOf({ payload: site, energy }), { sites: [site], isComplete: false });
    assert.equal(sitesOf({ payload: [site], energy: { kind: "telemetry" } }), undefined);
  });

  it("do not include a system, even if it has the id of its site", () => {
    assert.deepEqual(sitesOf({ payload: { systemId: "b" }, energy }), { sites: [], isComplete: false });
    const system = { siteId: "a", systemId: "b", name: "Garage" };
    assert.deepEqual(sitesOf({ payload: system, systemId: "b", energy }), { sites: [], isComplete: false });
  });
});

it("the energy of a message is empty for bytes, of which every one would be copied as a property", () => {
  for (const energy of [Buffer.from("kind"), new Uint8Array(9)]) assert.deepEqual(energyOf({ energy }), {});
});

describe("confirmation", () => {
  it("is any message with a delivery id, whatever its type", () => {
    const energy = { kind: "telemetry", delivery: "d" };
    assert.deepEqual(confirmationOf({ energy }, "rgm"), { isConfirmation: true, delivery: "d" });
    assert.deepEqual(confirmationOf({ energy: { delivery: null } }, "rgm"), {
      isConfirmation: true,
      delivery: null,
    });
  });

  it("is also a message of mqtt readings or of the poll without an id, which confirms and triggers nothing", () => {
    for (const kind of ["mqtt", "telemetry"])
      assert.deepEqual(confirmationOf({ energy: { kind } }, "telemetry"), {
        isConfirmation: true,
        delivery: undefined,
      });
  });

  it("has no other form", () => {
    for (const energy of [undefined, null, "d", { kind: "telemetry" }])
      assert.equal(confirmationOf({ energy }, "rgm").isConfirmation, false);
  });
});

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
const openKeys = (update: AlertUpdate | undefined): string[] | undefined =>
  update?.change === undefined ? update?.alerts.map(({ alertKey }) => alertKey) : undefined;

describe("messages from alerts", () => {
  it("list alerts with the key and the severity that the node gave them", () => {
    const alert = { id: "a", severity: "MEDIUM", siteId: "home" };
    const update = alertUpdateOf(list([alert], [{ alertKey: "a#2", severity: "HIGH" }]));
    assert.deepEqual(update, {
      siteId: undefined,
      change: undefined,
      alerts: [{ alertKey: "a#2", severity: "HIGH", alert }],
    });
  });

  it("find what the node said about each alert of a list that a flow has filtered or sorted", () => {
    const alerts = ["a", "b", "b", "c"].map((id) => ({ id }));
    const infos = ["a", "b", "b#2", "c"].map((alertKey) => ({ alertKey, isOpen: alertKey !== "a" }));
    for (const [left, keys] of [
      [alerts, ["b", "b#2", "c"]],
      [alerts.slice(3), ["c"]],
      [alerts.toReversed(), ["c", "b", "b#2"]],
      // Two that only their keys tell apart.
      [alerts.slice(1), ["b", "b#2", "c"]],
      [alerts.toReversed().slice(0, 3), ["c", "b", "b#2"]],
    ] as const)
      assert.deepEqual(openKeys(alertUpdateOf(list(left, infos))), keys);
  });

  it("leave out alerts that are over", () => {
    const infos = [{ alertKey: "a", isOpen: true }, { alertKey: "b", isOpen: false }, { alertKey: "c" }];
    assert.deepEqual(openKeys(alertUpdateOf(list([{}, {}, {}], infos))), ["a", "c"]);
  });

  it("may have lost what the node said about each alert, and alerts that are objects", () => {
    const update = alertUpdateOf(list([{ id: "a", severity: "low" }, "text"], []));
    assert.ok(update && update.change === undefined);
    assert.deepEqual(
      update.alerts.map(({ alertKey, severity }) => [alertKey, severity]),
      [
        ["a", "LOW"],
        ["{}", "OTHER"],
      ],
    );
  });

  it("report a change, also without its alert", () => {
    const energy = { change: "cleared", alertKey: "k", severity: "HIGH" };
    assert.deepEqual(alertUpdateOf(change(energy, "text", { siteId: "home" })), {
      siteId: "home",
      change: "cleared",
      alerts: [{ alertKey: "k", severity: "HIGH", alert: {} }],
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
      assert.equal(alertUpdateOf(message), undefined, JSON.stringify(message));
  });

  it("are refused with a site id that is not valid", () => {
    for (const siteId of ["", 5, "a\nb", null])
      assert.throws(() => alertUpdateOf(list([], [], { siteId })), { code: "ENERGY_INPUT" });
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
