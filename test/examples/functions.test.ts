// Tests what the function nodes of the examples make of messages, where no test of a flow can: there, the nodes behind them need
// a server.
import assert from "node:assert/strict";
import { runInNewContext } from "node:vm";
import { readExample } from "../support/examples";

type Message = Record<string, unknown>;

/** A function node of an example, which keeps its context from message to message. */
function functionNode(
  example: string,
  id: string,
  env: Record<string, string> = {},
  flow: Record<string, unknown> = {},
  stored: (value: unknown) => unknown = (value) => value,
) {
  const code = readExample(example).find((node) => node.id === id)?.["func"];
  assert.equal(typeof code, "string", id);
  const context = new Map<string, unknown>();
  return (msg: Message): unknown => {
    const sent: unknown = runInNewContext(`(() => { ${String(code)} })()`, {
      msg,
      env: { get: (name: string) => env[name] ?? "" },
      flow: { get: (name: string) => flow[name] },
      context: {
        get: (name: string) => stored(context.get(name)),
        set: (name: string, value: unknown) => context.set(name, value),
      },
    });
    // The realm of the sandbox has other prototypes.
    return sent === null ? null : structuredClone(sent);
  };
}

const RECORD = {
  startTime: "2026-03-29T12:00:00Z",
  endTime: "2026-03-29T12:05:00Z",
  solar: null,
  storage: { stateOfCharge: 57.5, power: -1260 },
};

describe("examples: dashboard", () => {
  it("shows power in kW without a sign before 0, and a dash where it is not measured", () => {
    const record = { ...RECORD, grid: { power: -3 }, consumption: { power: -1260 } };
    const rows = functionNode(
      "08-dashboard.json",
      "dashboard-rows",
      {},
      {
        sites: [{ siteId: "house", systems: [{ systemId: "a" }] }],
        readings: { "house/a": { record } },
      },
    );
    const { payload } = rows({}) as { payload: Message[] };
    const { grid, used, solar, battery } = payload[0] ?? {};
    assert.deepEqual([grid, used, solar, battery], ["0.00\u00a0kW", "-1.26\u00a0kW", "–", "58\u00a0%"]);
  });
});

describe("examples: meter range", () => {
  it("makes rows of records, and none of a system without a meter", () => {
    const rows = functionNode("04-meter-range.json", "meter-range-rows");
    assert.equal(rows({ payload: [] }), null);
    const { endTime } = RECORD;
    assert.deepEqual(rows({ payload: [{ ...RECORD, rgm: { energy: 0, power: null } }] }), {
      payload: [{ endTime, energy: 0, power: null }],
    });
  });
});

describe("examples: price-aware charging", () => {
  it("charges for one reason, and stops when neither holds or is sure", () => {
    const decide = functionNode("20-price-aware-charging.json", "price-charging-charge");
    const price = (edge?: string): unknown =>
      (decide({ topic: "price", energy: { edge } }) as Message)["payload"];
    const battery = (edge?: string): unknown =>
      (decide({ topic: "a/b", energy: { edge } }) as Message)["payload"];
    assert.deepEqual(
      [price("low"), battery("low"), price("high"), battery("high"), price(), battery()],
      ["start", "start", "stop", "start", "start", "stop"],
    );
  });
});

describe("examples: alert to a chat", () => {
  it("writes the site, what is wrong, how severe it is and what has changed", () => {
    const write = functionNode("21-alert-to-a-chat.json", "alert-chat-text");
    const text = (payload: Message, energy: Message): unknown =>
      ((write({ siteId: "house", payload, energy }) as Message)["payload"] as Message)["text"];
    assert.equal(
      text({ title: "Battery is warm", severity: "HIGH" }, { change: "raised" }),
      "🔴 house: Battery is warm (HIGH, raised)",
    );
    assert.equal(
      text({ siteName: "Demo house" }, { change: "cleared" }),
      "🟢 Demo house: an alert without a text (no severity, cleared)",
    );
  });
});

