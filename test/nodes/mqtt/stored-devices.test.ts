// Tests for the devices of mqtt readings on disk: a short line each, seldom written, and none without discovery.
import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeMessage } from "node-red";
import { HOUR, MINUTE } from "../../../src/time-units";
import { idle } from "../../support/idle";
import { BIRTH, CONFIGS, isConfig, MqttHome, SITE } from "../../support/mqtt-home";
import { recordAt, telemetry, topics } from "../../support/mqtt-node";
import { logsIn, storedStates } from "../../support/stored-states";
import { temporaryFolder } from "../../support/temporary";

const SYSTEMS = 12;
const KIBIBYTE = 1024;

describe("mqtt readings: stored devices", () => {
  let mqtt: MqttHome;
  /** The size of the files after the last round, in bytes. */
  let known: number;
  let userDir: string;

  beforeEach(() => {
    mqtt = new MqttHome();
    known = 0;
    userDir = temporaryFolder();
  });
  afterEach(() => mqtt.close());

  const start = (properties: Record<string, unknown> = {}): Promise<void> =>
    mqtt.start(properties, { userDir });
  const listOf = (...siteIds: string[]): NodeMessage => ({
    payload: siteIds.map((siteId) => ({ siteId })),
    energy: { kind: "site-list", count: siteIds.length },
  });

  /** The names of the stored devices. */
  const names = (): string[] => [...storedStates(userDir).values()].map(({ id }) => id).toSorted();
  const size = (): number => logsIn(userDir).reduce((sum, path) => sum + statSync(path).size, 0);

  /** Sends a live record of each system; returns the bytes that were written since the last round. */
  async function round(): Promise<number> {
    const before = known;
    for (let index = 0; index < SYSTEMS; index++) {
      const grid = { power: index, lifetimeImportedEnergy: Date.now() };
      await mqtt.process({ ...telemetry(recordAt(Date.now(), { grid })), systemId: `system-${index}` });
    }
    // A message does not wait until its counters are on the disk.
    await idle();
    known = size();
    return known - before;
  }

  it("are written once for each new device, and for its counters every 15 minutes at most", async () => {
    await start();
    const first = await round();
    assert.equal(names().length, SYSTEMS + 1);
    assert.ok(first > 0 && first < (SYSTEMS + 1) * KIBIBYTE, `${first} bytes`);
    await mqtt.advance(5 * MINUTE);
    assert.equal(await round(), 0);
    await mqtt.advance(15 * MINUTE);
    const counters = await round();
    assert.ok(counters > 0 && counters < SYSTEMS * KIBIBYTE, `${counters} bytes`);
    await mqtt.advance(5 * MINUTE);
    assert.equal(await round(), 0);
  });

  it("take nothing from the disk and leave nothing on it without discovery, nor do they need a user directory", async () => {
    await start({ discovery: false, retain: true });
    await mqtt.live();
    await mqtt.process(listOf("elsewhere"));
    await mqtt.node.stop();
    assert.equal(existsSync(join(userDir, "energy-sites")), false);
    await mqtt.start({ discovery: false }, { settings: { userDir: undefined } });
    await mqtt.live();
    assert.doesNotMatch(mqtt.node.logged(), /user directory/);
  });

  it("are known after a crash, with what their next record does not bring", async () => {
    await start();
    await mqtt.live();
    await mqtt.advance(MINUTE);
    await mqtt.live({ grid: { power: 1, lifetimeImportedEnergy: 5001 } });
    const copy = temporaryFolder();
    cpSync(userDir, copy, { recursive: true });
    await mqtt.node.stop();
    await mqtt.start({}, { userDir: copy });
    assert.deepEqual(topics((await mqtt.process(BIRTH)).filter(isConfig)), CONFIGS);
  });

  it("are forgotten when they are removed", async () => {
    await start();
    await mqtt.live();
    await mqtt.process({ ...telemetry(recordAt(Date.now())), siteId: "other" });
    assert.deepEqual(names(), [SITE, `${SITE}__a`, "energy__other", "energy__other__a"]);
    for (const hours of [12, 12, 0]) {
      await mqtt.process(listOf("other"));
      mqtt.clock.setSystemTime(Date.now() + hours * HOUR);
    }
    assert.deepEqual(names(), ["energy__other", "energy__other__a"]);
  });

  it("survive a damaged line of another device, which is set aside with a warning", async () => {
    await start();
    await mqtt.live();
    await mqtt.node.stop();
    const [path = ""] = logsIn(userDir);
    const lines = readFileSync(path, "utf8").split("\n");
    const isOfDevice = (line: string): boolean => line.startsWith(`["${SITE}__a"`);
    writeFileSync(path, lines.map((line) => (isOfDevice(line) ? line.slice(0, 40) : line)).join("\n"));
    await start();
    assert.deepEqual(topics((await mqtt.process(BIRTH)).filter(isConfig)), [CONFIGS[0]]);
    assert.match(mqtt.node.logged(), /is damaged/);
    assert.equal(
      readdirSync(join(userDir, "energy-sites")).filter((name) => name.includes("damaged")).length,
      1,
    );
    await mqtt.live();
    assert.equal(names().length, 2);
  });

  it("are readable by the user who runs Node-RED alone", async () => {
    await start();
    await mqtt.live();
    for (const path of logsIn(userDir)) assert.equal(statSync(path).mode & 0o077, 0);
    assert.equal(statSync(join(userDir, "energy-sites")).mode & 0o077, 0);
  });

  it("are kept in memory without a user directory, with one warning", async () => {
    await mqtt.start({}, { settings: { userDir: undefined } });
    await mqtt.live();
    await mqtt.live();
    assert.deepEqual(topics((await mqtt.process(BIRTH)).filter(isConfig)), CONFIGS);
    assert.equal(mqtt.node.logged().match(/no user directory/g)?.length, 1);
  });
});
