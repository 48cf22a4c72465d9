// Tests for settings of an unexpected kind, from a generated or damaged flow: every node starts and says what is wrong.
import assert from "node:assert/strict";
import type { EventEmitter } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import helper from "node-red-node-test-helper";
import { isInUse, type Setting, type Settings } from "../../../../../src/settings/table";
import { SETTINGS } from "../../../../support/settings";
import { type CaughtMessage, type NodeUnderTest, startNode } from "../../../../support/flow";
import { startService, type TestService } from "../../../../support/service";

const ODD: Record<string, unknown> = {
  "a number": -5.5,
  "an object": { a: 1 },
  "a list": [1, {}],
  null: null,
  "a boolean": true,
  "a long text": "x".repeat(50_000),
  "a number as text": "-5.5",
};

/** With these settings, every setting is in use. */
const VALID: Record<string, Record<string, unknown>> = {
  "telemetry-poll": { startFrom: "hours", delivery: "confirmed" },
  "rgm-read": { mode: "new", startFrom: "hours", delivery: "confirmed" },
  alerts: { output: "changes", scope: "site" },
  history: { range: "last24h" },
  threshold: { high: 60, low: 20 },
};

/** A payload that each node accepts. */
const PAYLOADS: Record<string, unknown> = {
  history: { startTime: "2026-01-01T00:00Z", endTime: "2026-01-01T01:00Z" },
};

/** Settings for which not every text is valid, with the node where others have one of that name. */
const RESTRICTED: Record<string, string[]> = {
  "a long text": [
    "siteId",
    "systemId",
    "store",
    "baseUrl",
    "importPrice",
    "exportPrice",
    "currency",
    "prefix",
    "discoveryPrefix",
  ],
  null: ["baseUrl", "clientId", "clientSecret", "high", "low"],
  "a number as text": ["store", "baseUrl", "currency", "statistics.prefix"],
};

/** Whether the setting can be read from an odd value. Boxes, and names to tick, then have their default. */
function isReadable(node: string, property: string, { kind }: Setting, oddity: string): boolean {
  if (kind === "boolean" || kind === "names" || property === "name") return true;
  if (kind === "node") return property !== "account" && oddity === "null";
  const restricted = RESTRICTED[oddity] ?? [];
  if (restricted.includes(property) || restricted.includes(`${node}.${property}`)) return false;
  if (oddity === "null" || (kind === "text" && oddity.endsWith("text"))) return true;
  const numbers = ["low", "min", "max", "importPrice", "exportPrice"];
  return numbers.includes(property) && oddity.startsWith("a number");
}

interface Variant {
  property: string;
  oddity: string;
  isWrong: boolean;
}

/** Settings that several nodes share are read alike: all oddities at the first node, then one at each. */
const triedBefore = new Set<Setting>();

function odditiesOf(setting: Setting, index: number): string[] {
  const all = Object.keys(ODD);
  if (triedBefore.has(setting)) return all.slice(index % all.length).slice(0, 1);
  triedBefore.add(setting);
  return all;
}

function variantsOf(node: string, table: Settings, valid: Record<string, unknown>): Variant[] {
  return Object.entries(table).flatMap(([property, setting], index) =>
    odditiesOf(setting, index).map((oddity) => {
      const isUsed = isInUse(table, setting, (key) => valid[key]);
      return { property, oddity, isWrong: isUsed && !isReadable(node, property, setting, oddity) };
    }),
  );
}

describe("settings of an unexpected kind", () => {
  let service: TestService;
  let node: NodeUnderTest | undefined;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    if (node) await node.stop();
    else await helper.unload();
    node = undefined;
    await service.close();
  });

  const { account: accountTable, ...tables } = SETTINGS;

  for (const [name, table] of Object.entries<Settings>(tables)) {
    const valid = { account: "the-account", siteId: "demo-house", ...VALID[name] };
    const variants = variantsOf(name, table, valid);
    it(`are no more than an error of ${name}`, async () => {
      const payload = PAYLOADS[name] ?? 5;
      const idOf = ({ property, oddity }: Variant): string => `${property} is ${oddity}`;
      const others = variants.map((variant) => ({
        ...valid,
        id: idOf(variant),
        z: "tab",
        type: `energy-${name}`,
        wires: [[], [], []],
        [variant.property]: ODD[variant.oddity],
      }));
      const account = { baseUrl: service.baseUrl, concurrency: 64 };
      node = await startNode(`energy-${name}`, valid, { account, others });
      const statuses = new Map<string, string[]>();
      for (const variant of variants) {
        const id = idOf(variant);
        const started = helper.getNode(id) as unknown as EventEmitter;
        assert.ok(started, id);
        const shown: string[] = [];
        statuses.set(id, shown);
        started.on("call:status", ({ args }: { args: [{ text?: string }] }) =>
          shown.push(args[0].text ?? ""),
        );
        helper.getNode(id).receive({ payload, siteId: "demo-house" });
      }
      const wrong = variants.filter(({ isWrong }) => isWrong).map(idOf);
      const caught = (): Set<string> => {
        const all = node?.caughtSoFar() as (CaughtMessage & { error: { source: { id: string } } })[];
        const config = all.filter(({ energy }) => energy.error.code === "ENERGY_CONFIG");
        for (const { error, energy } of all) {
          assert.notEqual(energy.error.code, "ENERGY_INTERNAL", error.message);
          assert.ok(error.message.length <= 500);
        }
        return new Set(config.map(({ error }) => error.source.id));
      };
      while (!wrong.every((id) => caught().has(id))) await node.caught();
      assert.deepEqual([...caught()].toSorted(), wrong.toSorted());
      for (const id of wrong) assert.ok(statuses.get(id)?.includes("not set up"), id);
      assert.doesNotMatch(node.logged(), /TypeError|is not a function/);
    });
  }

  it("are no more than an error of the account", async () => {
    const valid = { service: "live", baseUrl: service.baseUrl };
    const outcomeOf = async (started: NodeUnderTest, id: string): Promise<string> => {
      const [sent, failed] = [started.sent().length, started.caughtSoFar().length];
      helper.getNode(id).receive({});
      while (started.sent().length === sent && started.caughtSoFar().length === failed) await nextTurn();
      return started.caughtSoFar()[failed]?.energy.error.code ?? "none";
    };
    const check = (code: string, { property, oddity, isWrong }: Variant): void => {
      assert.equal(code === "ENERGY_CONFIG", isWrong, `${property} is ${oddity}: ${code}`);
      assert.notEqual(code, "ENERGY_INTERNAL", `${property} is ${oddity}`);
    };
    const variants = variantsOf("account", accountTable, valid);
    const isCredential = ({ property }: Variant): boolean => property.startsWith("client");
    const others = variants
      .filter((variant) => !isCredential(variant))
      .flatMap(({ property, oddity }) => {
        const id = `${property} is ${oddity}`;
        const account = { ...valid, id: `account-${id}`, type: "energy-account", [property]: ODD[oddity] };
        const list = { id, type: "energy-site-list", z: "tab", account: account.id, wires: [["out-1"]] };
        return [account, list];
      });
    node = await startNode("energy-site-list", {}, { account: valid, others });
    for (const variant of variants)
      if (!isCredential(variant))
        check(await outcomeOf(node, `${variant.property} is ${variant.oddity}`), variant);
    await node.stop();
    for (const variant of variants.filter(isCredential)) {
      const credentials = { [variant.property]: ODD[variant.oddity] };
      node = await startNode("energy-site-list", {}, { account: valid, credentials });
      check(await outcomeOf(node, "node-under-test"), variant);
      await node.stop();
    }
    node = undefined;
  });
});
