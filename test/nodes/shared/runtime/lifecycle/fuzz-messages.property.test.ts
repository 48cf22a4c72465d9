// Sends anything to every node: Node-RED lives and stays responsive, and each message ends once, with data or an error.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { inspect } from "node:util";
import fc from "fast-check";
import type { NodeMessage } from "node-red";
import { type CaughtMessage, type NodeUnderTest, startNode } from "../../../../support/flow";
import { TurnWatch } from "../../../../support/cpu-time";
import { MAX_SENT } from "../../../../../src/limits";
import { casesOf } from "../../../../support/fuzz";
import { ODD_FORMS, ODD_VALUES } from "../../../../support/odd-values";
import { startService, type TestService } from "../../../../support/service";

const TWO_WIRES = { wires: [["out-1", "out-3"], ["out-2"]] };
const SITE = { siteId: "demo-house" };

/** Nodes in all their variants; those without a site take it from the message. */
const VARIANTS: [type: string, properties: Record<string, unknown>][] = [
  ["energy-site-list", { output: "list" }],
  ["energy-site-list", { output: "systems", ...TWO_WIRES }],
  ["energy-site-info", {}],
  ["energy-telemetry-poll", TWO_WIRES],
  ["energy-telemetry-poll", { ...SITE, store: "none", output: "batch" }],
  ["energy-telemetry-poll", { ...SITE, delivery: "confirmed" }],
  ["energy-latest-value", { ...TWO_WIRES, path: "grid.power" }],
  ["energy-latest-value", { siteId: "payload.site", siteIdType: "msg" }],
  ["energy-latest-value", { siteId: "site", siteIdType: "flow" }],
  ["energy-rgm-read", { mode: "latest" }],
  ["energy-rgm-read", { ...SITE, mode: "range" }],
  ["energy-alerts", { scope: "account", output: "list" }],
  ["energy-alerts", { scope: "site", output: "changes" }],
  ["energy-history", SITE],
  ["energy-threshold", { high: 20, low: 10 }],
  ["energy-threshold", { high: 20, low: 10, repeat: 5, property: "payload.grid.power" }],
  ["energy-mqtt", { layout: "json", ...TWO_WIRES }],
  ["energy-mqtt", { layout: "values", discovery: false, retain: true }],
  ["energy-points", { target: "influxdb", ...TWO_WIRES }],
  ["energy-points", { target: "chart" }],
];

/** A value that can be printed, unlike what it stands for. */
type Description = { odd: string } | { plain: unknown } | { within: object; field: string; odd: string };

interface Case {
  properties: Record<string, Description>;
  form: string;
}

const now = Date.now();
const iso = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();
const RECORD = { startTime: iso(-5), endTime: iso(0), grid: { power: 12 }, storage: { stateOfCharge: 55 } };

const SENSIBLE = [
  "demo-house",
  "home/status",
  12,
  RECORD,
  [RECORD, RECORD],
  { site: "demo-house" },
  { startTime: iso(-120), endTime: iso(-60) },
  { kind: "telemetry", phase: "live" },
  { kind: "alerts", change: "raised", alertKey: "a" },
  { kind: "site-list" },
  { kind: "site-info" },
  { kind: "mqtt" },
  iso(-60),
];

const FIELDS = [
  "grid startTime endTime siteId systemId systems devices alertKey title",
  "kind phase records record basis delivery path reason alerts severity",
].flatMap((line) => line.split(" "));

const description: fc.Arbitrary<Description> = fc.oneof(
  fc.record({
    within: fc.constantFrom(...SENSIBLE.filter((value) => typeof value === "object")),
    field: fc.constantFrom(...FIELDS),
    odd: fc.constantFrom(...Object.keys(ODD_VALUES)),
  }),
  fc.constantFrom(...Object.keys(ODD_VALUES)).map((odd) => ({ odd })),
  fc.constantFrom(...SENSIBLE).map((plain: unknown) => ({ plain })),
  fc
    .anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
    })
    .map((plain) => ({ plain })),
);

const NAMES = ["payload", "energy", "siteId", "systemId", "topic", "startTime", "endTime", "error", "parts"];
const anyCase: fc.Arbitrary<Case> = fc.record({
  properties: fc.dictionary(
    fc.oneof(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES, "other", "req")),
    description,
    {
      maxKeys: 5,
    },
  ),
  form: fc.oneof(fc.constant("plain"), fc.constantFrom(...Object.keys(ODD_FORMS))),
});

