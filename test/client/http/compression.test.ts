// Tests for compressed responses: gzip is decoded, and does not bypass the limits on size and time.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import sinon from "sinon";
import type { EnergyError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import { startService, type TestService } from "../../support/service";
import { clientOf, failureOf, passTimeouts } from "../clients";

const SITES = /\/v1\/sites$/;
const MEBIBYTE = 2 ** 20;

describe("compressed responses", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startService();
    client = clientOf(service);
    await client.alerts();
  });
  afterEach(async () => {
    sinon.restore();
    client.close();
    await service.close();
  });

  const BODY = gzipSync(JSON.stringify([{ siteId: "x", text: "" }]));

  function answer(header: string, body: Buffer, isWhole = true): void {
    service.fault({
      path: SITES,
      respond(_request, response) {
        response.writeHead(200, { "content-encoding": header });
        response.write(body);
        if (isWhole) response.end();
      },
    });
  }

  async function rejection(text: RegExp): Promise<EnergyError> {
    const error = await failureOf(client.sites());
    assert.equal(error.code, "ENERGY_RESPONSE");
    assert.match(error.message, text);
    assert.equal(service.requestsTo(SITES).length, 1);
    return error;
  }

  it("are rejected in an encoding that is none, though every object has a property of that name", async () => {
    answer("constructor", Buffer.from("[]"));
    await rejection(/cannot be decompressed/);
  });

  it("are requested as gzip", () => {
    assert.equal(service.requestsTo(/alerts/)[0]?.headers["accept-encoding"], "gzip");
  });

  it("are decompressed by either name of gzip, whatever its case", async () => {
    for (const header of ["gzip", "GZIP", "x-gzip"]) {
      answer(header, BODY);
      assert.equal((await client.sites()).length, 1);
    }
  });

  it("are rejected if they cannot be decompressed", async () => {
    answer("gzip", Buffer.from([0xff, ...Buffer.from("[]")]));
    await rejection(/cannot be decompressed/);
  });

  it("are rejected if they are truncated", async () => {
    answer("gzip", BODY.subarray(0, BODY.length - 10));
    await rejection(/cannot be decompressed/);
  });

  it("time out if the body stalls", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const once = clientOf(service, { timeoutSeconds: 20, retryDelaysMs: [] });
    answer("gzip", BODY.subarray(0, 10), false);
    const failing = failureOf(once.sites());
    await passTimeouts(clock, () => service.requestsTo(SITES).length, 1);
    assert.equal((await failing).code, "ENERGY_TIMEOUT");
    once.close();
  });

  it("are rejected in an encoding that was not requested", async () => {
    answer("zstd", Buffer.from("[]"));
    await rejection(/cannot be decompressed/);
  });

  for (const header of ["identity", "gzip"]) {
    it(`are not received beyond 8 MiB (${header})`, async () => {
      let sent = 0;
      const part = Buffer.alloc(MEBIBYTE, " ");
      service.fault({
        path: SITES,
        respond(_request, response) {
          response.writeHead(200, { "content-encoding": header });
          const more = (): void => {
            sent += MEBIBYTE;
            if (!response.destroyed) response.write(part, more);
          };
          more();
        },
      });
      await rejection(/larger than 8 MiB/);
      assert.ok(sent < 24 * MEBIBYTE);
    });
  }
});
