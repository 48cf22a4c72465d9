// Tests for stored state: available immediately, read once, and written again after a failed write.
import assert from "node:assert/strict";
import { StoreError } from "../src/errors";
import { StoredState } from "../src/stored-state";

describe("stored state", () => {
  let written: (readonly [number | undefined, number | undefined])[];
  let isBroken: boolean;

  const store = {
    load: () =>
      isBroken ? Promise.reject(new StoreError("storeRead", { reason: "gone" })) : Promise.resolve(7),
    async save(state: number | undefined, within?: number) {
      await Promise.resolve();
      if (isBroken) throw new StoreError("storeWritten", { reason: "full" });
      written.push([state, within]);
    },
  };

  beforeEach(() => {
    written = [];
    isBroken = false;
  });

  it("is read once, and again after a failure", async () => {
    const state = new StoredState(store);
    isBroken = true;
    await assert.rejects(state.load(), { code: "ENERGY_STORE" });
    isBroken = false;
    assert.equal(await state.load(), 7);
    isBroken = true;
    assert.equal(await state.load(), 7);
  });

  it("is available immediately, and saved once its newest value is written", async () => {
    const state = new StoredState(store);
    const saving = [state.set(1, 100), state.set(2, 100)];
    assert.equal(state.isSaved, false);
    assert.equal(await state.load(), 2);
    await Promise.all(saving);
    assert.equal(state.isSaved, true);
    assert.deepEqual(written.at(-1), [2, 100]);
  });

  it("waits for no others in a flush", async () => {
    const state = new StoredState(store);
    const saving = state.set(1, 100);
    await state.flush();
    await saving;
    assert.deepEqual(written, [
      [1, 100],
      [1, undefined],
    ]);
  });

  it("is written by the next flush after a failed write, even if unchanged", async () => {
    const state = new StoredState(store);
    isBroken = true;
    await assert.rejects(state.set(1), { code: "ENERGY_STORE" });
    await assert.rejects(state.flush(), { code: "ENERGY_STORE" });
    isBroken = false;
    await state.flush();
    assert.equal(state.isSaved, true);
    assert.deepEqual(written, [[1, undefined]]);
  });

  it("is not written by a flush if unchanged, and works without a store", async () => {
    await new StoredState(store).flush();
    assert.deepEqual(written, []);
    const state = new StoredState<number>(undefined);
    await state.set(1);
    await state.flush();
    assert.equal(await state.load(), 1);
  });
});
