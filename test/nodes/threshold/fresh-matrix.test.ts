// Tests that automatic validity fits every rhythm: lengths and lags of records by how often they are read, through the nodes.
import assert from "node:assert/strict";
import type { EventEmitter } from "node:events";
import type { NodeMessage } from "node-red";
import helper from "node-red-node-test-helper";
import { MINUTE } from "../../../src/time-units";
import { casesOf } from "../../support/fuzz";
import { Polling } from "../../support/polling";

/** Minutes; all of them with FUZZ_CASES=1, which takes minutes. */
const IS_WHOLE = casesOf(0) > 0;
const LENGTHS = IS_WHOLE ? [1, 5, 15, 30, 60] : [15];
const REPEATS = IS_WHOLE ? [1, 5, 10, 30] : [30];
/** Minutes from 0 to 20, by site. */
const SITES = ["demo-house", "demo-farm", "demo-cabin"];
const lagOf = (siteId: string, length: number): number =>
  Math.min(20, 10 * SITES.indexOf(siteId) + LENGTHS.indexOf(length));

const NODES = [
  { type: "energy-telemetry-poll", property: "payload.storage.stateOfCharge", ports: 2 },
  { type: "energy-latest-value", property: "payload", ports: 1 },
] as const;

/** Seconds that pass between two looks: while records come, and in silence. */
const TICK = 60;
const LONG_TICK = 5 * 60;
/** A timer of the threshold fires in time, however long a tick is. */
const TOLERANCE = 2000;

/** What one threshold has been sent, and has sent, of one series. */
interface Track {
  high: number;
  low: number;
  unsafeAt: number[];
  validUntil: number;
}

describe("an automation by validity that is learned", function () {
  this.timeout(600_000);
  let polling: Polling;

  afterEach(() => polling.close());

  for (const length of LENGTHS)
    it(`switches once, and off soon after silence begins, with records of ${length} min`, async () => {
      polling = await Polling.open(
        "energy-telemetry-poll",
        {},
        {
          holdsTimers: true,
          records: (siteId) => ({ length: length * MINUTE, lag: lagOf(siteId, length) * MINUTE }),
        },
      );
      let silentFrom = Number.POSITIVE_INFINITY;
      polling.service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > silentFrom);
      polling.service.changeRecords((_site, _system, record) => ({
        ...record,
        storage: { stateOfCharge: 80 },
      }));
      polling.service.fault({
        path: /sites$/,
        body: { data: SITES.map((siteId) => ({ siteId })) },
        times: 1e6,
      });
      const flow = REPEATS.flatMap((repeat) =>
        NODES.map((node) => ({ ...node, repeat, id: `${node.type}-${repeat}` })),
      );
      const others = flow.flatMap(({ id, type, property, ports, repeat }) => [
        // What one node learns of the rhythm helps the others of its account.
        {
          id: `account-${id}`,
          type: "energy-account",
          baseUrl: polling.service.baseUrl,
          apiVersion: "2026-01-01.preview",
        },
        {
          id,
          type,
          z: "tab",
          account: `account-${id}`,
          siteId: "*",
          systemId: "*",
          path: "storage.stateOfCharge",
          repeat,
          onDeploy: true,
          wires: ports === 2 ? [[], [`threshold-${id}`]] : [[`threshold-${id}`], [`threshold-${id}`]],
        },
        {
          id: `threshold-${id}`,
          type: "energy-threshold",
          z: "tab",
          property,
          high: 60,
          low: 20,
          wires: [1, 2, 3].map((port) => [`${port}-${id}`]),
        },
        ...[1, 2, 3].map((port) => ({ id: `${port}-${id}`, type: "helper", z: "tab" })),
      ]);
      await polling.start({ siteId: "demo-house" }, others);
      const tracks = new Map(flow.map(({ id }) => [id, listen(id)]));

      const pass = async (minutes: number, tick: number): Promise<void> => {
        for (let seconds = 0; seconds < minutes * 60; seconds += tick) await polling.advance(tick);
      };
      await pass(Math.max(95, 3.2 * length), TICK);
      for (const [id, bySeries] of tracks) {
        assert.equal(bySeries.size, SITES.length, id);
        for (const [topic, { high, low, unsafeAt }] of bySeries)
          assert.deepEqual([high, low, unsafeAt], [1, 0, []], `${id} ${topic}`);
      }
      silentFrom = Date.now();
      await pass(IS_WHOLE ? 180 : 120, LONG_TICK);
      for (const [id, bySeries] of tracks)
        for (const [topic, { high, low, unsafeAt, validUntil }] of bySeries) {
          const late = unsafeAt.map((at) => at - validUntil);
          const isInTime = late.length === 1 && late.every((by) => by >= 0 && by <= TOLERANCE);
          assert.deepEqual([high, low, isInTime], [1, 0, true], `${id} ${topic} ${late.join()}`);
        }
    });
});

/** Follows the messages of one node's threshold. */
function listen(id: string): Map<string, Track> {
  const bySeries = new Map<string, Track>();
  const on = (nodeId: string, note: (track: Track, message: NodeMessage) => void): void => {
    const node = helper.getNode(nodeId) as unknown as EventEmitter;
    node.on("input", (message: NodeMessage) => {
      const topic = String(message["topic"]);
      const track = bySeries.get(topic) ?? { high: 0, low: 0, unsafeAt: [], validUntil: 0 };
      bySeries.set(topic, track);
      note(track, message);
    });
  };
  on(`threshold-${id}`, (track, message) => {
    const { reason, validUntil = "" } = message["energy"] as { reason?: string; validUntil?: string };
    if (reason === undefined) track.validUntil = Date.parse(validUntil);
  });
  on(`1-${id}`, (track) => void (track.high += 1));
  on(`2-${id}`, (track) => void (track.low += 1));
  on(`3-${id}`, (track) => void track.unsafeAt.push(Date.now()));
  return bySeries;
}
