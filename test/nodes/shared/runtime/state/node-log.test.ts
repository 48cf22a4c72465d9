// Tests for the logs in use: one for each file, shared by its nodes, until the last of them is closed.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { nodeLog, shortDigest } from "../../../../../nodes/shared/runtime/state/storage";
import type { StateLog } from "../../../../../nodes/shared/runtime/state/state-log";
import { temporaryFolder } from "../../../../support/temporary";

const RED = { _: (key: string) => key } as unknown as NodeAPI;
const OWNER = { nodeId: "poll" };

const newNode = (): Node => Object.assign(new EventEmitter(), { warn: () => undefined }) as unknown as Node;

describe("the logs in use", () => {
  let folder: string;

  beforeEach(() => (folder = temporaryFolder()));

  const logOf = (node: Node): Promise<StateLog> =>
    nodeLog(RED, node, folder, OWNER)((log) => Promise.resolve(log));
  const save = (node: Node, state: number): Promise<void> =>
    nodeLog(RED, node, folder, OWNER)((log) => log.save("a", { key: { name: "a" }, state }));
  const load = (node: Node): Promise<unknown> => nodeLog(RED, node, folder, OWNER)((log) => log.load("a"));

  it("are one for each file, as long as one of its nodes is not closed", async () => {
    const [first, second] = [newNode(), newNode()];
    const log = await logOf(first);
    assert.equal(await logOf(second), log);
    first.emit("close");
    assert.equal(await logOf(second), log);
    second.emit("close");
    assert.notEqual(await logOf(newNode()), log);
  });

  it("are one for each file while a closed node still writes", async () => {
    const [before, after] = [newNode(), newNode()];
    await save(before, 1);
    const writing = save(before, 2);
    before.emit("close");
    assert.equal(await load(after), 2);
    await writing;
  });

  it("are read again for a node that is closed, and can still be written", async () => {
    const node = newNode();
    await save(node, 1);
    node.emit("close");
    const [file = ""] = readdirSync(folder);
    writeFileSync(join(folder, file), '["a",{"name":"a"},5]\n');
    assert.equal(await load(node), 5);
    await save(node, 6);
    assert.equal(await load(newNode()), 6);
  });
});

describe("the digest in each line of a log", () => {
  it("has at least 128 bits", () => {
    const digest = Buffer.from(shortDigest({ siteId: "a" }), "base64url");
    assert.ok(digest.length >= 16);
    assert.equal(shortDigest({ siteId: "a" }), shortDigest({ siteId: "a" }));
  });
});