function valueOf(described: Description): unknown {
  if ("within" in described) return { ...described.within, [described.field]: ODD_VALUES[described.odd]?.() };
  return "odd" in described ? ODD_VALUES[described.odd]?.() : structuredCloneOr(described.plain);
}

/** Nodes may change what they receive. */
function structuredCloneOr(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

function messageOf({ properties, form }: Case): NodeMessage {
  const message = Object.fromEntries(
    Object.entries(properties).map(([name, described]) => [name, valueOf(described)]),
  );
  return (ODD_FORMS[form] ?? assert.fail())(message) as NodeMessage;
}

describe("any message", () => {
  let service: TestService;
  let node: NodeUnderTest;
  let completions = 0;
  let watch: TurnWatch;
  const { hooks } = createRequire(require.resolve("node-red"))("@node-red/util") as {
    hooks: {
      add(name: string, call: (event: { error?: unknown; node: { id: string } }) => void): void;
      remove(name: string): void;
    };
  };

  before(async () => {
    service = await startService();
    hooks.add("onComplete.fuzz", ({ error, node: { id } }) => {
      if (error === undefined && id === "node-under-test") completions += 1;
    });
    watch = new TurnWatch();
  });
  after(async () => {
    watch.stop();
    hooks.remove("*.fuzz");
    await service.close();
  });
  beforeEach(() => {
    watch.longest();
  });
  afterEach(() => node.stop());

  const ended = (): number => completions + node.caughtSoFar().length;

  async function untilEnded(before: number): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (ended() === before) {
      assert.ok(performance.now() < deadline, "the message did not end");
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    // Long enough for whatever else would come.
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    assert.equal(ended(), before + 1, "the message ended more than once");
  }

  const sentSoFar = (): number => [1, 2, 3].reduce((sum, port) => sum + node.sent(port).length, 0);
  const dataOf = (type: string): number =>
    node.sent(1).length + (type === "energy-threshold" ? node.sent(2).length : 0);

  function assertGoodError({ error, energy }: CaughtMessage): void {
    assert.match(energy.error.code, /^ENERGY_(?!INTERNAL)/);
    assert.ok(error.message.length <= 500);
    assert.doesNotMatch(error.message, /[\p{C}\p{Zl}\p{Zp}]/u);
  }

  for (const [type, properties] of VARIANTS) {
    it(`ends once, with data or an error, at ${type} ${JSON.stringify(properties)}`, async () => {
      const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
      node = await startNode(type, properties, { account });
      const check = fc.asyncProperty(anyCase, async (given) => {
        const [before, data, errors] = [ended(), dataOf(type), node.caughtSoFar().length];
        if (properties["siteIdType"] === "flow")
          node.setContext("flow", "site", valueOf(given.properties["siteId"] ?? { plain: "demo-house" }));
        node.input(messageOf(given));
        const sent = sentSoFar();
        await untilEnded(before);
        assert.ok(sentSoFar() - sent <= MAX_SENT, "too many messages");
        const [failure] = node.caughtSoFar().slice(errors);
        if (!failure) return;
        assertGoodError(failure);
        assert.equal(dataOf(type), data, "an error and data");
      });
      await fc.assert(check, {
        numRuns: Math.ceil(casesOf(90) / VARIANTS.length),
        endOnFailure: true,
      });
      const everything = [1, 2, 3].map((port) => node.sent(port));
      const shown = inspect([everything, node.caughtSoFar(), node.statuses(), node.logged()], {
        depth: 12,
        maxArrayLength: 1000,
        maxStringLength: 100_000,
        customInspect: false,
      });
      for (const secret of [service.clientSecret, btoa(`${service.clientId}:${service.clientSecret}`)])
        assert.ok(!shown.includes(secret), "a secret");
      for (const status of node.statuses()) assert.doesNotMatch(status, /[\p{C}\p{Zl}\p{Zp}]/u);
      const longest = watch.longest();
      assert.ok(longest < 1000, `the event loop was held for ${Math.round(longest)} ms`);
    });
  }
});
