// Compressed answers: every encoding that is offered is read, and none gets around the bounds of size and time.
import assert from "node:assert/strict";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { EnergyError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import type { TestService } from "../../support/service";
import { clientOf, failureOf, startFreshService } from "../clients";

const SITES = /\/v1\/sites$/;
const MEBIBYTE = 2 ** 20;

const quickBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const encodings: [name: string, header: string, compress: (text: string) => Buffer][] = [
  ["gzip", "gzip", (text) => gzipSync(text, { level: 1 })],
  ["br", "br", (text) => brotliCompressSync(text, quickBrotli)],
  ["deflate", "deflate", (text) => deflateSync(text, { level: 1 })],
  ["deflate without its header", "deflate", (text) => deflateRawSync(text, { level: 1 })],
];

describe("compressed answers", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startFreshService();
    client = clientOf(service);
    await client.alerts();
  });
  afterEach(async () => {
    client.close();
    await service.close();
  });

  const sized = (mebibytes: number): string =>
    JSON.stringify([{ siteId: "x", text: " ".repeat(mebibytes * MEBIBYTE) }]);

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

  async function refusal(text: RegExp): Promise<EnergyError> {
    const error = await failureOf(client.sites());
    assert.equal(error.code, "ENERGY_RESPONSE");
    assert.match(error.message, text);
    assert.equal(service.requestsTo(SITES).length, 1);
    return error;
  }

  it("are asked for in every encoding that is read", () => {
    assert.equal(service.requestsTo(/alerts/)[0]?.headers["accept-encoding"], "gzip, br, deflate");
  });

  for (const [name, header, compress] of encodings) {
    describe(`by ${name}`, () => {
      it("are read up to 32 MiB", async () => {
        answer(header, compress(sized(31)));
        assert.equal((await client.sites()).length, 1);
      });

      it("are refused beyond 32 MiB, however small on the wire", async () => {
        const body = compress(sized(33));
        assert.ok(body.length < MEBIBYTE);
        answer(header, body);
        await refusal(/larger than 32 MiB/);
      });

      it("are refused when they cannot be decompressed", async () => {
        answer(header, Buffer.from([0xff, ...Buffer.from("[]")]));
        await refusal(/cannot be decompressed/);
      });

      it("are refused when they break off", async () => {
        const body = compress(sized(0));
        answer(header, body.subarray(0, body.length - 10));
        await refusal(/cannot be decompressed/);
      });

      it("end at the timeout when their body stalls", async () => {
        const hasty = clientOf(service, { timeoutSeconds: 0.1 });
        answer(header, compress(sized(0)).subarray(0, 10), false);
        assert.equal((await failureOf(hasty.sites())).code, "ENERGY_TIMEOUT");
        hasty.close();
      });
    });
  }

  it("are refused in an encoding that was not asked for", async () => {
    answer("zstd", Buffer.from("[]"));
    await refusal(/cannot be decompressed/);
  });

  for (const header of ["identity", "gzip"]) {
    it(`are not received beyond 32 MiB, as ${header}`, async () => {
      let sent = 0;
      service.fault({
        path: SITES,
        respond(_request, response) {
          response.writeHead(200, { "content-encoding": header });
          const more = (): void => {
            sent += MEBIBYTE;
            if (!response.destroyed) response.write(Buffer.alloc(MEBIBYTE, " "), more);
          };
          more();
        },
      });
      await refusal(/larger than 32 MiB/);
      assert.ok(sent < 64 * MEBIBYTE);
    });
  }
});