describe("examples: PVOutput", () => {
  const totals = {
    startTime: "2026-06-10T00:00:00+02:00",
    until: "2026-06-10T12:05:00+02:00",
    energy: { solar: 5123.4, consumed: null },
  };

  it("sends day, time and energy so far, with the key, and nothing to the service without one", () => {
    const env = { PVOUTPUT_KEY: "key", PVOUTPUT_SYSTEM: "7" };
    const [, sent] = functionNode(
      "22-pvoutput.json",
      "pvoutput-status",
      env,
    )({ payload: totals }) as Message[];
    assert.deepEqual(sent?.["payload"], { d: "20260610", t: "12:05", v1: 5123 });
    const headers = sent?.["headers"] as Message | undefined;
    assert.equal(headers?.["X-Pvoutput-Apikey"], "key");
    const [shown, unsent] = functionNode(
      "22-pvoutput.json",
      "pvoutput-status",
    )({ payload: totals }) as Message[];
    assert.deepEqual([shown?.["payload"], unsent], [{ d: "20260610", t: "12:05", v1: 5123 }, null]);
  });

  it("sends nothing before the first record of the day, and where solar energy is not measured", () => {
    const status = functionNode("22-pvoutput.json", "pvoutput-status");
    assert.equal(status({ payload: { ...totals, until: totals.startTime } }), null);
    assert.equal(status({ payload: { ...totals, energy: { solar: null, consumed: 1 } } }), null);
  });
});

describe("examples: Prometheus", () => {
  const scrape = (metrics: (msg: Message) => unknown): string =>
    String((metrics({ res: {} }) as Message)["payload"]);

  it("writes each number of a valid record as a gauge with its site and system", () => {
    const metrics = functionNode("23-prometheus.json", "prometheus-metrics");
    const energy = { validUntil: new Date(Date.now() + 60_000).toISOString() };
    assert.equal(metrics({ topic: "a/b", siteId: 'a"', systemId: "b", payload: RECORD, energy }), null);
    assert.equal(
      scrape(metrics),
      [
        "# TYPE energy_storage_stateOfCharge gauge",
        'energy_storage_stateOfCharge{site="a\\"",system="b"} 57.5',
        "# TYPE energy_storage_power gauge",
        'energy_storage_power{site="a\\"",system="b"} -1260',
        "",
      ].join("\n"),
    );
  });

  it("goes on after a restart with a context that is stored as JSON, and with names that it does not know", () => {
    const metrics = functionNode("23-prometheus.json", "prometheus-metrics", {}, {}, (value) =>
      JSON.parse(JSON.stringify(value ?? null)),
    );
    const energy = { validUntil: new Date(Date.now() + 60_000).toISOString() };
    for (const payload of [RECORD, { "new group": { "part-1": 2 } }])
      metrics({ topic: "a/b", siteId: "a", systemId: "b", payload, energy });
    const [, gauge] = scrape(metrics).split("\n");
    assert.equal(gauge, 'energy_new_group_part_1{site="a",system="b"} 2');
  });

  it("leaves out a record that is no longer valid", () => {
    const metrics = functionNode("23-prometheus.json", "prometheus-metrics");
    const energy = { validUntil: new Date(Date.now() - 1000).toISOString() };
    metrics({ topic: "a/b", siteId: "a", systemId: "b", payload: RECORD, energy });
    assert.equal(scrape(metrics), "");
  });
});

describe("examples: Postgres", () => {
  it("makes one parameter of all records, each with its id, and leaves msg.energy to confirm them", () => {
    const energy = { delivery: "d1", records: [{ recordId: "a/b/telemetry/1" }] };
    const rows = functionNode("24-postgres.json", "postgres-rows");
    const sent = rows({ siteId: "a", systemId: "b", payload: [RECORD], energy, pgsql: {} }) as Message;
    assert.deepEqual(JSON.parse(String((sent["params"] as unknown[])[0])), [
      {
        record_id: "a/b/telemetry/1",
        site_id: "a",
        system_id: "b",
        end_time: RECORD.endTime,
        record: RECORD,
      },
    ]);
    assert.deepEqual([sent["energy"], "pgsql" in sent], [energy, false]);
  });
});
