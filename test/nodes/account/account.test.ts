// Tests for the account: which settings it rejects and with what advice, what it sends, and that it reveals no secret.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import sinon from "sinon";
import { type CaughtMessage, type NodeOptions, type NodeUnderTest, startNode } from "../../support/flow";
import { eventually } from "../../support/eventually";
import { helper } from "../../support/node-red-helper";
import { startService, type TestService } from "../../support/service";
import { startProxy } from "../../client/http/connect-proxy";

describe("account", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
  });

  const start = async (account: Record<string, unknown> | null, options: NodeOptions = {}): Promise<void> => {
    const settings = account === null ? null : { baseUrl: service.baseUrl, ...account };
    node = await startNode("energy-site-list", { output: "list" }, { ...options, account: settings });
  };
  const rejection = async (): Promise<CaughtMessage> => {
    node.input({});
    const caught = await node.caught();
    assert.equal(node.sent().length, 0);
    return caught;
  };
  const sendsReading = async (): Promise<void> => {
    node.input({});
    await node.output();
  };

  for (const host of ["127.0.0.1", "localhost"])
    it(`logs in to a proxy whose URL is only ${host} and a port`, async () => {
      const proxy = await startProxy("never");
      try {
        const credentials = { username: "user", password: "password" };
        const url = `${host}:${proxy.port}`;
        const others = [{ id: "the-proxy", type: "http proxy", url, noproxy: [] }];
        await start({ baseUrl: "https://service.example", proxy: "the-proxy" }, { others });
        Object.assign(helper.getNode("the-proxy"), { credentials });
        node.input({});
        const tunnel = await eventually(
          () => `no tunnel requested: ${node.statuses().join()}`,
          async () => proxy.tunnels[0] ?? (node.caughtSoFar().length > 0 ? null : undefined),
        );
        const authorization = `Basic ${Buffer.from("user:password").toString("base64")}`;
        assert.deepEqual(tunnel, { target: "service.example:443", authorization });
      } finally {
        await node.closeAccount();
        await proxy.close();
      }
    });

  for (const [name, account, pattern] of [
    ["no account", null, /Choose one in the node/],
    ["no base URL", { baseUrl: "" }, /base URL/],
    ["an invalid base URL", { baseUrl: "example.com" }, /https:/],
    ["http to another host", { baseUrl: "http://example.com" }, /https:\/\//],
    ["http to a host that only looks local", { baseUrl: "http://127.0.0.1.example.com" }, /https:\/\//],
    ["another protocol", { baseUrl: "ftp://127.0.0.1" }, /https:\/\//],
    ["credentials in the base URL", { baseUrl: "https://user:hidden@example.com" }, /own fields/],
    ["a query in the base URL", { baseUrl: "https://example.com/?a=1" }, /Remove \? or #/],
    ["an undefined variable", { baseUrl: "${NO_SUCH_URL}" }, /NO_SUCH_URL/],
    ["an undefined variable inside the base URL", { baseUrl: "https://${NO_SUCH_HOST}/api" }, /NO_SUCH_HOST/],
    ["an undefined variable in parentheses", { apiVersion: "$(NO_SUCH_VERSION)" }, /NO_SUCH_VERSION/],
    ["a service that does not exist", { service: "test" }, /test\. Choose one of: live, demo/],
    ["an invalid header name", { versionHeader: "Api Version" }, /header/],
    ["a version with a line break", { apiVersion: "2026\r\nEvil: 1" }, /header/],
    ["a timeout that is not a number", { timeout: "soon" }, /Timeout/],
    ["a timeout of 0", { timeout: 0 }, /Timeout/],
    ["a timeout of more than an hour", { timeout: 3601 }, /Timeout \(s\) must be a number from 0.01 to 3600/],
    ["no parallel requests", { concurrency: 0 }, /Parallel requests must be a whole number from 1 to 64/],
    ["a missing TLS configuration", { tls: "nowhere" }, /TLS/],
    ["a missing proxy", { proxy: "nowhere" }, /proxy/],
  ] as const) {
    it(`rejects ${name} with ENERGY_CONFIG, says what to do, and sends nothing`, async () => {
      await start(account);
      const { error, energy } = await rejection();
      assert.equal(energy.error.code, "ENERGY_CONFIG");
      assert.match(error.message, pattern);
      assert.doesNotMatch(error.message, /hidden/);
      assert.equal(energy.error.code, "ENERGY_CONFIG");
      assert.equal(service.requests.length, 0);
    });
  }

  for (const [name, credentials] of [
    ["no client ID", { clientId: "" }],
    ["a client ID with a colon", { clientId: "a:b" }],
    ["no client secret", { clientSecret: undefined }],
    ["an undefined variable for a secret", { clientSecret: "${NO_SUCH_SECRET}" }],
    ["an undefined variable inside a client ID", { clientId: "client-${NO_SUCH_ID}" }],
  ] as const) {
    it(`rejects ${name} with ENERGY_CONFIG`, async () => {
      await start({}, { credentials });
      assert.equal((await rejection()).energy.error.code, "ENERGY_CONFIG");
      assert.equal(service.requests.length, 0);
    });
  }

  for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "app.localhost"]) {
    it(`allows http to the loopback host ${host}`, async () => {
      await start({ baseUrl: `http://${host}:1` });
      const clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        const caught = rejection();
        const over = sinon.spy();
        caught.then(over, over);
        // Skips the pauses between attempts.
        while (!over.called) {
          await clock.tickAsync(100);
          await service.idle();
        }
        assert.notEqual((await caught).energy.error.code, "ENERGY_CONFIG");
      } finally {
        clock.restore();
      }
    });
  }

  it("reads base URL and credentials from the environment, even within a text", async () => {
    const { port } = new URL(service.baseUrl);
    const env = [
      { name: "PORT_OF_SERVICE", value: port, type: "str" },
      { name: "CLIENT_OF_SERVICE", value: service.clientId.slice(5), type: "str" },
      { name: "SECRET_OF_SERVICE", value: "s3cret-4d7f", type: "str" },
    ];
    for (const { name, value } of env) process.env[name] = value;
    try {
      await start(
        { baseUrl: "http://127.0.0.1:${PORT_OF_SERVICE}/" },
        { credentials: { clientId: "test-${CLIENT_OF_SERVICE}", clientSecret: "${SECRET_OF_SERVICE}" } },
      );
      await sendsReading();
    } finally {
      for (const { name } of env) delete process.env[name];
    }
  });

  for (const secret of ["s3${NOT_SET}cret", "${NOT_SET}"])
    it(`takes the secret ${secret} from the environment as it is`, async () => {
      await service.close();
      const credentials = { clientId: "test-client", clientSecret: secret };
      service = await startService({ credentials });
      process.env["SECRET_OF_SERVICE"] = secret;
      try {
        await start({}, { credentials: { ...credentials, clientSecret: "${SECRET_OF_SERVICE}" } });
        await sendsReading();
      } finally {
        delete process.env["SECRET_OF_SERVICE"];
      }
    });

  it("has its credentials in a subflow", async () => {
    const { baseUrl } = service;
    const wires = { in: [{ wires: [{ id: "inner" }] }], out: [{ wires: [{ id: "inner", port: 0 }] }] };
    const place = { x: 0, y: 0, wires: [] };
    const others = [
      { id: "subflow", type: "subflow", ...wires },
      { id: "inner-account", type: "energy-account", z: "subflow", baseUrl },
      {
        id: "inner",
        type: "energy-site-list",
        z: "subflow",
        ...place,
        account: "inner-account",
        output: "sites",
      },
      { id: "instance", type: "subflow:subflow", z: "tab", ...place, wires: [["out-2"]] },
    ];
    node = await startNode("energy-site-list", { wires: [["instance"]] }, { account: { baseUrl }, others });
    node.input({});
    assert.ok("siteId" in (await Promise.race([node.output(2), node.caught()])));
  });

  it("sends the version header with the configured name and value", async () => {
    await start({ apiVersion: "2027-07-07", versionHeader: "X-Other-Version" });
    await sendsReading();
    assert.equal(service.requestsTo(/sites/)[0]?.headers["x-other-version"], "2027-07-07");
    assert.equal(service.requestsTo(/sites/)[0]?.headers["vendorapi-version"], undefined);
  });

  it("reads all sites of the simulated service without any setting, through the same client", async () => {
    const settings = { service: "demo", baseUrl: "", apiVersion: "${NOT_SET}" };
    await start(settings, { credentials: { clientId: "", clientSecret: "" } });
    node.input({});
    const { energy } = await node.output<{ energy: { count: number } }>();
    assert.equal(energy.count, 6);
    assert.equal(service.requests.length, 0);
  });

  it("keeps its token when it or its nodes are redeployed", async () => {
    await start({});
    await sendsReading();
    await node.redeploy({}, { name: "renamed" });
    await sendsReading();
    assert.equal(service.requestsTo(/auth/).length, 1);
  });

  it("rejects a TLS configuration whose certificates cannot be read", async () => {
    const tls = {
      id: "the-tls",
      type: "tls-config",
      cert: "/nowhere/cert.pem",
      key: "/nowhere/key.pem",
      ca: "",
      verifyservercert: true,
    };
    await start({ tls: "the-tls" }, { others: [tls] });
    const { error, energy } = await rejection();
    assert.equal(energy.error.code, "ENERGY_CONFIG");
    assert.match(error.message, /certificate/);
  });

  it("never reveals a secret, whatever the service echoes", async () => {
    const basic = Buffer.from(`${service.clientId}:s3cret-4d7f`).toString("base64");
    const echo = `wrong: s3cret-4d7f, Basic ${basic}, ${encodeURIComponent("s3cret-4d7f")}`;
    service.fault({ path: /auth/, status: 501, times: Infinity, body: { message: echo } });
    await start({});
    const caught = await rejection();
    const output = [
      inspect(caught, { depth: 20 }),
      JSON.stringify(caught),
      node.logged(),
      ...node.statuses(),
    ].join("\n");
    assert.doesNotMatch(output, /s3cret-4d7f/);
    assert.ok(!output.includes(basic));
  });

  it("reports rejected credentials with advice, after a single request", async () => {
    await start({}, { credentials: { clientSecret: "wrong-secret" } });
    const { energy } = await rejection();
    assert.equal(energy.error.code, "ENERGY_AUTH");
    await rejection();
    assert.equal(service.requestsTo(/auth/).length, 1);
    assert.equal(node.statuses().at(-1), "credentials rejected");
  });
});
