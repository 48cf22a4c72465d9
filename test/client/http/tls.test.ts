// TLS: the account's own authority is trusted, an unknown one is not, and the connection is kept.
import assert from "node:assert/strict";
import sinon from "sinon";
import { clientOf, failureOf } from "../clients";
import { CA, startTlsService, type TlsService } from "./tls-service";

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

  it("trusts the authority that the account names, over one connection", async () => {
    const client = clientOf(service, { tls: { ca: CA } });
    await client.sites();
    assert.deepEqual(await client.sites(), [{ siteId: "a" }]);
    client.close();
    assert.equal(service.connections(), 1);
  });

  it("sends nothing to a service whose certificate nobody vouches for, and says what to do", async () => {
    const client = clientOf(service);
    const error = await failureOf(client.sites());
    client.close();
    assert.equal(error.code, "ENERGY_NETWORK");
    assert.match(error.message, /certificate is not trusted, choose a TLS configuration/);
    assert.equal(service.requests.length, 0);
  });

  it("sends nothing to a service whose certificate is another's", async () => {
    const client = clientOf(service, { tls: { ca: CA, servername: "other.example" } });
    const error = await failureOf(client.sites());
    client.close();
    assert.match(error.message, /certificate is not trusted.*ERR_TLS_CERT_ALTNAME_INVALID/);
    assert.equal(service.requests.length, 0);
  });

  it("does without the check when the account says so", async () => {
    const client = clientOf(service, { tls: { rejectUnauthorized: false } });
    assert.equal((await client.sites()).length, 1);
    client.close();
  });
});
