// Tests for saving the decisions of threshold: those made during a write share the next one.
import assert from "node:assert/strict";
import { systemClock } from "../../../src/clock";
import { StoreError } from "../../../src/errors";
import { StoredState } from "../../../src/stored-state";
import { DecisionStore } from "../../../nodes/threshold/decision-store";
import type { StoredDecision } from "../../../src/decisions/stored-decisions";

describe("the store of decisions", () => {
  let saved: StoredDecision[][];
  let fails: boolean;
  let decided: StoredDecision[];
  let store: DecisionStore;

  beforeEach(() => {
    saved = [];
    fails = false;
    decided = [];
    const state = new StoredState<StoredDecision[]>({
      load: () => Promise.resolve(undefined),
      save: async (decisions) => {
        await Promise.resolve();
        if (fails) throw new StoreError("storeWritten", { reason: "full" });
        saved.push(decisions);
      },
    });
    store = new DecisionStore(state, systemClock);
  });

  const decide = (topic: string): Promise<void> => {
    decided.push({ subject: { topic }, state: { side: "high" } });
    store.markChanged();
    return store.save(() => decided);
  };

  it("writes twice for a thousand decisions at the same time, and each waits until it is written", async () => {
    const all = Promise.all(Array.from({ length: 1000 }, (_, index) => decide(`t${index}`)));
    await all;
    assert.deepEqual(
      saved.map(({ length }) => length),
      [1, 1000],
    );
  });

  it("fails for each decision that could not be written, and writes them with the next", async () => {
    fails = true;
    const results = await Promise.allSettled([decide("a"), decide("b")]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    fails = false;
    await decide("c");
    assert.equal(saved.at(-1)?.length, 3);
  });
});
