// Tests that texts of the service and of messages cannot make Node-RED's translations take forever.
import assert from "node:assert/strict";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import { startService, type TestService } from "../../../../support/service";

/** Each further letter would double the time that i18next takes to search it for the end of a reference. */
const REFERENCE = `$t(${"any ".repeat(7)}`;

describe("a text that begins like a reference to another text", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
  });

  it("is no reference if a message names it", async () => {
    node = await startNode("energy-site-info", { siteId: "" }, { account: { baseUrl: service.baseUrl } });
    node.input({ siteId: REFERENCE });
    const { error } = await node.caught();
    assert.ok(error.message.includes(REFERENCE.replace("(", " (").trim()), error.message);
    assert.ok(!error.message.includes("$t("));
  });
});
