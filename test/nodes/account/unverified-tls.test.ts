// Tests for TLS configurations that do not verify the server: the log says so once, because nothing else shows it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { startTlsService, type TlsService } from "../../client/http/tls-service";
import { type NodeUnderTest, startNode } from "../../support/flow";

const CA_FILE = join(__dirname, "../../client/http/tls/ca.pem");

describe("an account with TLS", () => {
  let service: TlsService;
  let node: NodeUnderTest;

  beforeEach(async () => (service = await startTlsService()));
  afterEach(async () => {
    await node.stop();
    await service.close();
  });

  const start = async (verifyservercert: boolean, servername = ""): Promise<void> => {
    const { baseUrl, clientId, clientSecret } = service;
    const files = { cert: "", key: "", ca: CA_FILE };
    const tls = { id: "the-tls", type: "tls-config", ...files, verifyservercert, servername };
    const options = { account: { baseUrl, tls: "the-tls" }, credentials: { clientId, clientSecret } };
    node = await startNode("energy-site-list", { output: "list" }, { ...options, others: [tls] });
  };
  const warnings = (): number => node.logged().split("TLS is not verified").length - 1;

  it("warns once if the server is not verified", async () => {
    await start(false);
    for (let runs = 0; runs < 2; runs += 1) {
      node.input({});
      await node.completed();
    }
    assert.equal(warnings(), 1);
  });

  it("warns once if the certificate is checked for another name than that of the host", async () => {
    await start(false, "other.example");
    for (let runs = 0; runs < 2; runs += 1) {
      node.input({});
      await node.completed();
    }
    assert.equal(node.logged().split("expects other.example instead of").length - 1, 1);
  });

  it("does not warn if the name is that of the host", async () => {
    await start(true, new URL(service.baseUrl).hostname.toUpperCase());
    node.input({});
    await node.completed();
    assert.doesNotMatch(node.logged(), /expects server/);
  });

  it("does not warn if the server is verified", async () => {
    await start(true);
    node.input({});
    await node.completed();
    assert.equal(warnings(), 0);
  });
});
