// Tests for plain http: it reaches this machine only, whatever a name server says of a loopback name.
import assert from "node:assert/strict";
import { startService, type TestService } from "../../support/service";
import { clientOf } from "../clients";

describe("plain http", () => {
  let service: TestService;

  beforeEach(async () => (service = await startService()));
  afterEach(() => service.close());

  for (const host of ["localhost", "name-that-is-in-no-name-server.localhost"]) {
    it(`is sent to this machine as ${host}, without asking a name server`, async () => {
      const client = clientOf({ ...service, baseUrl: service.baseUrl.replace("127.0.0.1", host) });
      assert.ok((await client.sites()).length > 0);
      client.close();
    });
  }
});
