// Tests for plain http: it reaches this machine only, even if a name server says that localhost is elsewhere.
import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { isLoopbackAddress } from "../../../src/client/http/route";
import { ConfigError } from "../../../src/errors";
import type { TestService } from "../../support/service";
import { clientOf, failureOf, startFreshService } from "../clients";

/** Reserved for documentation, so that nothing is there (RFC 5737). */
const ELSEWHERE = { address: "192.0.2.1", family: 4 };
const HERE = { address: "127.0.0.1", family: 4 };

/** A name server with one answer to everything. */
function resolvingTo(...addresses: LookupAddress[]): LookupFunction {
  return (_hostname, options, done) => {
    const [first = ELSEWHERE] = addresses;
    if (options.all) done(null, addresses);
    else done(null, first.address, first.family);
  };
}

describe("plain http", () => {
  let service: TestService;

  beforeEach(async () => (service = await startFreshService()));
  afterEach(() => service.close());

  const clientTo = (host: string, lookup?: LookupFunction): ReturnType<typeof clientOf> =>
    clientOf(
      { ...service, baseUrl: service.baseUrl.replace("127.0.0.1", host) },
      { ...(lookup && { lookup }), timeoutSeconds: 2 },
    );

  for (const host of ["localhost", "energy.localhost"]) {
    it(`is not sent to ${host} if that is another machine, and the error says what to do`, async () => {
      const client = clientTo(host, resolvingTo(ELSEWHERE));
      const error = await failureOf(client.sites());
      client.close();
      assert.ok(error instanceof ConfigError);
      assert.equal(error.message, `Use https:// for ${host}. http:// is allowed for localhost only.`);
    });

    it(`is sent to the addresses of ${host} that are this machine's own`, async () => {
      const client = clientTo(host, resolvingTo(ELSEWHERE, HERE));
      assert.ok((await client.sites()).length > 0);
      client.close();
    });
  }

  it("is sent to localhost as the system resolves it", async () => {
    const client = clientTo("localhost");
    assert.ok((await client.sites()).length > 0);
    client.close();
  });

  it("fails as usual if the name cannot be resolved", async () => {
    const failing: LookupFunction = (_hostname, _options, done) =>
      done(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), "");
    const client = clientTo("energy.localhost", failing);
    assert.match((await failureOf(client.sites())).message, /Host name not found/);
    client.close();
  });

  it("knows the addresses of this machine in every notation", () => {
    for (const address of ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"])
      assert.equal(isLoopbackAddress(address), true, address);
    for (const address of ["128.0.0.1", "0.0.0.0", "::", "::2", "::ffff:192.0.2.1", "fe80::1"])
      assert.equal(isLoopbackAddress(address), false, address);
  });
});
