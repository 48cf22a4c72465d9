// Tests for the logs in use: one for each file, shared by its nodes, until the last of them is closed.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { nodeLog } from "../../../../../nodes/shared/runtime/state/storage";
import type { StateLog } from "../../../../../nodes/shared/runtime/state/state-log";
import { AS_STORED } from "../../../../support/state-writer";
import { temporaryFolder } from "../../../../support/temporary";

const RED = { _: (key: string) => key } as unknown as NodeAPI;
const OWNER = { nodeId: "poll" };
const KEY = "a";

const newNode = (): Node => Object.assign(new EventEmitter(), { warn: () => undefined }) as unknown as Node;

describe("the logs in use", () => {
  let folder: string;

  beforeEach(() => (folder = temporaryFolder()));

  const logOf = (node: Node): StateLog => nodeLog(RED, node, folder, OWNER);
  const save = (node: Node, state: number): Promise<void> => logOf(node).state(KEY, AS_STORED).save(state);
  const load = (node: Node): Promise<unknown> => logOf(node).state(KEY, AS_STORED).load();
  const close = async (node: Node): Promise<void> => {
    node.emit("close");
    await new Promise(setImmediate);
  };

  it("are one for each file, as long as one of its nodes is not closed", async () => {
    const [first, second] = [newNode(), newNode()];
    const log = logOf(first);
    assert.equal(logOf(second), log);
    await close(first);
    assert.equal(logOf(second), log);
    await close(second);
    assert.notEqual(logOf(newNode()), log);
  });

  it("are one for each file while a closed node still writes", async () => {
    const [before, after] = [newNode(), newNode()];
    await save(before, 1);
    const writing = save(before, 2);
    before.emit("close");
    assert.equal(await load(after), 2);
    await writing;
  });

  it("are one for each file while something of a closed node could not be written", async () => {
    const [before, after] = [newNode(), newNode()];
    await save(before, 1);
    const [file = ""] = readdirSync(folder);
    rmSync(join(folder, file));
    mkdirSync(join(folder, file));
    await assert.rejects(save(before, 2), { code: "ENERGY_STORE" });
    await close(before);
    assert.equal(await load(after), 2);
    rmdirSync(join(folder, file));
    await logOf(after).state("b", AS_STORED).save(3);
    await close(after);
    assert.equal(await load(newNode()), 2);
  });

  it("are read again once all of their nodes are closed", async () => {
    const node = newNode();
    await save(node, 1);
    await close(node);
    const [file = ""] = readdirSync(folder);
    writeFileSync(join(folder, file), '["a",5]\n');
    assert.equal(await load(newNode()), 5);
    await save(newNode(), 6);
    assert.equal(await load(newNode()), 6);
  });
});
