// Tests what a healthy poll costs: one request, and one small write of one file for new records.
import assert from "node:assert/strict";
import fs from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import sinon from "sinon";
import { Polling } from "../support/polling";

const KIBIBYTE = 1024;

describe("a healthy poll", () => {
  let polling: Polling;
  /** State files are replaced by renaming; nothing else of a running node is. */
  let renames: sinon.SinonSpy;

  beforeEach(async () => {
    const defaults = { siteId: "demo-house", startFrom: "hours", startHours: 24 };
    polling = await Polling.open("energy-telemetry-poll", defaults, { holdsTimers: true });
    renames = sinon.spy(fs, "rename");
  });
  afterEach(async () => {
    renames.restore();
    await polling.close();
  });

  const folder = (): string => join(polling.userDir, "energy-sites");
  /** The path and inode of each state file: a write changes the inode. */
  const files = async (): Promise<Map<string, number>> => {
    const paths = (await readdir(folder())).map((name) => join(folder(), name));
    return new Map(await Promise.all(paths.map(async (path) => [path, (await stat(path)).ino] as const)));
  };
  /** The cost of what is done: requests, and the files written, one for each write. */
  const costOf = async (run: () => Promise<void>): Promise<{ requests: number; written: unknown[] }> => {
    const { requests } = polling.service;
    const before = requests.length;
    renames.resetHistory();
    await run();
    const written = renames.args.map(([, target]: unknown[]) => target);
    return { requests: requests.length - before, written };
  };

  for (const [name, properties] of [
    ["one message per record", {}],
    ["one message per run", { output: "batch" }],
    ["re-reading an hour for corrections", { lookBack: 60 }],
  ] as const) {
    it(`makes one request and writes one small file once when there are new records: ${name}`, async () => {
      await polling.start(properties);
      await polling.poll();
      // One new record, and then three of them at once.
      for (const minutes of [5, 20]) {
        const before = await files();
        polling.at(minutes);
        const cost = await costOf(() => polling.poll());
        const after = await files();
        const [path = ""] = after.keys();
        assert.deepEqual(cost, { requests: 1, written: [path] });
        assert.equal(after.size, 1);
        assert.notEqual(after.get(path), before.get(path));
        const { size } = await stat(path);
        assert.ok(size < KIBIBYTE, `${size} bytes`);
      }
    });

    it(`makes one request and writes nothing when nothing is new: ${name}`, async () => {
      await polling.start(properties);
      await polling.poll();
      const before = await files();
      for (const minutes of [1, 2]) {
        polling.at(minutes);
        assert.deepEqual(await costOf(() => polling.poll()), { requests: 1, written: [] });
      }
      assert.deepEqual(await files(), before);
    });
  }

  it("makes one request and one write for each system", async () => {
    await polling.start({ siteId: "demo-twin", systemId: "*" });
    await polling.poll();
    polling.at(5);
    const { written } = await costOf(() => polling.poll());
    assert.equal(written.length, 2);
    // The list of the systems was written when it was new.
    assert.equal((await files()).size, 3);
    assert.equal(polling.queries().length, 4);
  });

  it("costs the same on a schedule", async () => {
    await polling.start({ repeat: 5 });
    await polling.poll();
    const cost = await costOf(async () => {
      // To the full five minutes; the run starts a few seconds later.
      await polling.advance(3 * 60);
      await polling.advance(20);
    });
    assert.deepEqual(cost, { requests: 1, written: [...(await files()).keys()] });
  });
});
