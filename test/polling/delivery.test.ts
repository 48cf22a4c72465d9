// Tests for delivery in portions: the ledger is at the last portion that the flow has received, however a run ends.
import assert from "node:assert/strict";
import sinon from "sinon";
import { systemClock } from "../../src/clock";
import { AbortedError } from "../../src/errors";
import { DueRecord, dueRecords } from "../../src/ledger/due-records";
import { type Ledger, newLedger } from "../../src/ledger/ledger";
import { ConfirmedDelivery, sendAtOnce } from "../../src/polling/delivery";
import type { PollRule, RecordSink } from "../../src/polling/ports";
import type { RecordSource } from "../../src/reading/record-reader";
import { SeriesLedger } from "../../src/polling/series-ledger";
import { SeriesPoller } from "../../src/polling/series-poller";
import { HOUR, isInWindow, MINUTE } from "../../src/time-units";
import { timed } from "../support/timed";

const START = Date.UTC(2026, 5, 8);
const NOW = START + 10 * 60 * MINUTE;
const RULE: PollRule = {
  lookBack: 0,
  fillsGaps: false,
  gapHorizon: HOUR,
  gapRetryDelay: MINUTE,
  startBefore: undefined,
  isBatch: false,
};
const CLOCK = { ...systemClock, now: () => NOW };
const COUNT = 120;

const records = Array.from({ length: COUNT }, (_none, index) => {
  const [start, end] = [START + index * MINUTE, START + (index + 1) * MINUTE];
  const times = { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString() };
  return { record: times, start, end };
});

function dueIn(ledger: Ledger): DueRecord[] {
  const window = { start: START, end: NOW };
  return dueRecords(ledger, records, { window, now: NOW, rule: RULE });
}

describe("confirmed delivery of a correction", () => {
  it("waits for the earlier form of the record, so that no resent one overwrites it", () => {
    const confirm = { timeoutMs: MINUTE, maxUnconfirmed: 10 };
    const ledger = new SeriesLedger({ rule: RULE, clock: CLOCK });
    ledger.start(START);
    const delivery = new ConfirmedDelivery(confirm);
    const sent: { start: number; phase: string; deliveryId: string }[] = [];
    const sink: RecordSink = {
      report: () => undefined,
      send: (batches) => {
        for (const { records: due, deliveryId = "" } of batches)
          for (const { start, phase } of due) sent.push({ start, phase, deliveryId });
      },
    };
    const source: RecordSource = { read: () => Promise.reject(new Error("nothing is read")) };
    const run = { source, sink, signal: new AbortController().signal, isByMessage: true };
    const [first, second] = dueIn(ledger.current);
    assert.ok(first && second);
    delivery.send([first, second], run, ledger);
    delivery.send([new DueRecord(first, "revised", first.cursor)], run, ledger);
    assert.deepEqual([sent.length, delivery.isBlocked], [2, true]);
    // The other record has nothing to do with it.
    delivery.confirm(sent[1]?.deliveryId ?? "");
    assert.equal(sent.length, 2);
    delivery.confirm(sent[0]?.deliveryId ?? "");
    assert.deepEqual([sent.at(-1)?.phase, sent.length, delivery.isBlocked], ["revised", 3, false]);
    delivery.stop();
  });
});

describe("runs whose records wait until others are confirmed", () => {
  const DAYS = 3;
  const now = START + DAYS * 24 * HOUR;
  /** One an hour. */
  const hourly = Array.from({ length: DAYS * 24 }, (_none, index) => {
    const [start, end] = [START + index * HOUR, START + (index + 1) * HOUR];
    return timed({ startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString() });
  });

  it("last until all days are sent, each triggered by a message, also one that waits for another", async () => {
    const confirm = { timeoutMs: MINUTE, maxUnconfirmed: 10 };
    const rule = { ...RULE, startBefore: now - START, confirm };
    const poller = new SeriesPoller({ rule, clock: { ...CLOCK, now: () => now } });
    const sent: number[] = [];
    const open: string[] = [];
    const sink: RecordSink = {
      report: () => undefined,
      send: (batches) => {
        for (const { records: due, deliveryId = "" } of batches) {
          sent.push(...due.map(({ start }) => start));
          open.push(deliveryId);
        }
      },
    };
    const source: RecordSource = {
      read: async (window) => ({
        records: hourly.filter((one) => isInWindow(one, window)),
        unreadable: [],
      }),
    };
    const run = { source, sink, signal: new AbortController().signal, isByMessage: true };
    const [first, second] = [await poller.read(run), await poller.read(run)];
    /** How many records were sent when each of them ended. */
    const ends: number[] = [];
    for (const { rest } of [first, second]) void rest?.then(() => ends.push(sent.length));
    for (let turns = 0; ends.length < 2 && turns < 1000; turns += 1) {
      const id = open.shift();
      if (id !== undefined) poller.delivery?.confirm(id);
      await new Promise(setImmediate);
    }
    poller.delivery?.stop();
    assert.deepEqual(
      sent,
      hourly.map(({ start }) => start),
    );
    assert.deepEqual(ends, [sent.length, sent.length]);
  });
});

