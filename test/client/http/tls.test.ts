// Tests for TLS: the account's certificate authority is trusted, an unknown one is not, and the connection is kept alive.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import sinon from "sinon";
import { clientOf, failureOf } from "../clients";
import { AbortedError } from "../../../src/errors";
import {
  CA,
  CERT,
  ENCRYPTED_KEY,
  EXPIRED,
  SELF_SIGNED,
  startSilentServer,
  startTlsService,
  type TlsService,
} from "./tls-service";

describe("tls", () => {
  let service: TlsService;

  beforeEach(async () => {
    service = await startTlsService();
    sinon.stub(Math, "random").returns(0);
  });
  afterEach(async () => {
    sinon.restore();
    await service.close();
  });

  it("trusts the account's certificate authority, over one connection", async () => {
    const client = clientOf(service, { tls: { ca: CA } });
    await client.sites();
    assert.deepEqual(await client.sites(), [{ siteId: "a" }]);
    client.close();
    assert.equal(service.connections(), 1);
  });

  it("sends nothing to a service with an untrusted certificate, and says what to do", async () => {
    const client = clientOf(service);
    const error = await failureOf(client.sites());
    client.close();
    assert.equal(error.code, "ENERGY_NETWORK");
    assert.match(error.message, /Certificate not trusted. Choose a TLS configuration/);
    assert.equal(service.requests.length, 0);
  });

  for (const [name, cert, pattern] of [
    ["self-signed", SELF_SIGNED, /Self-signed certificate\. Add it to a TLS configuration .*\(DEPTH_ZERO/],
    ["expired", EXPIRED, /Certificate expired or not valid yet\. .*\(CERT_HAS_EXPIRED/],
  ] as const) {
    it(`sends nothing to a service whose certificate is ${name}`, async () => {
      const other = await startTlsService({ cert });
      const client = clientOf(other, name === "expired" ? { tls: { ca: EXPIRED } } : {});
      assert.match((await failureOf(client.sites())).message, pattern);
      client.close();
      await other.close();
      assert.equal(other.requests.length, 0);
    });
  }

  it("trusts a self-signed certificate that is in the account's TLS configuration", async () => {
    const other = await startTlsService({ cert: SELF_SIGNED });
    const client = clientOf(other, { tls: { ca: SELF_SIGNED } });
    assert.equal((await client.sites()).length, 1);
    client.close();
    await other.close();
  });

  it("sends nothing to a service whose certificate is for another host", async () => {
    const client = clientOf(service, { tls: { ca: CA, servername: "other.example" } });
    const error = await failureOf(client.sites());
    client.close();
    assert.match(error.message, /Certificate of another host name\. .*\(ERR_TLS_CERT_ALTNAME_INVALID/);
    assert.equal(service.requests.length, 0);
  });

  it("presents the account's certificate to a service that requires one", async () => {
    const strict = await startTlsService({ requestCert: true, ca: CA });
    const refused = clientOf(strict, { tls: { ca: CA } });
    assert.equal((await failureOf(refused.sites())).code, "ENERGY_NETWORK");
    refused.close();
    const client = clientOf(strict, {
      tls: { ca: CA, cert: CERT, key: ENCRYPTED_KEY, passphrase: "phrase" },
    });
    assert.equal((await client.sites()).length, 1);
    client.close();
    await strict.close();
  });

  it("says that the account's TLS configuration is not valid if its key cannot be read", async () => {
    const tls = { ca: CA, cert: CERT, key: ENCRYPTED_KEY, passphrase: "another-phrase" };
    const client = clientOf(service, { tls });
    const error = await failureOf(client.sites());
    client.close();
    assert.match(error.message, /^The account's TLS configuration is not valid\. .*\(ERR_OSSL_/);
    assert.ok(!inspect(error).includes("another-phrase"));
  });

  it("leaves no half-open handshake on close", async () => {
    const silent = await startSilentServer();
    const client = clientOf({ ...service, baseUrl: `https://localhost:${silent.port}` });
    const call = failureOf(client.sites());
    await silent.connected;
    client.close();
    assert.ok((await call) instanceof AbortedError);
    await silent.emptied;
    await silent.close();
  });

  it("times out if the handshake is never answered", async () => {
    const silent = await startSilentServer();
    const settings = { timeoutSeconds: 0.1, retryDelaysMs: [] };
    const client = clientOf({ ...service, baseUrl: `https://localhost:${silent.port}` }, settings);
    assert.equal((await failureOf(client.sites())).code, "ENERGY_TIMEOUT");
    await silent.emptied;
    client.close();
    await silent.close();
  });

  it("skips certificate verification if the account says so", async () => {
    const client = clientOf(service, { tls: { rejectUnauthorized: false } });
    assert.equal((await client.sites()).length, 1);
    client.close();
  });
});
