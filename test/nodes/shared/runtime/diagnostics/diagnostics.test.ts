// Tests for the diagnostics of nodes and accounts: what they say about a real run.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Node } from "node-red";
import {
  describeNode,
  failuresIn,
  instanceOf,
} from "../../../../../nodes/shared/runtime/lifecycle/node-notes";
import { PartialFailure } from "../../../../../nodes/shared/runtime/base/errors";
import { EnergyError, errorText } from "../../../../../src/errors";
import { ACCOUNT, answerTo, NODE, reportOf, SITE } from "../../../../support/diagnostics";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { Polling } from "../../../../support/polling";
import { startService, type TestService } from "../../../../support/service";

describe("diagnostics", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await node?.stop();
    await service.close();
  });

  async function start(type: string, properties: Record<string, unknown>): Promise<void> {
    node = await startNode(type, properties, { account: { baseUrl: service.baseUrl } });
  }

  it("of a poll say when it ran, where its series stands, and what its account requested", async () => {
    await start("energy-telemetry-poll", { siteId: SITE, repeat: 5, startFrom: "hours", startHours: 1 });
    node.input({});
    await node.completed();
    const report = await reportOf(`nodes/${NODE}`);
    assert.match(report, /- Nothing looks wrong at this moment\./);
    assert.match(report, /- type: energy-telemetry-poll\n- id: id-[0-9a-f]{8}\n/);
    assert.match(report, /- last: \(at .* ago, trigger message, outcome succeeded, duration /);
    assert.match(report, /- status: records\n/);
    assert.match(report, /- next run: .*, in /);
    assert.match(
      report,
      /#### Series\n\n- address \(site id id-[0-9a-f]{8}, system id id-[0-9a-f]{8}.*, summary \(.*cursor 20\d\d-.*Z, \S+ .* ago, owed \(start 20\d\d-/,
    );
    assert.match(
      report,
      /- what Telemetry of site id-[0-9a-f]{8}, system id-[0-9a-f]{8} \[whatSystem\], .*, outcome 200\n/,
    );
    assert.match(report, /- token: \(age \S+ \S+, remaining 5\d min( \d+ s)?, was accepted true\)/);
  });

  it("of a failed node say why, and hash the site as its settings do", async () => {
    await start("energy-site-info", { siteId: SITE });
    service.fault({ path: /demo-house$/, status: 403, body: { message: "no access for Miller" } });
    node.input({});
    await node.caught();
    const report = await reportOf(`nodes/${NODE}`);
    const [, hash = "?"] = /- siteId: (id-[0-9a-f]{8})\n/.exec(report) ?? [];
    assert.ok(
      report.includes(`No access to this site (403). Check the credentials' permissions. (Site ${hash})`),
      report,
    );
    assert.match(report, /code ENERGY_HTTP, .*\[forbidden\], status code 403/);
    assert.match(report, /outcome failed/);
    assert.match(report, /- No access to this site \(403\)\./);
    assert.doesNotMatch(report, /Miller/);
  });

  it("of a latest value node show its path, and nothing of its value", async () => {
    await start("energy-latest-value", { siteId: SITE, path: "storage.stateOfCharge" });
    node.input({});
    await node.output();
    const report = await reportOf(`nodes/${NODE}`);
    assert.match(report, /- path: storage\.stateOfCharge\n/);
    // A reading says something about a household.
    assert.match(report, /- status: latest-value:value\n/);
  });

  it("of a threshold say what to change", async () => {
    await start("energy-threshold", { high: 60, low: 20 });
    node.input({ payload: { storage: { stateOfCharge: 50 } } });
    await node.completed();
    const report = await reportOf(`nodes/${NODE}`);
    assert.match(report, /- The value is a whole record\. Open the node/);
    assert.match(report, /- type: energy-threshold\n/);
    assert.match(report, /- high: 60\n- low: 20\n/);
  });

  for (const [type, properties] of Object.entries({
    threshold: { high: 60, low: 20, property: "payload.canary" },
    mqtt: { prefix: "canary" },
    points: { measurement: "canary" },
    statistics: { prefix: "canary" },
  }))
    it(`of ${type} miss no account, and hide the texts that were entered`, async () => {
      await start(`energy-${type}`, properties);
      const report = await reportOf(`nodes/${NODE}`);
      assert.match(report, /do\n\n- The node has not run since it was started\. Send it a message\.\n\n/);
      assert.match(report, /- (property|prefix|measurement): id-[0-9a-f]{8}\n/);
      assert.doesNotMatch(report, /canary/);
    });

  it("of an account that is not set up say what is missing", async () => {
    node = await startNode("energy-site-list", {}, { account: { baseUrl: "" } });
    const report = await reportOf(`accounts/${ACCOUNT}`);
    assert.match(report, /code ENERGY_CONFIG, .*\[baseUrlMissing\]/);
    assert.match(report, /- No base URL\. Enter the URL/);
  });

  it("are refused for nodes that are not deployed, or not of this package", async () => {
    await start("energy-site-list", {});
    for (const [path, key] of Object.entries({
      "nodes/none": "nodeNotDeployed",
      "nodes/out-1": "nodeNotDeployed",
      "accounts/none": "accountNotDeployed",
      "nodes/__proto__": "nodeNotDeployed",
      "nodes/constructor": "nodeNotDeployed",
      [`accounts/${NODE}`]: "accountNotDeployed",
    })) {
      const { status, body } = await answerTo(path);
      assert.equal(status, 400, path);
      assert.equal((body as { fault: { text: { key: string } } }).fault.text.key, key);
    }
  });

  it("keep the hashes as long as Node-RED runs, so that reports can be compared", async () => {
    await start("energy-site-info", { siteId: SITE });
    const before = await reportOf(`nodes/${NODE}`);
    await node.redeploy();
    const [hash] = /id-[0-9a-f]{8}(?=\n)/.exec(before) ?? [];
    assert.ok(hash && (await reportOf(`nodes/${NODE}`)).includes(hash));
  });

  it("are those of the last instance of a node in a subflow, by the id that the editor knows", () => {
    const [before, last] = [{ _alias: "in-a-subflow" }, { _alias: "in-a-subflow" }];
    for (const node of [before, last]) describeNode(node as unknown as Node, { table: {}, stored: {} });
    assert.equal(instanceOf("in-a-subflow"), last);
  });

  it("name the place of an unexpected error in this package, and nothing of its text", () => {
    const canary = randomUUID();
    const error = new TypeError(`${canary}\n    at x (/a/src/${canary}.ts:1:1)`);
    error.stack = `TypeError: ${error.message}\n    at f (/home/me/dist/nodes/shared/runtime/range.js:3:14)\n    at g (/other/x.js:1:1)`;
    const address = { siteId: "S" };
    const parts = failuresIn(new PartialFailure([{ error, address }], 1, 1), undefined, 5);
    const [part] = parts;
    assert.equal(parts.length, 1);
    assert.deepEqual(part?.address, address);
    assert.deepEqual(part.origin, ["TypeError", "nodes/shared/runtime/range.js:3:14"]);
    assert.equal(part.code, "ENERGY_INTERNAL");
    error.name = canary;
    error.stack = Array.from({ length: 5 }, () => "    at f (/x/src/range.ts:3:14)").join("\n");
    const place = "src/range.ts:3:14";
    assert.deepEqual(failuresIn(error, address, 5)[0]?.origin, [place, place, place, place]);
    const ours = new EnergyError("ENERGY_HTTP", errorText("whatSites"), { statusCode: 404 });
    assert.deepEqual(failuresIn(ours, undefined, 5), [
      { at: 5, code: "ENERGY_HTTP", statusCode: 404, text: errorText("whatSites") },
    ]);
  });
});

