// Tests for the limits on what the service sends: an answer just within each is read, and one just beyond is refused.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import sinon from "sinon";
import type { ServiceClient } from "../../src/client/service-client";
import type { EnergyError } from "../../src/errors";
import { startService, type TestService } from "../support/service";
import { clientOf, DAY, failureOf } from "./clients";

const AUTH = /\/v1\/auth$/;
const SITES = /\/v1\/sites$/;
const ALERTS = /\/v1\/alerts$/;
const KIBIBYTE = 2 ** 10;
const MEBIBYTE = 2 ** 20;

describe("limits on answers", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startService();
    client = clientOf(service);
  });
  afterEach(async () => {
    sinon.restore();
    client.close();
    await service.close();
  });

  /** A list with one alert, of an exact size. */
  const sized = (bytes: number): string => `[{"id": 1}${" ".repeat(bytes - 11)}]`;
  const spaces = gzipSync(" ".repeat(MEBIBYTE));
  /** JSON padded to an exact size, compressed: what takes long is to send it, and to compress more than a part. */
  const packed = (json: string, bytes: number): Buffer => {
    const whole = Math.floor((bytes - json.length) / MEBIBYTE);
    const first = gzipSync(json.padEnd(bytes - whole * MEBIBYTE));
    return Buffer.concat([first, ...Array<Buffer>(whole).fill(spaces)]);
  };
  const sendPacked = (response: ServerResponse, body: Buffer): void =>
    void response.writeHead(200, { "content-encoding": "gzip" }).end(body);
  const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

  async function rejection(text: RegExp, call: Promise<unknown> = client.alerts()): Promise<EnergyError> {
    const error = await failureOf(call);
    assert.equal(error.code, "ENERGY_RESPONSE");
    assert.match(error.message, text);
    return error;
  }

  describe("in bytes", () => {
    it("are 8 MiB, however small on the wire", async () => {
      const answer = (bytes: number): void => {
        const body = packed('[{"id": 1}]', bytes);
        assert.ok(body.length < MEBIBYTE);
        service.fault({ path: ALERTS, respond: (_request, response) => sendPacked(response, body) });
      };
      answer(8 * MEBIBYTE);
      assert.equal((await client.alerts()).length, 1);
      answer(8 * MEBIBYTE + 1);
      await rejection(/larger than 8 MiB\. Request less/);
      assert.equal(service.requestsTo(ALERTS).length, 2);
    });

    it("are those of the response, whatever interim response comes before", async () => {
      service.fault({
        path: ALERTS,
        respond(_request, response) {
          response.writeProcessing();
          response.end(sized(MEBIBYTE));
        },
      });
      assert.equal((await client.alerts()).length, 1);
    });

    it("are 64 KiB for a token", async () => {
      const token = (bytes: number): string =>
        sized(bytes).replace('[{"id": 1}', '{"access_token":"x"').slice(0, -1);
      const padded = (bytes: number): string => `${token(bytes).trimEnd()}${" ".repeat(bytes - 20)}}`;
      service.fault({ path: AUTH, body: padded(64 * KIBIBYTE + 1) });
      const clock = sinon.useFakeTimers({ toFake: ["performance"] });
      await rejection(/larger than 64 KiB/);
      clock.tick(60_000);
      service.fault({ path: AUTH, body: padded(64 * KIBIBYTE) });
      service.fault({ path: ALERTS, body: [] });
      assert.deepEqual(await client.alerts(), []);
    });

    for (const [name, headers, compress] of [
      ["plain", {}, (text: string) => Buffer.from(text)],
      ["compressed", { "content-encoding": "gzip" }, (text: string) => gzipSync(text)],
    ] as const) {
      it(`are 64 KiB for an error, which keeps its status and loses its text (${name})`, async () => {
        const answer = (bytes: number): void =>
          service.fault({
            path: ALERTS,
            respond: (_request, response) => {
              const text = JSON.stringify({ message: "not today" });
              response.writeHead(409, headers).end(compress(text + " ".repeat(bytes - text.length)));
            },
          });
        answer(64 * KIBIBYTE);
        const shown = await failureOf(client.alerts());
        answer(64 * KIBIBYTE + 1);
        const hidden = await failureOf(client.alerts());
        assert.deepEqual(
          [shown, hidden].map(({ code, details }) => ({ code, ...details })),
          [
            { code: "ENERGY_HTTP", statusCode: 409, serviceText: "not today" },
            { code: "ENERGY_HTTP", statusCode: 409 },
          ],
        );
      });
    }

    it("end an error of any length, which is not read any further", async () => {
      let sent = 0;
      service.fault({
        path: ALERTS,
        respond(_request, response) {
          response.writeHead(404);
          const more = (): void => {
            sent += 16 * KIBIBYTE;
            if (!response.destroyed) response.write("x".repeat(16 * KIBIBYTE), more);
          };
          more();
        },
      });
      assert.equal((await failureOf(client.alerts())).details.statusCode, 404);
      assert.ok(sent < 8 * MEBIBYTE, `${sent} bytes`);
    });

    it("keep the status of an error that cannot be decompressed", async () => {
      const headers = { "content-encoding": "gzip" };
      service.fault({ path: ALERTS, status: 404, headers, body: "no gzip" });
      assert.deepEqual((await failureOf(client.alerts())).details, { statusCode: 404 });
    });

    it("are 32 MiB for all pages of a list", async () => {
      let pages = 0;
      service.fault({
        path: ALERTS,
        times: Infinity,
        respond: (_request, response) => {
          pages += 1;
          const text = JSON.stringify({ data: [{ id: pages }], nextPageToken: `t${pages}` });
          sendPacked(response, packed(text, 7 * MEBIBYTE));
        },
      });
      await rejection(/All pages together are larger than 32 MiB/);
      assert.equal(pages, 5);
    });
  });

  describe("in depth", () => {
    it("are 64 levels", async () => {
      service.fault({ path: ALERTS, body: `[{"id": ${nested(62)}}]` });
      assert.equal((await client.alerts()).length, 1);
      service.fault({ path: ALERTS, body: `[{"id": ${nested(63)}}]` });
      await rejection(/Nested more than 64 deep.*\(Alerts\)/);
    });

    for (const path of [AUTH, SITES]) {
      it(`apply to ${String(path)}`, async () => {
        service.fault({ path, body: nested(30_000) });
        await rejection(/Nested more than 64 deep/, client.sites());
      });
    }
  });

  describe("in values", () => {
    for (const [what, body] of [
      ["empty objects", `[${"{},".repeat(500_000)}{}]`],
      ["fields", `{${'"a": 1,'.repeat(500_000)}"b" :1}`],
    ] as const)
      it(`are counted before very many ${what} are parsed`, async () => {
        service.fault({ path: ALERTS, body });
        await client.sites();
        const parse = sinon.spy(JSON, "parse");
        await rejection(/more than 500000 values/);
        assert.equal(parse.callCount, 0);
      });

    it("are at most 20,000 in objects with very many fields, which take long to list", async () => {
      const fields = (count: number): string =>
        Array.from({ length: count }, (_, index) => `"f${index}": 1`).join();
      const wide = (count: number): string => `{"sites": [{"siteId": "a"}], "meta": {${fields(count)}}}`;
      service.fault({ path: SITES, body: wide(19_000) });
      assert.equal((await client.sites()).length, 1);
      service.fault({ path: SITES, body: wide(20_001) });
      await rejection(/more than 500000 values/, client.sites());
      const many = Array.from({ length: 400 }, (_, index) => `{"siteId": "s${index}", ${fields(900)}}`);
      service.fault({ path: SITES, body: `[${many.join()}]` });
      assert.equal((await client.sites()).length, 400);
    });

    /** A site or an alert with so many values, itself included. */
    const item = (idField: string, values: number): string =>
      `{"${idField}": "a", "more": [${"0,".repeat(values - 4)}0]}`;
    const sites = (values: number): string => `[${item("siteId", values - 1)}]`;
    /** A list of 150 alerts. */
    const alerts = (values: number): string =>
      `[${`${item("id", 1000)},`.repeat(149)}${item("id", values - 149_001)}]`;

    it("are 500,000", async () => {
      service.fault({ path: SITES, body: sites(500_000) });
      assert.equal((await client.sites()).length, 1);
      service.fault({ path: SITES, body: sites(500_001) });
      await rejection(/more than 500000 values\. Request less/, client.sites());
    });

    it("are 500,000 for all pages of a list", async () => {
      let pages = 0;
      service.fault({
        path: SITES,
        times: Infinity,
        respond: (_request, response) => {
          pages += 1;
          response.end(`{"data": ${sites(200_000 + pages)}, "nextPageToken": "t${pages}"}`);
        },
      });
      await rejection(/more than 500000 values/, client.sites());
      assert.equal(pages, 3);
    });

    it("are 150,000 for alerts", async () => {
      service.fault({ path: ALERTS, body: alerts(150_000) });
      assert.equal((await client.alerts()).length, 150);
      service.fault({ path: ALERTS, body: alerts(150_001) });
      await rejection(/more than 150000 values/);
      service.fault({ path: /sites\/a\/alerts$/, body: alerts(150_001) });
      await rejection(/more than 150000 values/, client.siteAlerts("a"));
    });
  });

  it("are 16 KiB for the URL of the next page", async () => {
    const answer = (token: string): void => {
      service.fault({ path: ALERTS, body: { data: [{ id: 1 }], nextPageToken: token } });
    };
    answer("x".repeat(16 * KIBIBYTE));
    await rejection(/next page too long \(over 16384\)/);
    service.fault({ path: ALERTS, body: [{ id: 2 }] });
    answer("x".repeat(8 * KIBIBYTE));
    assert.equal((await client.alerts()).length, 2);
  });

  it("are 8 KiB for a token", async () => {
    service.fault({ path: AUTH, body: { access_token: "x".repeat(8 * KIBIBYTE + 1) } });
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    await rejection(/No usable access_token/);
    clock.tick(60_000);
    service.fault({ path: AUTH, body: { access_token: "x".repeat(8 * KIBIBYTE) } });
    service.fault({ path: ALERTS, body: [] });
    assert.deepEqual(await client.alerts(), []);
  });

  it("are those of undici for headers", async () => {
    service.fault({ path: ALERTS, times: Infinity, headers: { "x-long": "x".repeat(100_000) }, body: [] });
    const error = await failureOf(client.alerts());
    assert.equal(error.code, "ENERGY_NETWORK");
    assert.match(error.message, /headers are too large/);
  });

  it("keep the first 100 unreadable records of a page", async () => {
    const items = Array.from({ length: 101 }, (_item, index) => ({ startTime: index }));
    const readable = { startTime: "2026-02-01T00:00:00Z", endTime: "2026-02-01T00:05:00Z" };
    service.fault({ path: /telemetry$/, body: { data: [...items, readable] } });
    const answer = await client.telemetry({ siteId: "a", systemId: "b", ...DAY });
    assert.deepEqual([answer.records.length, answer.unreadable.length], [1, 100]);
  });
});
