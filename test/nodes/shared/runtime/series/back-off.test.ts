// Tests for how often scheduled runs ask for a series that fails by itself.
import assert from "node:assert/strict";
import { SeriesOrder } from "../../../../../nodes/shared/runtime/series/series-order";
import { SeriesOutcomes } from "../../../../../nodes/shared/runtime/series/series-outcomes";
import { HOUR, MINUTE } from "../../../../../src/time-units";

describe("the back-off of a series that fails by itself", () => {
  const [failing, well] = [{ siteId: "failing" }, { siteId: "well" }];

  /** Whether the series is asked for. */
  async function run(order: SeriesOrder, now: number, doesFail = true): Promise<boolean> {
    const { due, skipped } = await order.plan([failing, well], false, now);
    assert.equal(due.length + skipped.length, 2);
    const outcomes = new SeriesOutcomes<string>(due);
    outcomes.noteResult(well, "read");
    const isAsked = due.includes(failing);
    if (isAsked && doesFail) outcomes.noteFailure(failing, new Error("fails"), outcomes.answers);
    else if (isAsked) outcomes.noteResult(failing, "read");
    order.note(outcomes, now);
    return isAsked;
  }

  /** The times in minutes at which a series that always fails is asked for. */
  async function asked(intervalMinutes: number, hours: number): Promise<number[]> {
    const order = new SeriesOrder();
    const times: number[] = [];
    for (let now = 0; now <= hours * HOUR; now += intervalMinutes * MINUTE)
      if (await run(order, now)) times.push(now / MINUTE);
    return times;
  }

  it("doubles, up to an hour", async () => {
    assert.deepEqual(await asked(5, 4), [0, 5, 15, 35, 75, 135, 195]);
    assert.deepEqual((await asked(1, 4)).slice(0, 9), [0, 1, 3, 7, 15, 31, 63, 123, 183]);
  });

  it("never makes the next attempt later than an hour, whatever the interval", async () => {
    assert.deepEqual(await asked(50, 4), [0, 50, 100, 150, 200]);
    assert.deepEqual(await asked(25, 4), [0, 25, 75, 125, 175, 225]);
  });

  it("ends when the series is read, and begins anew", async () => {
    const order = new SeriesOrder();
    const runs = [
      await run(order, 0),
      await run(order, 1),
      await run(order, 2),
      await run(order, 3, false),
      await run(order, 4),
      await run(order, 5),
      await run(order, 6),
    ];
    assert.deepEqual(runs, [true, true, false, true, true, true, false]);
    assert.deepEqual(
      order.failing(undefined, 0).map(({ address, count }) => [address, count]),
      [[failing, 2]],
    );
  });

  it("asks for it in every run that a message triggers", async () => {
    const order = new SeriesOrder();
    for (const now of [0, 1]) await run(order, now);
    assert.deepEqual((await order.plan([failing, well], true, 2)).skipped, []);
  });
});
