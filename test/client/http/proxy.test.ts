// Tests for proxies: which requests use one, one tunnel for many requests, and what happens when the proxy refuses.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import sinon from "sinon";
import { proxyFor } from "../../../src/client/http/route";
import { AbortedError, ConfigError } from "../../../src/errors";
import { startService } from "../../support/service";
import { clientOf, failureOf } from "../clients";
import { startProxy, type Proxy } from "./connect-proxy";
import { CA, CERT, KEY, startTlsService, type TlsService } from "./tls-service";

describe("proxy", () => {
  let service: TlsService;
  let proxy: Proxy;
  const variables = (): string[] => Object.keys(process.env).filter((name) => /_proxy$/i.test(name));
  const saved = Object.fromEntries(variables().map((name) => [name, process.env[name]]));
  const clearVariables = (): void => {
    for (const name of variables()) delete process.env[name];
  };

  beforeEach(async () => {
    service = await startTlsService();
    proxy = await startProxy();
  });

  afterEach(async () => {
    sinon.restore();
    clearVariables();
    Object.assign(process.env, saved);
    await proxy.close();
    await service.close();
  });

  const through = (url: string, noProxy: string[] = []): ReturnType<typeof clientOf> =>
    clientOf(service, { tls: { ca: CA }, proxy: { url, noProxy } });

  it("carries all requests through one tunnel, with TLS to the service", async () => {
    const client = through(proxy.url);
    await client.sites();
    await client.sites();
    await client.sites();
    client.close();
    assert.equal(service.requests.length, 4);
    assert.deepEqual(proxy.tunnels, [{ target: new URL(service.baseUrl).host, authorization: undefined }]);
    assert.equal(service.connections(), 1);
  });

  it("receives the user name and password from its URL, decoded", async () => {
    const client = through(`http://proxy%40user:p%3Ass@127.0.0.1:${proxy.port}`);
    await client.sites();
    client.close();
    assert.equal(
      proxy.tunnels[0]?.authorization,
      `Basic ${Buffer.from("proxy@user:p:ss").toString("base64")}`,
    );
  });

  it("is never used for plain http", async () => {
    const plain = await startService();
    process.env["http_proxy"] = process.env["all_proxy"] = proxy.url;
    for (const noProxy of [[], undefined]) {
      const client = clientOf(plain, { proxy: noProxy ? { url: proxy.url, noProxy } : "environment" });
      assert.ok((await client.sites()).length > 0);
      client.close();
    }
    await plain.close();
    assert.equal(proxy.open.size + proxy.tunnels.length, 0);
  });

  it("is not used for hosts on the no-proxy list", async () => {
    const client = through(proxy.url, ["elsewhere", "localhost"]);
    await client.sites();
    client.close();
    assert.equal(proxy.tunnels.length, 0);
  });

  /** As the dialog and the help of the account name them. */
  const VARIABLES = ["HTTPS_PROXY", "ALL_PROXY"];

  for (const name of VARIABLES)
    it(`is read from ${name} if the account says so`, async () => {
      clearVariables();
      process.env[name] = proxy.url;
      const client = clientOf(service, { tls: { ca: CA }, proxy: "environment" });
      await client.sites();
      client.close();
      assert.equal(proxy.tunnels.length, 1);
    });

  it("is not read from any variable but those that the account names, in every language", () => {
    const nodes = join(__dirname, "..", "..", "..", "nodes", "account", "locales");
    for (const language of readdirSync(nodes))
      for (const file of ["account.json", "account.html"]) {
        const named = readFileSync(join(nodes, language, file), "utf8").match(/[A-Z]+_PROXY/g);
        assert.deepEqual(named, [...VARIABLES, "NO_PROXY"], `${language} ${file}`);
      }
  });

  it("is not read from the environment if the account says none", async () => {
    process.env["HTTPS_PROXY"] = proxy.url;
    const client = clientOf(service, { tls: { ca: CA }, proxy: "none" });
    await client.sites();
    client.close();
    assert.equal(proxy.tunnels.length, 0);
  });

  for (const [status, text] of [
    [407, /The proxy requires a user name and password\. .*\(PROXY_407, /],
    [403, /The proxy refused the connection\. .*\(PROXY_403, /],
  ] as const) {
    it(`is named in the error when it responds with ${status}, without its password`, async () => {
      const refusing = await startProxy(status);
      const client = through(`http://someone:proxy-password@127.0.0.1:${refusing.port}`);
      const error = await failureOf(client.sites());
      client.close();
      await refusing.close();
      assert.equal(error.code, "ENERGY_NETWORK");
      assert.match(error.message, text);
      assert.ok(error.message.includes(`through the proxy 127.0.0.1:${refusing.port}`));
      assert.ok(!inspect(error).includes("proxy-password"));
    });
  }

  it("times out if it never opens the tunnel", async () => {
    const silent = await startProxy("never");
    const client = clientOf(service, {
      tls: { ca: CA },
      proxy: { url: silent.url, noProxy: [] },
      timeoutSeconds: 0.1,
    });
    assert.equal((await failureOf(client.sites())).code, "ENERGY_TIMEOUT");
    await silent.emptied();
    client.close();
    await silent.close();
  });

  it("is tried four times in all if it hangs up on every tunnel", async () => {
    const hangingUp = await startProxy("hang up");
    const client = through(hangingUp.url);
    const error = await failureOf(client.sites());
    client.close();
    await hangingUp.close();
    assert.match(error.message, /Connection interrupted\. .*\(ECONNRESET, /);
    assert.equal(hangingUp.tunnels.length, 4);
  });

  it("can be an https proxy with a certificate authority from the account", async () => {
    const secure = await startProxy("tunnel", { cert: CERT, key: KEY });
    const client = through(`https://localhost:${secure.port}`);
    assert.equal((await client.sites()).length, 1);
    client.close();
    const untrusting = clientOf(service, { proxy: { url: `https://localhost:${secure.port}`, noProxy: [] } });
    assert.match((await failureOf(untrusting.sites())).message, /Certificate not trusted/);
    untrusting.close();
    await secure.close();
    assert.equal(secure.tunnels.length, 1);
  });

  it("does not hide a service whose certificate is for another host", async () => {
    const tls = { ca: CA, servername: "other.example" };
    const client = clientOf(service, { tls, proxy: { url: proxy.url, noProxy: [] } });
    const error = await failureOf(client.sites());
    client.close();
    assert.match(error.message, /Certificate of another host name\. .*\(ERR_TLS_CERT_ALTNAME_INVALID/);
    assert.equal(service.requests.length, 0);
  });

  it("is left at once, without an unhandled error, if the account's TLS configuration is not valid", async () => {
    const tls = { ca: CA, cert: CERT, key: "no key" };
    const client = clientOf(service, { tls, proxy: { url: proxy.url, noProxy: [] } });
    const error = await failureOf(client.sites());
    assert.match(error.message, /^The account's TLS configuration is not valid\./);
    assert.equal(proxy.tunnels.length, 4);
    await proxy.emptied();
    client.close();
  });

  it("leaves no half-open tunnel on close", async () => {
    const silent = await startProxy("never");
    const client = through(silent.url);
    const call = failureOf(client.sites());
    while (silent.tunnels.length === 0) await new Promise(setImmediate);
    client.close();
    assert.ok((await call) instanceof AbortedError);
    await silent.emptied();
    await silent.close();
  });

  for (const url of ["socks5://127.0.0.1:1080", "http://user:proxy-password@"]) {
    it(`is rejected with ENERGY_CONFIG if its URL is ${url}, which the error does not show`, async () => {
      const client = through(url);
      const error = await failureOf(client.sites());
      client.close();
      assert.ok(error instanceof ConfigError);
      assert.ok(!inspect(error).includes("proxy-password"));
    });
  }
});

describe("no-proxy list", () => {
  const cases: [string, string, boolean][] = [
    ["*", "https://a.example.com", true],
    ["example.com", "https://example.com", true],
    ["example.com", "https://a.example.com", false],
    [".example.com", "https://a.example.com", true],
    ["*.example.com", "https://a.example.com", true],
    ["*.example.com", "https://notexample.com", false],
    ["EXAMPLE.com:443", "https://example.com", true],
    ["example.com:8443", "https://example.com", false],
    ["example.com:8443", "https://example.com:8443", true],
    ["127.0.0.1", "https://127.0.0.1:1880", true],
    ["::1", "https://[::1]:8443", true],
    ["[::1]:8443", "https://[::1]:8443", true],
    ["fd00::7:443", "https://[fd00::7]", false],
    ["", "https://example.com", false],
  ];
  for (const [entry, url, isDirect] of cases) {
    it(`with "${entry}" ${isDirect ? "exempts" : "does not exempt"} ${url} from the proxy`, () => {
      const proxy = proxyFor(new URL(url), { url: "proxy.test:3128", noProxy: [entry] });
      assert.equal(proxy?.href, isDirect ? undefined : "http://proxy.test:3128/");
    });
  }
});