describe("delivery in portions", () => {
  let clock: sinon.SinonFakeTimers;
  let stored: Ledger | undefined;
  let ledger: SeriesLedger;
  let aborting: AbortController;
  /** The records of each call. */
  let sent: number[];
  /** What the ledger of each message still owes, where one travels. */
  let owedAfter: number[];
  /** Called before each portion is sent, with its number. */
  let onPortion: (portion: number) => void;

  beforeEach(() => {
    // Portions become smaller where sending takes long.
    clock = sinon.useFakeTimers({ toFake: ["performance"] });
    stored = undefined;
    aborting = new AbortController();
    sent = [];
    owedAfter = [];
    onPortion = () => undefined;
    const store = {
      load: () => Promise.resolve(stored),
      save: async (state: Ledger) => void (stored = state),
    };
    ledger = new SeriesLedger({ store, rule: RULE, clock: CLOCK });
    ledger.start(START);
  });

  afterEach(() => clock.restore());

  async function send(from: SeriesLedger): Promise<void> {
    const source: RecordSource = { read: () => Promise.reject(new Error("nothing is read")) };
    const sink: RecordSink = {
      report: () => undefined,
      send: (batches) => {
        onPortion(sent.length + 1);
        sent.push(batches.reduce((count, batch) => count + batch.records.length, 0));
        for (const batch of batches) if (batch.ledger) owedAfter.push(dueIn(batch.ledger).length);
      },
    };
    const run = { source, sink, signal: aborting.signal, isByMessage: true };
    await sendAtOnce(dueIn(newLedger(START)), run, from);
  }

  it("stores no portion before it is received, and all in the end", async () => {
    const left: number[] = [];
    onPortion = () => void left.push(dueIn(stored ?? newLedger(START)).length);
    await send(ledger);
    await ledger.flush();
    assert.deepEqual(sent, [50, 50, 20]);
    // Of what each portion finds stored, at least itself and all behind it is owed.
    assert.ok(left.every((owed, index) => owed >= COUNT - 50 * index));
    assert.equal(dueIn(stored ?? newLedger(START)).length, 0);
  });

  it("still owes the portion that was on its way when the run is aborted, and all behind it", async () => {
    onPortion = (portion) => portion === 2 && aborting.abort();
    await assert.rejects(send(ledger), AbortedError);
    await ledger.flush();
    assert.deepEqual(sent, [50, 50]);
    assert.equal(dueIn(stored ?? newLedger(START)).length, 70);
  });

  it("still owes the portion that could not be sent, and not those before it", async () => {
    onPortion = (portion) => {
      if (portion === 3) throw new Error("a message cannot be copied");
    };
    await assert.rejects(send(ledger), /cannot be copied/);
    await ledger.flush();
    assert.equal(dueIn(stored ?? newLedger(START)).length, 20);
    // The next run goes on there.
    assert.equal(dueIn(ledger.current).length, 20);
  });

  it("hands no ledger on that is ahead of the messages sent so far", async () => {
    onPortion = (portion) => {
      if (portion === 3) throw new Error("a message cannot be copied");
    };
    const options = { rule: RULE, clock: CLOCK };
    const carried = new SeriesLedger({ ...options, carried: { brought: newLedger(START) } });
    await assert.rejects(send(carried), /cannot be copied/);
    assert.deepEqual(
      owedAfter,
      Array.from({ length: 100 }, (_none, index) => COUNT - 1 - index),
    );
    // The newest record may yet be sent, with the ledger as it is.
    assert.equal(dueIn(carried.current).length, 20);
  });
});
