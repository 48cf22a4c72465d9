// Tests for the log of stored states: written together, read at once, and rewritten without old lines.
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { StateLog } from "../../../../../nodes/shared/runtime/state/state-log";
import { AS_STORED } from "../../../../support/state-writer";
import { temporaryFolder } from "../../../../support/temporary";

const OWNER = { nodeId: "poll", accountId: "account" };

describe("the log of stored states", () => {
  let path: string;
  let log: StateLog;

  const openLog = (): StateLog =>
    new StateLog({ path, owner: OWNER, onDamaged: (aside) => assert.fail(`damaged: ${aside}`) });
  const save = (id: string, state: unknown, to = log): Promise<void> => to.state(id, AS_STORED).save(state);
  const load = (id: string, from = openLog()): Promise<unknown> => from.state(id, AS_STORED).load();
  const lines = (): string[] => readFileSync(path, "utf8").trimEnd().split("\n");

  beforeEach(() => {
    path = join(temporaryFolder(), "states", "log.jsonl");
    log = openLog();
  });

  it("has nothing, and writes nothing, before a state is saved", async () => {
    assert.equal(await load("a", log), undefined);
    await log.state("a", AS_STORED).save(undefined);
    assert.equal(existsSync(dirname(path)), false);
  });

  it("returns the newest of each state, and none that was removed", async () => {
    await save("a", 1);
    await save("b", { x: "é\n" });
    await save("c", 3);
    await save("a", 2);
    await log.state("c", AS_STORED).save(undefined);
    const read = openLog();
    assert.deepEqual(
      [await load("a", read), await load("b", read), await load("c", read)],
      [2, { x: "é\n" }, undefined],
    );
  });

  it("writes a line for each change, which people can read", async () => {
    await save("a", 1);
    await save("b", 1);
    await save("a", 2);
    assert.deepEqual(lines(), [
      '{"version":1,"nodeId":"poll","accountId":"account"}',
      '["a",1]',
      '["b",1]',
      '["a",2]',
    ]);
  });

  it("is readable by its owner alone", async () => {
    await save("a", 1);
    await save("a", 2);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
  });

  it("writes states together that are saved during a write, only the newest of each", async () => {
    await save("a", 0);
    await Promise.all(Array.from({ length: 1000 }, (_, index) => save(`s${index % 10}`, index)));
    // The first was under way when the others came.
    assert.ok(lines().length <= 2 + 1 + 10, `${lines().length} lines`);
    assert.equal(await load("s9"), 999);
  });

  it("lets states wait for others until one does not wait", async () => {
    await save("a", 0);
    const saving = log.state("a", AS_STORED).save(1, 60_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await load("a"), 0);
    await save("b", 2);
    await saving;
    assert.deepEqual([await load("a"), await load("b")], [1, 2]);
  });

  it("reads what is about to be written, once it is", async () => {
    await save("a", 0);
    const saving = [log.state("a", AS_STORED).save(1, 100)];
    assert.equal(await load("a", log), 1);
    saving.push(log.state("b", AS_STORED).save(2, 100));
    assert.deepEqual([...(await log.group(AS_STORED).load()).values()], [1, 2]);
    assert.deepEqual([await load("a"), await load("b")], [1, 2]);
    await Promise.all(saving);
  });

  it("writes in time a state that no other is written with", async () => {
    await log.state("a", AS_STORED).save(1, 100);
    assert.equal(await load("a"), 1);
  });

  it("stays small, however often a state is saved", async () => {
    const state = { text: "x".repeat(100) };
    await save("other", 7);
    for (let count = 0; count < 300; count += 1) await save("a", { count, ...state });
    const size = statSync(path).size;
    assert.ok(size <= 16 * 1024, `${size} bytes`);
    assert.deepEqual([await load("a"), await load("other")], [{ count: 299, ...state }, 7]);
  });

  it("fails as long as the folder cannot be written, and heals by itself", async () => {
    writeFileSync(dirname(path), "a file where the folder should be");
    await assert.rejects(save("a", 1), { code: "ENERGY_STORE" });
    unlinkSync(dirname(path));
    await save("b", 2);
    await save("a", 3);
    assert.deepEqual([await load("a"), await load("b")], [3, 2]);
  });

  it("saves what could not be written with the next state", async () => {
    await save("a", 1);
    await save("b", 1);
    const aside = `${path}.aside`;
    renameSync(path, aside);
    mkdirSync(path);
    await assert.rejects(save("a", 2), { code: "ENERGY_STORE" });
    await assert.rejects(save("b", undefined), { code: "ENERGY_STORE" });
    assert.deepEqual([await load("a", log), log.isIdle], [2, false]);
    rmdirSync(path);
    // Part of a write that failed.
    writeFileSync(path, `${readFileSync(aside, "utf8")}["a",`);
    await save("c", 3);
    assert.deepEqual([await load("a"), await load("b"), await load("c")], [2, undefined, 3]);
    assert.ok(log.isIdle);
  });

  it("fails as long as the file cannot be read, and heals by itself", async () => {
    mkdirSync(path, { recursive: true });
    await assert.rejects(load("a", log), { code: "ENERGY_STORE" });
    await assert.rejects(save("a", 1), { code: "ENERGY_STORE" });
    rmdirSync(path);
    await save("a", 2);
    assert.equal(await load("a"), 2);
  });

  it("writes everything again after the file was removed", async () => {
    await save("a", 1);
    rmSync(dirname(path), { recursive: true });
    await save("b", 2);
    assert.deepEqual([await load("a"), await load("b")], [1, 2]);
  });

  it("keeps what a second Node-RED writes into the same file", async () => {
    await save("a", 1);
    const second = openLog();
    await save("b", 2, second);
    // Enough to rewrite the file.
    for (let count = 0; count < 200; count += 1) await save("a", "x".repeat(100) + count);
    await save("c", 3, second);
    const read = openLog();
    assert.deepEqual([await load("b", read), await load("c", read)], [2, 3]);
    assert.match(String(await load("a", read)), /x199$/);
  });
});
