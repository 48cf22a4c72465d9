// Tests for credentials and their origin: a changed base URL takes them nowhere until they are entered again.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CaughtMessage, type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";
import { temporaryFolder } from "../../support/temporary";

/** Both services would accept them. */
const ACCEPTED = { clientId: "test-client", clientSecret: "test-secret" };
const FOLDER = "energy-sites-accounts";

describe("account: origin of the credentials", () => {
  let home: TestService;
  let other: TestService;
  let node: NodeUnderTest;
  let userDir: string | undefined;
  /** What Node-RED stores as the account's credentials. */
  let credentials: Record<string, unknown>;

  beforeEach(async () => {
    const accepted = { credentials: ACCEPTED };
    [home, other] = [await startService(accepted), await startService(accepted)];
    userDir = temporaryFolder();
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
      { account: { baseUrl: home.baseUrl, ...account }, credentials, userDir, settings: { userDir } },
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
  /** What the dialog stores with a secret. */
  const entered = (baseUrl: string, time: number): string =>
    `${new URL(baseUrl).origin} ${new Date(time).toISOString()}`;
  const restart = async (baseUrl: string): Promise<void> => {
    await node.stop();
    await start({ baseUrl });
  };

  for (const [name, origin] of [
    ["imported with the flow", (): undefined => undefined],
    ["entered in the dialog", (): string => entered(home.baseUrl, 1)],
    ["entered in the dialog beside a base URL with a variable", (): string => new Date(1).toISOString()],
  ] as const) {
    it(`refuses to send credentials ${name} to another origin, even after a restart, and back home sends them`, async () => {
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

  it("refuses credentials from the dialog even if they have never been used, or what was remembered is lost", async () => {
    credentials = { origin: entered(home.baseUrl, 1) };
    await start({ baseUrl: other.baseUrl });
    await refusal();
    assert.equal(other.requests.length, 0);
  });

  it("accepts the same credentials for another origin once they are entered again, and then for that one alone", async () => {
    credentials = { origin: entered(home.baseUrl, 1) };
    await start();
    await reads();
    credentials["origin"] = entered(other.baseUrl, 2);
    await deploy(other.baseUrl);
    await reads();
    assert.ok(other.requests.length > 0);
    const before = home.requests.length;
    await deploy(home.baseUrl);
    await refusal();
    assert.equal(home.requests.length, before);
    credentials["origin"] = entered(home.baseUrl, 3);
    await deploy(home.baseUrl);
    await reads();
  });

  it("accepts a new secret for another origin, but not a new client ID with the old secret", async () => {
    await start();
    await reads();
    credentials["clientId"] = "another-client";
    await deploy(other.baseUrl);
    await refusal();
    assert.equal(other.requests.length, 0);
    credentials["clientSecret"] = "another-secret";
    await deploy(other.baseUrl);
    node.input({});
    assert.equal((await node.caught()).energy.error.code, "ENERGY_AUTH");
    assert.ok(other.requests.length > 0);
  });

  it("compares the resolved base URL, whose path may change", async () => {
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
    credentials["origin"] = new Date(2).toISOString();
    await deploy("http://${HOST_OF_TEST}/");
    await reads();
  });

  it("ignores the base URL in demo mode", async () => {
    await start();
    await reads();
    await node.redeploy({}, { service: "demo", baseUrl: other.baseUrl });
    await reads();
    await deploy(other.baseUrl);
    await refusal();
    assert.equal(other.requests.length, 0);
  });

  it("remembers the origin without a user directory until Node-RED ends, and without a word", async () => {
    userDir = undefined;
    await start();
    await reads();
    await deploy(other.baseUrl);
    await refusal();
    assert.doesNotMatch(node.logged(), /user directory/);
  });

  it("works on a read-only disk, with a warning", async () => {
    writeFileSync(join(userDir ?? "", FOLDER), "a file where the folder should be");
    await start();
    await reads();
    await deploy(other.baseUrl);
    await refusal();
    assert.match(node.logged(), /cannot be saved/);
  });

  it("remembers no secret, in a file for the user who runs Node-RED alone", async () => {
    await start();
    await reads();
    const folder = join(userDir ?? "", FOLDER);
    const [file = "", ...others] = readdirSync(folder).map((name) => join(folder, name));
    assert.deepEqual(others, []);
    assert.doesNotMatch(readFileSync(file, "utf8"), /test-secret|test-client/);
    assert.equal(statSync(file).mode & 0o077, 0);
    const { mtimeMs } = statSync(file);
    await restart(home.baseUrl);
    await reads();
    assert.equal(statSync(file).mtimeMs, mtimeMs, "what has not changed is not written");
  });
});
