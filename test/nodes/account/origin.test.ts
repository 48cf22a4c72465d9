// Tests for credentials and their origin: a changed base URL takes them nowhere until they are entered again.
import assert from "node:assert/strict";
import { type CaughtMessage, type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";

/** Both services would accept them. */
const ACCEPTED = { clientId: "test-client", clientSecret: "s3cret-4d7f" };

describe("account: origin of the credentials", () => {
  let home: TestService;
  let other: TestService;
  let node: NodeUnderTest;
  /** What Node-RED stores as the account's credentials. */
  let credentials: Record<string, unknown>;

  beforeEach(async () => {
    const accepted = { credentials: ACCEPTED };
    [home, other] = [await startService(accepted), await startService(accepted)];
    credentials = {};
  });
  afterEach(async () => {
    await node.stop();
    await home.close();
    await other.close();
    delete process.env["HOST_OF_TEST"];
  });

  const start = async (account: Record<string, unknown> = {}): Promise<void> => {
    Object.assign(credentials, { ...ACCEPTED, ...credentials });
    node = await startNode(
      "energy-site-list",
      { output: "list" },
      { account: { baseUrl: home.baseUrl, ...account }, credentials },
    );
  };
  const reads = async (): Promise<void> => {
    node.input({});
    await node.output();
  };
  const refusal = async (): Promise<CaughtMessage["error"]> => {
    node.input({});
    const { error, energy } = await node.caught();
    assert.equal(energy.error.code, "ENERGY_CONFIG");
    return error;
  };
  let deploys = 0;
  /** Restarts the account, too, if only its credentials have changed. */
  const deploy = (baseUrl: string): Promise<void> => {
    deploys += 1;
    return node.redeploy({}, { baseUrl, name: `deployed ${deploys} times` });
  };
  const restart = async (baseUrl: string): Promise<void> => {
    await node.stop();
    await start({ baseUrl });
  };

  for (const [name, origin] of [
    ["the dialog", (): string => home.baseUrl],
    ["the dialog beside a base URL with a variable", (): string => "http://${HOST_OF_TEST}"],
  ] as const) {
    it(`refuses to send credentials from ${name} to another origin, even after a restart, and back home sends them`, async () => {
      process.env["HOST_OF_TEST"] = new URL(home.baseUrl).host;
      credentials = { origin: origin() };
      await start();
      await reads();
      await deploy(other.baseUrl);
      const { message } = await refusal();
      assert.match(message, /^Enter client ID and secret again for this base URL/);
      assert.ok(message.includes(new URL(home.baseUrl).origin));
      await restart(other.baseUrl);
      await refusal();
      assert.equal(other.requests.length, 0);
      await deploy(home.baseUrl);
      await reads();
    });
  }

  it("refuses credentials from the dialog even if they have never been used", async () => {
    credentials = { origin: home.baseUrl };
    await start({ baseUrl: other.baseUrl });
    await refusal();
    assert.equal(other.requests.length, 0);
  });

  it("refuses credentials whose origin cannot be read", async () => {
    for (const origin of ["elsewhere", "${NOT_SET_IN_TEST}"]) {
      credentials = { origin };
      await start();
      await refusal();
      await node.stop();
    }
    assert.equal(home.requests.length, 0);
    await start();
  });

  it("uses credentials without an origin, such as from a program, as they are", async () => {
    await start();
    await reads();
    await deploy(other.baseUrl);
    await reads();
  });

  it("accepts the same credentials for another origin once they are entered again, and then for that one alone", async () => {
    credentials = { origin: home.baseUrl };
    await start();
    await reads();
    credentials["origin"] = other.baseUrl;
    await deploy(other.baseUrl);
    await reads();
    assert.ok(other.requests.length > 0);
    const before = home.requests.length;
    await deploy(home.baseUrl);
    await refusal();
    assert.equal(home.requests.length, before);
    credentials["origin"] = home.baseUrl;
    await deploy(home.baseUrl);
    await reads();
  });

  it("compares the resolved base URL, whose path may change", async () => {
    credentials = { origin: home.baseUrl };
    process.env["HOST_OF_TEST"] = new URL(home.baseUrl).host;
    await start({ baseUrl: "http://${HOST_OF_TEST}" });
    await reads();
    await deploy("http://${HOST_OF_TEST}/sub");
    node.input({});
    assert.notEqual((await node.caught()).energy.error.code, "ENERGY_CONFIG");
    process.env["HOST_OF_TEST"] = new URL(other.baseUrl).host;
    await deploy("http://${HOST_OF_TEST}");
    await refusal();
    assert.equal(other.requests.length, 0);
    credentials["origin"] = "http://${HOST_OF_TEST}";
    await deploy("http://${HOST_OF_TEST}/");
    await reads();
  });

  it("ignores the base URL in demo mode", async () => {
    credentials = { origin: home.baseUrl };
    await start();
    await reads();
    await node.redeploy({}, { service: "demo", baseUrl: other.baseUrl });
    await reads();
    await deploy(other.baseUrl);
    await refusal();
    assert.equal(other.requests.length, 0);
  });
});
