// Tests for polls whose ledger travels: nothing is remembered but what a message brings.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import helper from "node-red-node-test-helper";
import { notesOf } from "../../../nodes/shared/runtime/lifecycle/node-notes";
import type { CarriedLedger } from "../../../src/ledger/stored-ledger";
import { MINUTE } from "../../../src/time-units";
import { NODE } from "../../support/diagnostics";
import { endsOf, expectedEnds, NOW, Polling, type SentRecord, times } from "../../support/polling";

interface Done {
  energy: { kind: string; ledger: CarriedLedger };
}

interface SentBatch {
  payload: { endTime: string }[];
  energy: { ledger: CarriedLedger; cursor: string; records: unknown[] };
}

describe("a poll with its ledger in the message", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "", store: "message" });
  });
  afterEach(() => polling.close());

  /** Runs a job and returns the ledger of the completed message. */
  async function job(ledger?: unknown): Promise<CarriedLedger> {
    polling.node.input({ siteId: "demo-house", energy: ledger === undefined ? {} : { ledger } });
    const done = (await polling.node.completed()) as unknown as Done;
    assert.equal(done.energy.kind, "telemetry");
    return done.energy.ledger;
  }

  const ledgers = (messages: SentRecord[]): CarriedLedger[] =>
    messages.map(({ energy }) => energy.ledger as CarriedLedger);

  it("goes on where another worker stopped, and keeps nothing itself", async () => {
    await polling.start();
    const ledger = await job();
    polling.at(10);
    await polling.restart();
    await job(JSON.parse(JSON.stringify(ledger)));
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
    const [known, ...others] = notesOf(helper.getNode(NODE)).series();
    assert.deepEqual([known?.address.systemId, others], ["demo-house-1", []]);
    // What the account knows of its series is not the position of a job.
    const folder = join(polling.userDir, "energy-sites");
    const names = await readdir(folder).catch(() => []);
    const stored = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    assert.ok(stored.every((text) => !text.includes("cursor")));
  });

  it("remembers nothing of a job for the next", async () => {
    await polling.start();
    const ledger = await job();
    polling.at(10);
    await job(ledger);
    await job(ledger);
    const ends = expectedEnds(NOW, NOW + 10 * MINUTE);
    assert.deepEqual(endsOf(polling.sent()).slice(1), [...ends, ...ends]);
  });

  it("sends with each record the ledger that is true once that record is delivered", async () => {
    await polling.start();
    const ledger = await job();
    polling.at(20);
    await job(ledger);
    const sent = polling.sent().slice(1);
    assert.deepEqual(times(ledgers(sent).map(({ cursor }) => cursor)), endsOf(sent));
    const [second] = ledgers(sent).slice(1);
    await job(second);
    assert.deepEqual(endsOf(polling.sent().slice(1 + sent.length)), endsOf(sent.slice(2)));
  });

  it("hands a ledger out with the newest record that does not count it", async () => {
    await polling.start();
    const ledger = await job();
    polling.at(3 * 24 * 60);
    await job(ledger);
    const [, ahead] = polling.sent(2);
    assert.equal(ledgers(ahead ? [ahead] : [])[0]?.cursor, ledger.cursor);
  });

  it("sends a batch with the ledger as the run leaves it, even if it is empty", async () => {
    await polling.start({ output: "batch" });
    const first = await job();
    polling.at(20);
    const second = await job(first);
    const third = await job(second);
    const batches = polling.sent() as unknown as SentBatch[];
    assert.deepEqual(
      batches.map(({ payload }) => payload.length),
      [1, 4, 0],
    );
    assert.deepEqual(
      batches.map(({ energy }) => energy.ledger),
      [first, second, third],
    );
    assert.deepEqual([batches[2]?.energy.records, batches[2]?.energy.cursor], [[], second.cursor]);
  });

  it("keeps the ledger of a run that fails where it was", async () => {
    await polling.start({ output: "batch" });
    const ledger = await job();
    polling.service.fault({ path: /telemetry/, status: 501, times: 9 });
    polling.node.input({ siteId: "demo-house", energy: { ledger } });
    const { energy } = await polling.node.caught<{ energy: object }>();
    assert.ok(!("ledger" in energy));
    assert.equal(polling.sent().length, 1);
  });

  it("says what failed in the first job of a series, which has no ledger yet", async () => {
    await polling.start();
    polling.service.fault({ path: /telemetry/, status: 501, times: Infinity });
    polling.node.input({ siteId: "demo-house" });
    const { code, statusCode } = (await polling.node.caught()).energy.error;
    assert.deepEqual([code, statusCode], ["ENERGY_HTTP", 501]);
  });

  it("refuses what is no ledger, and sends nothing", async () => {
    await polling.start();
    const ledger = await job();
    const wrong: unknown[] = [
      null,
      "text",
      { ...ledger, cursor: 5 },
      { ...ledger, series: "demo-farm//telemetry" },
      { ...ledger, series: ledger.series.replace("telemetry", "rgm") },
      { ...ledger, cursor: "2027-01-01T00:00:00Z" },
      { ...ledger, note: "x".repeat(40_000) },
    ];
    for (const given of wrong) {
      polling.node.input({ siteId: "demo-house", energy: { ledger: given } });
      const { energy } = await polling.node.caught<{ energy: { error: { code: string } } }>();
      assert.equal(energy.error.code, "ENERGY_INPUT");
    }
    const startTime = "2026-06-10T09:00:00Z";
    for (const given of [{ energy: "text" }, { energy: null }, { energy: { ledger }, startTime }]) {
      polling.node.input({ siteId: "demo-house", ...given });
      const caught = await polling.node.caught<{ energy: { error: { code: string } } }>();
      assert.equal(caught.energy.error.code, "ENERGY_INPUT");
    }
    assert.equal(polling.sent().length, 1);
  });

  it("refuses a position so far back that it would take more requests than a message may", async () => {
    await polling.start();
    const ledger = await job();
    const knownFrom = Date.UTC(2024, 0, 1);
    const old = { ...ledger, cursor: "2024-01-01T00:00:00Z", knownFrom, delivered: [] };
    polling.node.input({ siteId: "demo-house", energy: { ledger: old } });
    const { energy } = await polling.node.caught<{ energy: { error: { code: string } } }>();
    assert.equal(energy.error.code, "ENERGY_RANGE");
  });

  it("reads one system for a message", async () => {
    await polling.start({ siteId: "*" });
    polling.node.input({});
    const { energy } = await polling.node.caught<{ energy: { error: { code: string } } }>();
    assert.equal(energy.error.code, "ENERGY_CONFIG");
  });

  for (const properties of [{ delivery: "confirmed" }, { repeat: 5 }, { onDeploy: true }]) {
    it(`refuses ${JSON.stringify(properties)}`, async () => {
      await polling.start(properties);
      polling.node.input({ siteId: "demo-house" });
      const { energy } = await polling.node.caught<{ energy: { error: { code: string } } }>();
      assert.equal(energy.error.code, "ENERGY_CONFIG");
      assert.deepEqual(polling.sent(), []);
    });
  }
});

describe("rgm read with its ledger in the message", () => {
  it("sends each record once", async () => {
    const polling = await Polling.open("energy-rgm-read", {
      siteId: "demo-farm",
      store: "message",
      mode: "new",
    });
    await polling.start();
    polling.node.input({});
    const { energy } = (await polling.node.completed()) as unknown as Done;
    polling.at(30);
    polling.node.input({ energy });
    await polling.node.completed();
    const ends = endsOf(polling.sent());
    assert.equal(energy.kind, "rgm");
    await polling.close();
    assert.ok(ends.length > 1 && new Set(ends).size === ends.length);
  });
});

it("a poll with its ledger in the message reads nothing by itself, whatever the defaults of its schedule are", async () => {
  const polling = await Polling.open("energy-telemetry-poll", { store: "message" }, { holdsTimers: true });
  try {
    await polling.start({ siteId: "demo-house", repeat: undefined, onDeploy: undefined });
    await polling.advance(600);
    assert.equal(polling.service.requests.length, 0);
  } finally {
    await polling.close();
  }
});
