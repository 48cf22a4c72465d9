// Tests for damaged logs: a write that was interrupted costs nothing, and a damaged line at most its own state.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import sinon from "sinon";
import { StateLog } from "../../../../../nodes/shared/runtime/state/state-log";
import { AS_STORED } from "../../../../support/state-writer";
import { temporaryFolder } from "../../../../support/temporary";

describe("a damaged log of stored states", () => {
  let path: string;
  let asides: string[];

  const openLog = (): StateLog =>
    new StateLog({ path, owner: { nodeId: "poll" }, onDamaged: (aside) => asides.push(aside) });
  const others = (): string[] => readdirSync(dirname(path)).filter((name) => name !== basename(path));
  const damaged = (): undefined => undefined;
  const states = async (log = openLog()): Promise<unknown[]> =>
    Promise.all(["a", "b", "c"].map((id) => log.state(id, AS_STORED).load()));

  beforeEach(async () => {
    path = join(temporaryFolder(), "states", "log.jsonl");
    asides = [];
    const log = openLog();
    for (const [id, state] of [
      ["a", { at: 1 }],
      ["b", { at: 2 }],
      ["c", { at: 3 }],
      ["b", { at: 4, text: "é" }],
    ] as const)
      await log.state(id, AS_STORED).save(state);
  });

  it("loses only an interrupted write, wherever that was cut", async () => {
    const whole = readFileSync(path);
    const last = whole.lastIndexOf('["b"');
    for (let length = last; length < whole.length - 1; length += 1) {
      writeFileSync(path, whole.subarray(0, length));
      assert.deepEqual(await states(), [{ at: 1 }, { at: 2 }, { at: 3 }], `cut at ${length}`);
      const log = openLog();
      await log.state("a", AS_STORED).save({ at: 5 });
      assert.deepEqual(await states(), [{ at: 5 }, { at: 2 }, { at: 3 }], `cut at ${length}`);
    }
    assert.deepEqual([asides, others()], [[], []]);
  });

  it("reads a last line that lacks its end", async () => {
    writeFileSync(path, readFileSync(path, "utf8").trimEnd());
    assert.deepEqual(await states(), [{ at: 1 }, { at: 4, text: "é" }, { at: 3 }]);
    await openLog().state("a", AS_STORED).save({ at: 5 });
    assert.deepEqual(await states(), [{ at: 5 }, { at: 4, text: "é" }, { at: 3 }]);
    assert.deepEqual(asides, []);
  });

  it("is copied aside once if a line is damaged, and goes on from the state before it", async () => {
    const lines = readFileSync(path, "utf8").split("\n");
    lines[4] = lines[4]?.slice(0, 9) ?? "";
    writeFileSync(path, lines.join("\n"));
    assert.deepEqual(await states(), [{ at: 1 }, { at: 2 }, { at: 3 }]);
    assert.deepEqual(await states(), [{ at: 1 }, { at: 2 }, { at: 3 }]);
    assert.equal(asides.length, 1);
    assert.equal(readFileSync(asides[0] ?? "", "utf8"), lines.join("\n"));
  });

  it("tells that everything is lost if the file is empty", async () => {
    writeFileSync(path, "");
    assert.deepEqual(await states(), [undefined, undefined, undefined]);
    assert.equal(asides.length, 1);
  });

  it("loses no other state by a damaged line", async () => {
    const lines = readFileSync(path, "utf8").split("\n");
    lines[1] = "\u0000".repeat(20);
    writeFileSync(path, lines.join("\n"));
    assert.deepEqual(await states(), [undefined, { at: 4, text: "é" }, { at: 3 }]);
  });

  it("does without its header", async () => {
    const [, ...lines] = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, lines.join("\n"));
    assert.deepEqual(await states(), [{ at: 1 }, { at: 4, text: "é" }, { at: 3 }]);
    assert.deepEqual(asides, []);
  });

  it("is copied aside if nothing in it can be read", async () => {
    writeFileSync(path, '{"version":1,"state":{"cur');
    assert.deepEqual(await states(), [undefined, undefined, undefined]);
    assert.equal(asides.length, 1);
    const log = openLog();
    await log.state("a", AS_STORED).save(1);
    assert.deepEqual(await states(), [1, undefined, undefined]);
    assert.equal(asides.length, 1);
  });

  for (const isReadable of [true, false])
    it(`is read while the disk takes no copy, ${isReadable ? "a line" : "a state"} being damaged`, async () => {
      const clock = sinon.useFakeTimers({ now: 1000, toFake: ["Date"] });
      try {
        const aside = `${path}.damaged-1000`;
        mkdirSync(aside);
        if (!isReadable) writeFileSync(path, readFileSync(path, "utf8").replace('["c",', '["c"'));
        const before = readFileSync(path, "utf8");
        const log = openLog();
        const read = isReadable ? damaged : AS_STORED.read;
        assert.equal(await log.state("c", { read }).load(), undefined);
        assert.deepEqual(await log.state("a", AS_STORED).load(), { at: 1 });
        await assert.rejects(log.state("a", AS_STORED).save(5), { code: "ENERGY_STORE" });
        assert.deepEqual([readFileSync(path, "utf8"), asides], [before, []]);
        rmdirSync(aside);
        await log.state("b", AS_STORED).save(6);
        assert.deepEqual([asides, readFileSync(aside, "utf8")], [[aside], before]);
        assert.deepEqual(await states(), [5, 6, undefined]);
      } finally {
        clock.restore();
      }
    });

  it("does without a copy of what was removed meanwhile", async () => {
    const log = openLog();
    const clock = sinon.useFakeTimers({ now: 1000, toFake: ["Date"] });
    mkdirSync(`${path}.damaged-1000`);
    await log.state("c", { read: damaged }).load();
    clock.restore();
    rmSync(path);
    await log.state("b", AS_STORED).save(6);
    assert.deepEqual(await states(), [{ at: 1 }, 6, undefined]);
  });

  it("is copied aside before a state is removed that its owner cannot read", async () => {
    const log = openLog();
    assert.equal(await log.state("a", { read: damaged }).load(), undefined);
    assert.match(readFileSync(asides[0] ?? "", "utf8"), /"at":1/);
    assert.deepEqual(await states(), [undefined, { at: 4, text: "é" }, { at: 3 }]);
  });

  it("is copied aside once, however many states their owners cannot read", async () => {
    const log = openLog();
    await Promise.all([log.state("a", { read: damaged }).load(), log.state("b", { read: damaged }).load()]);
    assert.equal((await log.group({ read: damaged }).load()).size, 0);
    assert.equal(asides.length, 1);
    const copy = readFileSync(asides[0] ?? "", "utf8");
    for (const id of ["a", "b", "c"]) assert.ok(copy.includes(`["${id}"`), id);
    assert.deepEqual(await states(), [undefined, undefined, undefined]);
  });
});
