// Tests that a process killed while it writes loses nothing that it said was saved, and leaves no partial state.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { buildSync } from "esbuild";
import { StateLog } from "../../../../../nodes/shared/runtime/state/state-log";
import { AS_STORED, TEXT, WRITERS } from "../../../../support/state-writer";
import { temporaryFolder } from "../../../../support/temporary";

/** Lines after which a writer is killed: between a few and several rewrites. */
const KILLS = [5, 140, 700];

describe("the log of stored states, when its process is killed", () => {
  let script: string;
  let path: string;
  /** By state: the last one said to be saved, and the last one begun. */
  const saved = new Map<string, number>();
  const begun = new Map<string, number>();

  before(() => {
    const folder = temporaryFolder();
    script = join(folder, "state-writer.cjs");
    path = join(folder, "states", "log.jsonl");
    const entryPoints = [join(__dirname, "../../../../support/state-writer.ts")];
    buildSync({ entryPoints, outfile: script, bundle: true, platform: "node", format: "cjs" });
  });

  /**
   * Kills a writer right after it has said so many lines. Returns what it says when it fails before.
   * @param limit of a file, in KiB: what is written beyond it fails, as on a full disk
   * @param ending `rewrite`: in the middle of the first rewrite
   */
  async function killAfter(count: number, limit?: number, ending = ""): Promise<string | undefined> {
    const limited = limit === undefined ? [] : ["bash", "-c", `ulimit -f ${limit}; exec "$0" "$@"`];
    const [command, ...args] = [...limited, process.execPath, script, path, ending];
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(child, "close");
    let failure: string | undefined;
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const [word, id = "", number] = line.split(" ");
      assert.notEqual(word, "damaged");
      if (word === "failed") failure = id;
      else (word === "saved" ? saved : begun).set(id, Number(number));
      lines += 1;
      if (lines === count || word === "failed") child.kill("SIGKILL");
    }
    await closed;
    return failure;
  }

  function startOver(): void {
    rmSync(dirname(path), { recursive: true, force: true });
    saved.clear();
    begun.clear();
  }

  /** A new log with one state. */
  async function saveOne(): Promise<void> {
    startOver();
    for (const known of [saved, begun]) known.set("s1", 1);
    await new StateLog({ path, owner: {}, onDamaged: assert.fail }).state("s1", AS_STORED).save({
      count: 1,
      text: `${TEXT}1`,
    });
  }

  async function checkStates(): Promise<void> {
    const log = new StateLog({ path, owner: {}, onDamaged: (aside) => assert.fail(`damaged: ${aside}`) });
    for (const [id, last] of begun) {
      const state = (await log.state(id, AS_STORED).load()) as { count: number; text: string } | undefined;
      const { count, text } = state ?? { count: 0, text: `${TEXT}0` };
      assert.equal(text, TEXT + count);
      assert.ok(count >= (saved.get(id) ?? 0) && count <= last, `${id}: ${count} of ${last}`);
    }
  }

  it("has each state as it was last saved, or as it was being saved", async () => {
    for (const lines of KILLS) {
      await killAfter(lines);
      await checkStates();
    }
    assert.equal(saved.size, WRITERS);
  });

  it("has each state as it was last saved when the disk is full, and goes on when it is not", async () => {
    startOver();
    // Less than what makes the log be rewritten.
    for (const limit of [3, 8]) {
      assert.equal(await killAfter(Number.POSITIVE_INFINITY, limit), "ENERGY_STORE");
      await checkStates();
    }
    // An interrupted write makes the next one rewrite the log, which has no room either.
    appendFileSync(path, '["s1",{"cou');
    assert.equal(await killAfter(Number.POSITIVE_INFINITY, 1), "ENERGY_STORE");
    assert.deepEqual(readdirSync(dirname(path)), [basename(path)]);
    await checkStates();
    await killAfter(500);
    await checkStates();
  });

  it("leaves nothing once it goes on, if it was being rewritten", async () => {
    await saveOne();
    appendFileSync(path, '["s1",{"cou');
    assert.equal(await killAfter(Number.POSITIVE_INFINITY, undefined, "rewrite"), undefined);
    assert.equal(readdirSync(dirname(path)).length, 2);
    await checkStates();
    await new StateLog({ path, owner: {}, onDamaged: assert.fail }).state("s1", AS_STORED).save(1);
    assert.deepEqual(readdirSync(dirname(path)), [basename(path)]);
  });

  it("leaves nothing of a copy of a damaged log for which the disk is full", async () => {
    await saveOne();
    appendFileSync(path, `${"?".repeat(3000)}\n`);
    assert.equal(await killAfter(Number.POSITIVE_INFINITY, 1), "ENERGY_STORE");
    assert.deepEqual(
      readdirSync(dirname(path)).filter((name) => name.includes("damaged")),
      [],
    );
  });
});
