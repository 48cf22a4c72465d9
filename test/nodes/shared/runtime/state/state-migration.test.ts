// Tests for the files of earlier versions, one for each state: moved to the log, whenever that is interrupted.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digest } from "../../../../../nodes/shared/runtime/state/state-key";
import { MINUTE } from "../../../../../src/time-units";
import { BIRTH, CONFIGS, isConfig, MqttHome } from "../../../../support/mqtt-home";
import { topics } from "../../../../support/mqtt-node";
import { endsOf, expectedEnds, NOW, Polling } from "../../../../support/polling";
import { logsIn, storedStates } from "../../../../support/stored-states";
import { temporaryFolder } from "../../../../support/temporary";

const oldFilesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));

describe("a state file of an earlier version", () => {
  let polling: Polling;
  let folder: string;
  let path: string;

  /** Puts the newest state of the poll where an earlier version had it. */
  async function storeAsBefore(keepsLog = false): Promise<void> {
    await polling.node.stop();
    const [stored] = storedStates(polling.userDir).values();
    const { version: _version, ...owner } = stored?.owner ?? {};
    const key = { nodeId: "", ...owner, ...stored?.key };
    folder = join(polling.userDir, "energy-sites");
    path = join(folder, `${digest(key)}.json`);
    writeFileSync(path, `${JSON.stringify({ version: 1, ...key, state: stored?.state })}\n`);
    if (!keepsLog) for (const log of logsIn(polling.userDir)) writeFileSync(log, "");
  }

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
    await polling.start();
    await polling.poll();
  });
  afterEach(() => polling.close());

  it("is read, moved to the log, and removed", async () => {
    await storeAsBefore();
    polling.clock.setSystemTime(NOW + 10 * MINUTE);
    await polling.start();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
    assert.deepEqual(oldFilesIn(folder), []);
    await polling.restart();
    await polling.poll();
    assert.deepEqual(polling.sent(), []);
    assert.equal(storedStates(polling.userDir).size, 1);
  });

  it("does not count, and is removed, if the log has the state already", async () => {
    await storeAsBefore(true);
    writeFileSync(path, "what an interrupted move has left");
    await polling.start();
    await polling.poll();
    assert.deepEqual(polling.sent(), []);
    assert.deepEqual(oldFilesIn(folder), []);
  });

  it("is kept until the log can be written", async () => {
    await storeAsBefore();
    for (const log of logsIn(polling.userDir)) {
      // A folder can neither be read as a log nor replaced by one.
      rmSync(log);
      mkdirSync(join(log, "in the way"), { recursive: true });
      polling.clock.setSystemTime(NOW + 10 * MINUTE);
      await polling.start();
      polling.node.input({});
      assert.equal((await polling.node.caught()).energy.error.code, "ENERGY_STORE");
      assert.ok(existsSync(path));
      rmSync(log, { recursive: true });
    }
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
    assert.deepEqual(oldFilesIn(folder), []);
  });

  it("counts once it can be read, if it cannot at first", async () => {
    await storeAsBefore();
    const content = readFileSync(path);
    // A folder cannot be read as a file.
    rmSync(path);
    mkdirSync(path);
    polling.clock.setSystemTime(NOW + 10 * MINUTE);
    await polling.start();
    polling.node.input({});
    assert.equal((await polling.node.caught()).energy.error.code, "ENERGY_STORE");
    rmdirSync(path);
    writeFileSync(path, content);
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
    assert.deepEqual(oldFilesIn(folder), []);
  });

  it("is set aside if it is damaged", async () => {
    await storeAsBefore();
    writeFileSync(path, '{"version":1,"state":{"cur');
    await polling.start();
    await polling.poll();
    assert.equal(polling.sent().length, 1);
    assert.match(polling.node.logged(), /is damaged/);
    assert.deepEqual(oldFilesIn(folder), []);
  });
});

describe("a folder of stored devices of an earlier version", () => {
  it("is read, moved to the log, and removed", async () => {
    const mqtt = new MqttHome();
    const userDir = temporaryFolder();
    try {
      await mqtt.start({}, { userDir });
      await mqtt.live();
      await mqtt.node.stop();
      const states = [...storedStates(userDir).values()];
      for (const [index, { path, owner, key, state }] of states.entries()) {
        const folder = path.replace(".jsonl", "");
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${index}.json`), JSON.stringify({ ...owner, version: 1, ...key, state }));
      }
      for (const log of logsIn(userDir)) writeFileSync(log, "");
      await mqtt.start({}, { userDir });
      assert.deepEqual(topics((await mqtt.process(BIRTH)).filter(isConfig)), CONFIGS);
      assert.deepEqual(oldFilesIn(join(userDir, "energy-sites")), []);
      assert.equal(storedStates(userDir).size, states.length);
    } finally {
      await mqtt.close();
    }
  });
});
