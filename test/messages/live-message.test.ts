// Tests for what a threshold reads from a message: whatever a flow or a broker has made of its names costs nothing.
import assert from "node:assert/strict";
import { liveMessage, readingOf } from "../../src/messages/live-message";
import { MAX_SENT } from "../../src/limits";
import { TurnWatch } from "../support/cpu-time";

describe("the live message of a batch", () => {
  it("is refused of more than 20,000 records, but for a delivery, which would come again", () => {
    const payload = Array.from({ length: MAX_SENT + 1 }, (_none, index) => index);
    const energy = { records: [{ phase: "live", endTime: "2026-06-10T08:00:00Z" }] };
    assert.throws(() => liveMessage({ payload, energy }, []), { code: "ENERGY_INPUT" });
    assert.equal(liveMessage({ payload, energy: { ...energy, delivery: "d" } }, [])?.payload, 0);
  });
});

describe("the reading of a message", () => {
  const read = (message: object): Promise<{ value: number | null }> =>
    readingOf({ payload: 70, ...message }, async ({ payload }) => ({ value: payload }), "payload");

  for (const [name, odd] of [
    ["without a prototype", Object.create(null) as object],
    ["that cannot become text", { toString: 1, valueOf: 1 }],
    ["that is null", null],
  ] as const)
    it(`has a value beside a topic or a path ${name}`, async () => {
      assert.equal((await read({ topic: odd })).value, 70);
      assert.equal((await read({ energy: { path: odd } })).value, 70);
    });

  it("takes no longer with a long topic", async () => {
    const watch = new TurnWatch();
    assert.equal((await read({ topic: `${"a".repeat(200_000)}/b` })).value, 70);
    const longest = watch.longest();
    watch.stop();
    assert.ok(longest < 700, `${longest} ms`);
  });
});
