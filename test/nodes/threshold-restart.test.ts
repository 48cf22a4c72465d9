// Tests for threshold across a restart: it keeps its last side, and sets an unreadable file aside.
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startThreshold, type ThresholdNode } from "../support/threshold-node";

describe("threshold across a restart", () => {
  let node: ThresholdNode;

  afterEach(() => node.stop());

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startThreshold(properties);
  };

  it("neither repeats nor invents an edge, and keeps its last side", async () => {
    await start();
    await node.process({ payload: 70 });
    await node.redeploy();
    await node.process({ payload: 75 }, { payload: 40 });
    assert.deepEqual(node.counts(), [1, 0, 0]);
    await node.process({ payload: 10 });
    assert.deepEqual(node.counts(), [1, 1, 0]);
  });

  it("does not report an unsafe value again", async () => {
    await start();
    await node.process({ payload: null });
    await node.redeploy();
    await node.process({ payload: null });
    assert.deepEqual(node.counts(), [0, 0, 1]);
  });

  it("starts over when its property changes", async () => {
    await start();
    await node.process({ payload: 70 });
    await node.redeploy({ property: "other" });
    await node.process({ other: 70 });
    assert.deepEqual(node.counts(), [2, 0, 0]);
  });

  it("starts over if its file is damaged, and keeps the file", async () => {
    await start();
    await node.process({ payload: 70 });
    const folder = join(node.userDir, "energy-sites");
    const [file = ""] = await readdir(folder);
    assert.match(await readFile(join(folder, file), "utf8"), /"side":"high"/);
    await node.redeploy({ high: 61 });
    await writeFile(join(folder, file), '{"state":[7]}');
    await node.redeploy({ high: 60 });
    await node.process({ payload: 70 });
    assert.deepEqual(node.counts(), [2, 0, 0]);
    assert.equal((await readdir(folder)).length, 2);
  });
});
