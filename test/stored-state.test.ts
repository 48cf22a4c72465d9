// Tests for stored state: the newest one is written, one write at a time, and a failed write is retried.
import assert from "node:assert/strict";
import { StoreError } from "../src/errors";
import { StoredState } from "../src/stored-state";

describe("stored state", () => {
  let written: number[];
  let isBroken: boolean;
  let isWriting: boolean;
  /** Completes the current write. */
  let release: () => void;

  const store = {
    load: () =>
      isBroken ? Promise.reject(new StoreError("storeRead", { reason: "gone" })) : Promise.resolve(7),
    async save(state: number) {
      assert.equal(isWriting, false, "one write at a time");
      isWriting = true;
      await new Promise<void>((resolve) => (release = resolve));
      isWriting = false;
      if (isBroken) throw new StoreError("storeWritten", { reason: "full" });
      written.push(state);
    },
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    written = [];
    isBroken = isWriting = false;
    release = () => undefined;
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

  it("is available immediately, and only its newest value is written", async () => {
    const state = new StoredState(store);
    const saving = [1, 2, 3].map((value) => state.set(value));
    assert.equal(state.current, 3);
    await turn();
    release();
    await turn();
    release();
    await Promise.all(saving);
    assert.deepEqual(written, [3]);
  });

  it("hurries a store that waits for more, as long as somebody waits for the store", async () => {
    const done: string[] = [];
    const state = new StoredState({
      load: () => Promise.resolve(undefined),
      async save(value: number) {
        done.push(`save ${value}`);
        await turn();
      },
      hurry: () => void done.push("hurry"),
    });
    void state.set(1);
    await turn();
    void state.set(2);
    assert.deepEqual(done, ["save 1"]);
    assert.equal(state.isSaved, false);
    await state.flush();
    assert.deepEqual(done.slice(-2), ["save 2", "hurry"]);
    assert.equal(state.isSaved, true);
    void state.set(3);
    await turn();
    assert.equal(done.at(-1), "save 3");
  });

  it("is written by the next flush after a failed write, even if unchanged", async () => {
    const state = new StoredState(store);
    isBroken = true;
    const saving = state.set(1);
    await turn();
    release();
    await saving;
    const flushing = assert.rejects(state.flush(), { code: "ENERGY_STORE" });
    await turn();
    release();
    await flushing;
    isBroken = false;
    const healed = state.flush();
    await turn();
    release();
    await healed;
    assert.deepEqual(written, [1]);
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
