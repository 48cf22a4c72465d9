// Tests for gaps of a series whose runs are each made by another worker: giving up is still observed.
import assert from "node:assert/strict";
import { HOUR, MINUTE } from "../../src/time-units";
import { ModelSeries } from "./model-series";
import { givenUp, ModelTime, noon, records } from "./model-time";

const RULE = {
  lookBack: 0,
  fillsGaps: true,
  gapHorizon: 2 * HOUR,
  gapRetryDelay: 5 * MINUTE,
  startBefore: 0,
  isBatch: true,
};

describe("gaps of a series that workers read in turn", () => {
  /** The record from 12:05 to 12:10 is never published. */
  async function series(time: ModelTime): Promise<ModelSeries> {
    const known = [...records(0, 5), ...records(10, 4000)];
    const one = new ModelSeries({ records: known, rule: RULE, clock: time.clock, isCarried: true });
    await one.run();
    return one;
  }

  async function jobs(one: ModelSeries, time: ModelTime, minutes: number, step: number): Promise<void> {
    for (let passed = 0; passed < minutes; passed += step) {
      time.pass(step);
      await one.run();
    }
  }

  it("are given up once they have been requested for long enough", async () => {
    const time = new ModelTime();
    const one = await series(time);
    await jobs(one, time, 130, 5);
    assert.deepEqual(givenUp(one), []);
    await jobs(one, time, 10, 5);
    assert.deepEqual(givenUp(one), [[5, 10]]);
    await jobs(one, time, 60, 5);
    assert.equal(givenUp(one).length, 1);
  });

  it("count the time from one job to the next up to a sixth of gapHours each", async () => {
    const time = new ModelTime();
    const one = await series(time);
    // The first job of these notices the gap.
    await jobs(one, time, 6 * 300, 300);
    assert.deepEqual(givenUp(one), []);
    await jobs(one, time, 300, 300);
    assert.deepEqual(givenUp(one), [[5, 10]]);
  });

  it("cost few requests after a month of silence, in jobs more than an hour apart", async () => {
    const time = new ModelTime();
    const rule = { ...RULE, gapHorizon: 72 * HOUR };
    const one = new ModelSeries({ records: records(0, 60), rule, clock: time.clock, isCarried: true });
    await one.run();
    await jobs(one, time, 30 * 1440, 120);
    const before = one.requests;
    await one.run();
    assert.ok(one.requests - before <= 8, `${one.requests - before} requests`);
    assert.ok(givenUp(one).length > 0);
  });

  it("are not given up for the time in which runs failed", async () => {
    const time = new ModelTime();
    const one = await series(time);
    await jobs(one, time, 15, 5);
    one.isDown = true;
    for (let passed = 0; passed < 600; passed += 5) {
      time.pass(5);
      await assert.rejects(one.run());
    }
    one.isDown = false;
    await jobs(one, time, 100, 5);
    assert.deepEqual(givenUp(one), []);
    await jobs(one, time, 30, 5);
    assert.equal(givenUp(one).length, 1);
  });

  it("start over if the clock that noted them was ahead", async () => {
    const time = new ModelTime();
    const one = await series(time);
    await jobs(one, time, 110, 5);
    time.now -= 10 * MINUTE;
    await jobs(one, time, 60, 5);
    assert.deepEqual(givenUp(one), []);
  });

  it("count no time to a job whose time is not sure, or from it", async () => {
    const time = new ModelTime();
    const one = await series(time);
    await jobs(one, time, 20, 5);
    assert.match(one.stored ?? "", /"completed"/);
    time.clock.isSure = false;
    await jobs(one, time, 5, 5);
    assert.doesNotMatch(one.stored ?? "", /"completed"/);
  });

  it("are refused with a ledger that is ahead of the clock, once an answer has shown the time", async () => {
    const time = new ModelTime();
    const one = await series(time);
    await jobs(one, time, 30, 5);
    const [before, sent] = [one.requests, one.sent.length];
    time.now -= HOUR;
    await assert.rejects(one.run(), { code: "ENERGY_INPUT" });
    assert.deepEqual([one.requests, one.sent.length], [before + 1, sent]);
  });

  it("do not make one message request more than it may", async () => {
    const time = new ModelTime();
    const known = Array.from({ length: 500 }, (_, index) => records(index * 120, index * 120 + 5)).flat();
    const rule = { ...RULE, gapHorizon: 2000 * HOUR };
    const one = new ModelSeries({ records: known, rule, clock: time.clock, isCarried: true });
    await one.run();
    time.pass(500 * 120);
    await one.run();
    const before = one.requests;
    await one.run();
    assert.ok(one.requests - before <= 400, `${one.requests - before} requests`);
    assert.ok((one.stored ?? "").length < 20_000 && time.now > noon);
  });
});