describe("diagnostics of a poll with gaps", () => {
  let polling: Polling;

  beforeEach(async () => {
    const properties = { siteId: SITE, startFrom: "hours", startHours: 2, gapHours: 1 };
    polling = await Polling.open("energy-telemetry-poll", properties, { holdsTimers: true });
  });
  afterEach(() => polling.close());

  it("list them until they are filled or given up, and then what was given up", async () => {
    polling.service.hideRecords(
      (_site, _system, { startTime }) => startTime >= "2026-06-10T09:00" && startTime < "2026-06-10T09:35",
    );
    await polling.start();
    await polling.poll();
    const open = await reportOf(`nodes/${NODE}`);
    assert.match(open, /cursor 2026-06-10T10:05:00.000Z, 2 min ago/);
    assert.match(
      open,
      /gaps \(\(start 2026-06-10T09:00:00.000Z, .* ago, end 2026-06-10T09:35:00.000Z, .*, noticed /,
    );
    assert.doesNotMatch(open, /given up/);

    // A pause counts for half of gapHours at most.
    for (const minutes of [31, 31]) {
      await polling.advance(minutes * 60);
      await polling.poll();
    }
    const over = await reportOf(`nodes/${NODE}`);
    assert.match(
      over,
      /given up \(\(start 2026-06-10T09:00:00.000Z, .* ago, end 2026-06-10T09:35:00.000Z, .* ago\)\)/,
    );
    assert.match(over, /- Gaps were given up\./);
    assert.doesNotMatch(over, /gaps/);
  });
});
