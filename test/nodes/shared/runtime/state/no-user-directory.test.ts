// Tests for a poll in a Node-RED without a user directory: it keeps its position in memory, and says so once.
import assert from "node:assert/strict";
import sinon from "sinon";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { endsOf, expectedEnds, NOW, type SentRecord } from "../../../../support/polling";
import { startService, type TestService } from "../../../../support/service";
import { MINUTE } from "../../../../../src/time-units";

describe("telemetry poll without a user directory", () => {
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    clock = sinon.useFakeTimers({ now: NOW, toFake: ["Date"] });
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  it("continues from memory, and warns once", async () => {
    node = await startNode(
      "energy-telemetry-poll",
      { siteId: "demo-house", startFrom: "now" },
      {
        account: { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" },
        settings: { userDir: undefined },
      },
    );
    for (const minutes of [0, 5, 10]) {
      clock.setSystemTime(NOW + minutes * MINUTE);
      node.input({});
      await node.completed();
    }
    assert.deepEqual(endsOf(node.sent<SentRecord>()), expectedEnds(NOW - 5 * MINUTE, NOW + 10 * MINUTE));
    assert.equal(node.logged().match(/no user directory/g)?.length, 1);
  });
});
