// Tests for sites and systems whose id is not valid: each spoils only itself, is reported once, and is never shown.
import assert from "node:assert/strict";
import type { SiteInfoMessage, SiteListMessage } from "../../../../../src/messages/messages";
import { MINUTE } from "../../../../../src/time-units";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { startService, type TestService } from "../../../../support/service";

/** Would end a log line and color the next one. */
const FORGED = "b\n\u001b[31mforged";
const LONG = "long-".repeat(60);

describe("ids that are not valid", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => (service = await startService()));
  afterEach(async () => {
    await node.stop();
    await service.close();
  });

  const start = async (type: string, properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startNode(type, properties, { account: { baseUrl: service.baseUrl } });
  };
  const answer = (path: RegExp, body: unknown): void => service.fault({ path, body, times: Infinity });
  const run = async (): Promise<void> => {
    node.input({});
    await node.completed();
  };
  const reports = (): string[] => node.caughtSoFar().map(({ error }) => error.message);
  const assertHidden = (): void => {
    const shown = `${node.logged()} ${JSON.stringify(node.caughtSoFar())} ${node.statuses().join()}`;
    for (const id of ["forged", LONG]) assert.ok(!shown.includes(id), id);
    assert.ok(!service.requests.some(({ url }) => url.includes("forged") || url.includes(LONG)));
  };

  const SYSTEMS = [{ systemId: "s" }, { systemId: FORGED }];
  const SITES = [
    { siteId: "a", systems: SYSTEMS },
    { siteId: FORGED },
    { id: LONG },
    { siteId: ".." },
    { siteId: "c" },
  ];
  const LISTED = [
    "list[1].siteId is too long for an id (255) or has invalid characters. Tell your provider. (Site list response)",
    "list[2].id is too long for an id (255) or has invalid characters. Tell your provider. (Site list response)",
    "list[3].siteId is too long for an id (255) or has invalid characters. Tell your provider. (Site list response)",
    "list[0].systems[1].systemId is too long for an id (255) or has invalid characters. Tell your provider. (Site list response)",
  ];

  for (const [output, expected] of [
    ["list", [undefined]],
    ["sites", ["a", "c"]],
    ["systems", ["a/s"]],
  ] as const) {
    it(`are left out by site list (${output}), and reported once`, async () => {
      answer(/v1\/sites$/, SITES);
      await start("energy-site-list", { output });
      await run();
      const topics = node.sent<SiteListMessage>().map(({ topic }) => topic);
      assert.deepEqual(topics, expected);
      assert.deepEqual(reports(), LISTED);
      assert.ok(node.caughtSoFar().every(({ energy }) => energy.error.code === "ENERGY_RESPONSE"));
      assert.match(node.statuses().at(-1) ?? "", /unreadable/);
      await run();
      assert.deepEqual(reports(), LISTED);
      assertHidden();
    });
  }

  it("of a system are not mentioned while the site is missing", async () => {
    await start("energy-latest-value", { siteId: "" });
    node.input({ systemId: FORGED });
    assert.match((await node.caught()).error.message, /^No site\./);
  });

  it("are left out by a node that reads every site, and reported once", async () => {
    answer(/v1\/sites$/, SITES);
    const end = Math.floor(Date.now() / (5 * MINUTE)) * 5 * MINUTE;
    const [startTime, endTime] = [end - 5 * MINUTE, end].map((time) => new Date(time).toISOString());
    answer(/telemetry$/, { data: [{ startTime, endTime, grid: { power: 1 } }] });
    await start("energy-latest-value", { siteId: "*", path: "grid.power" });
    await run();
    // Sites are read side by side.
    assert.deepEqual(
      node
        .sent()
        .map((message) => message["siteId"])
        .toSorted(),
      ["a", "c"],
    );
    await run();
    assert.deepEqual(reports(), LISTED);
    assertHidden();
  });

  it("are left out by site info", async () => {
    answer(/v1\/sites\/a$/, { siteId: "a", systems: SYSTEMS });
    await start("energy-site-info", { siteId: "a" });
    await run();
    const [message] = node.sent<SiteInfoMessage>();
    assert.deepEqual(message?.energy.systemIds, ["s"]);
    assert.deepEqual(reports(), [
      "site.systems[1].systemId is too long for an id (255) or has invalid characters. Tell your provider. (Site response)",
    ]);
    assertHidden();
  });
});
