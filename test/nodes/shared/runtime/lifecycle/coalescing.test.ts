// Tests for messages that wait for the same work: one run serves them all, and each is answered and completed.
import assert from "node:assert/strict";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { startService, type TestService } from "../../../../support/service";

/** Requests other than for a token. */
const DATA = /sites|alerts/;

describe("messages that wait for the same", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
  });

  const start = async (type: string, properties: Record<string, unknown> = {}): Promise<void> => {
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
    node = await startNode(`energy-${type}`, { siteId: "demo-house", ...properties }, { account });
  };

  /** Sends the messages while a first one is in progress. */
  const sendWaiting = async (messages: object[], first: object = {}): Promise<void> => {
    const hold = service.hold(DATA);
    node.input({ payload: "first", ...first });
    await hold.arrived();
    for (const message of messages) node.input({ ...message });
    hold.release();
  };
  const complete = async (count: number): Promise<unknown[]> => {
    const messages = [];
    for (let done = 0; done < count; done += 1) messages.push(await node.completed());
    return messages;
  };
  const numbered = (count: number): { number: number }[] =>
    Array.from({ length: count }, (_, number) => ({ number }));
  const requests = (): number => service.requestsTo(DATA).length;
  const numbersOn = (port = 1): unknown[] => node.sent<{ number?: number }>(port).map(({ number }) => number);

  it("are served by two requests, however many they are", async () => {
    await start("site-info");
    await sendWaiting(numbered(300));
    await complete(301);
    assert.equal(requests(), 2);
    assert.deepEqual(numbersOn(), [undefined, ...numbered(300).map(({ number }) => number)]);
  });

  for (const [type, properties] of [
    ["site-info", {}],
    ["site-list", {}],
    ["site-list", { output: "sites" }],
    ["alerts", {}],
    ["alerts", { scope: "site" }],
    ["latest-value", { path: "grid" }],
    ["rgm-read", { siteId: "demo-farm" }],
  ] as const) {
    const name = [type, ...Object.values(properties)].join(" ");
    it(`each get an answer of their own from ${name}, which the flow may change`, async () => {
      await start(type, properties);
      await sendWaiting([{ own: "a" }, { own: "b" }]);
      await complete(3);
      const [first, second] = ["a", "b"].map((own) =>
        node
          .sent<{ own?: string; payload: object; energy: object; parts?: { id: string } }>()
          .filter((one) => one.own === own),
      );
      assert.ok(first && second && first.length > 0);
      assert.equal(first.length, second.length);
      for (const [index, one] of first.entries()) {
        assert.deepEqual(one.payload, second[index]?.payload);
        assert.notEqual(one.payload, second[index]?.payload);
        assert.notEqual(one.energy, second[index]?.energy);
        if (one.parts) assert.notEqual(one.parts.id, second[index]?.parts?.id);
      }
      // One run serves both that wait; the second one knows the systems of the site.
      const isSeries = ["latest-value", "rgm-read"].includes(type);
      assert.equal(
        new Set(service.requestsTo(DATA).map(({ url }) => url.replace(/\?.*/, ""))).size * 2 -
          Number(isSeries),
        requests(),
      );
    });
  }

  it("each get the reason why latest value has none", async () => {
    service.hideRecords(() => true);
    await start("latest-value");
    await sendWaiting(numbered(3));
    await complete(4);
    assert.deepEqual(numbersOn(2), [undefined, 0, 1, 2]);
  });

  it("are completed by one poll, whose records are based on the first", async () => {
    await start("telemetry-poll", { startFrom: "hours", startHours: 1 });
    // The present fails as well.
    service.fault({ path: /telemetry/, status: 404, times: 2 });
    await sendWaiting(numbered(5));
    await complete(5);
    assert.equal(service.requestsTo(/telemetry/).length, 3);
    assert.deepEqual(new Set(numbersOn()), new Set([0]));
  });

  it("all fail with their own message when their run fails", async () => {
    await start("site-info");
    service.fault({ path: /sites/, status: 404, times: 9 });
    await sendWaiting(numbered(3));
    const caught = [];
    for (let count = 0; count < 4; count += 1) caught.push(await node.caught<{ number?: number }>());
    assert.deepEqual(
      caught.map(({ number }) => number),
      [undefined, 0, 1, 2],
    );
    assert.equal(requests(), 2);
  });

  it("have a run for each address, in order of the first message for it", async () => {
    await start("site-info", { siteId: "" });
    const sites = ["demo-farm", "demo-house", "demo-farm", "demo-twin", "demo-house"];
    await sendWaiting(
      sites.map((siteId) => ({ siteId })),
      { siteId: "demo-house" },
    );
    await complete(6);
    const asked = service.requestsTo(/sites\//).map(({ path }) => path.split("/").at(-1));
    assert.deepEqual(asked, ["demo-house", "demo-farm", "demo-house", "demo-twin"]);
  });

  it("have a run for each site that a property of theirs names, and one where it is a flow's", async () => {
    await start("site-info", { siteId: "unit.site", siteIdType: "msg" });
    const [house, farm] = ["demo-house", "demo-farm"].map((site) => ({ unit: { site } }));
    await sendWaiting(
      [farm, house, farm].flatMap((one) => one ?? []),
      house,
    );
    await complete(4);
    assert.equal(requests(), 3);
    await node.redeploy({ siteId: "site", siteIdType: "flow" });
    node.setContext("flow", "site", "demo-farm");
    await sendWaiting(numbered(2));
    await complete(3);
    assert.equal(requests(), 5);
  });

  for (const [name, properties, messages] of [
    ["a time of their own", { siteId: "demo-farm", mode: "range" }, ["09:00", "09:30"]],
    ["an expression", { siteId: '"demo-farm"', siteIdType: "jsonata" }, [undefined, undefined]],
    [
      "a context path that depends on them",
      { siteId: "sites[msg.topic]", siteIdType: "flow" },
      [undefined, undefined],
    ],
  ] as const) {
    it(`are not served together with ${name}`, async () => {
      await start("rgm-read", properties);
      node.setContext("flow", "sites", { one: "demo-farm" });
      const times = (startTime: string | undefined): object =>
        startTime === undefined
          ? { topic: "one" }
          : { startTime: `2026-06-10T${startTime}Z`, endTime: "2026-06-10T10:00Z" };
      await sendWaiting(messages.map(times), times(messages[0]));
      await complete(3);
      assert.equal(service.requestsTo(/rgm-telemetry/).length, 3);
    });
  }

  it("are not served together by history, where each is a request of its own", async () => {
    await start("history");
    const payload = { startTime: "2026-06-10T09:00Z", endTime: "2026-06-10T10:00Z" };
    await sendWaiting([{ payload }, { payload }], { payload });
    await complete(3);
    assert.equal(service.requestsTo(/telemetry/).length, 3);
  });
});
