// Tests for the typed methods: what each one sends, that it returns the response unchanged, and the errors of its endpoint.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { buildSync } from "esbuild";
import { ConfigError, EnergyError, HttpError, InputError } from "../../src/errors";
import type { ServiceClient } from "../../src/client/service-client";
import { HOUR } from "../../src/time-units";
import { VERSION } from "../../src/version";
import { startService, type TestService } from "../support/service";
import { clientOf, DAY, failureOf, PREVIEW } from "./clients";

describe("service client", () => {
  let service: TestService;
  let client: ServiceClient;
  let optedIn: ServiceClient;

  beforeEach(async () => {
    service = await startService();
    client = clientOf(service);
    optedIn = clientOf(service, { apiVersion: PREVIEW });
  });
  afterEach(async () => {
    client.close();
    optedIn.close();
    await service.close();
  });

  const versions = (): unknown[] => service.requests.map(({ headers }) => headers["vendorapi-version"]);

  it("reads every endpoint of the demo service", async () => {
    assert.ok((await optedIn.sites()).some(({ siteId }) => siteId === "demo-farm"));
    assert.equal((await optedIn.site("demo-farm")).siteId, "demo-farm");
    assert.equal(
      (await optedIn.telemetry({ siteId: "demo-farm", ...DAY, includeInverter: true })).records.length,
      288,
    );
    assert.equal((await optedIn.rgmTelemetry({ siteId: "demo-farm", ...DAY })).records.length, 288);
    assert.ok(Array.isArray(await optedIn.alerts()));
    assert.ok(Array.isArray(await optedIn.siteAlerts("demo-farm")));
    assert.deepEqual(
      service.requests.map(({ method, path: where }) => `${method} ${where}`),
      [
        "POST /v1/auth",
        "GET /v1/sites",
        "GET /v1/sites/demo-farm",
        "GET /v1/sites/demo-farm/telemetry",
        "GET /v1/sites/demo-farm/rgm-telemetry",
        "GET /v1/alerts",
        "GET /v1/sites/demo-farm/alerts",
      ],
    );
    assert.deepEqual(
      versions(),
      Array.from({ length: 7 }, () => PREVIEW),
    );
  });

  it("sends any other version and header name as set in the account", async () => {
    const other = clientOf(service, { apiVersion: "2027-05-05", versionHeader: "Other-Version" });
    await other.sites();
    await failureOf(other.rgmTelemetry({ siteId: "demo-house", ...DAY }));
    other.close();
    assert.ok(service.requests.every(({ headers }) => headers["other-version"] === "2027-05-05"));
  });

  it("keeps the path of the base URL", async () => {
    const prefixed = clientOf({ ...service, baseUrl: `${service.baseUrl}/some/base` });
    service.fault({ path: /auth$/, body: { access_token: "some-token" } });
    service.fault({ path: /alerts$/, body: [] });
    await prefixed.alerts();
    prefixed.close();
    assert.deepEqual(
      service.requests.map((request) => request.path),
      ["/some/base/v1/auth", "/some/base/v1/alerts"],
    );
  });

  for (const id of ["a/b", "a?b#c", "ä ö", "%2e%2e", "../x", "a\\b", "..."]) {
    it(`escapes the id ${id}`, async () => {
      service.fault({ path: /sites/, body: { siteId: id } });
      assert.equal((await client.site(id)).siteId, id);
      assert.equal(service.requestsTo(/sites/)[0]?.path, `/v1/sites/${encodeURIComponent(id)}`);
    });
  }

  for (const id of ["", " ", ".", "..", "\ud800"]) {
    it(`rejects the id ${JSON.stringify(id)} with ENERGY_INPUT and sends nothing`, async () => {
      assert.ok((await failureOf(client.site(id))) instanceof InputError);
      assert.ok((await failureOf(client.telemetry({ siteId: id, ...DAY }))) instanceof InputError);
      assert.equal(service.requests.length, 0);
    });
  }

  it("learns the service's time by two responses in a row, of which one may bring the token", async () => {
    const ahead = await startService({ now: () => Date.now() + 3 * HOUR });
    const corrections: number[] = [];
    const following = clientOf(ahead, {}, (correction) => corrections.push(Math.round(correction / HOUR)));
    await following.sites();
    const hoursAhead = Math.round((following.clock.now() - Date.now()) / HOUR);
    assert.deepEqual([hoursAhead, following.clock.isSure, corrections], [3, true, [3]]);
    assert.equal(ahead.requests.length, 2);
    following.close();
    await ahead.close();
  });

  it("makes a request twice if the time is not sure and the response does not confirm the local clock", async () => {
    await client.sites();
    // Has the token already.
    const following = clientOf(service);
    const headers = { date: new Date(Date.now() + 3 * HOUR).toUTCString() };
    for (let count = 0; count < 3; count += 1) service.fault({ path: /sites$/, headers, body: [] });
    for (const expected of [2, 1]) {
      const before = service.requests.length;
      await following.sites();
      assert.equal(service.requests.length - before, expected);
      assert.ok(following.clock.isSure && following.clock.correction !== undefined);
    }
    following.close();
  });

  it("learns no time from errors, adds the age of a response if that fits, and ignores what is no date", async () => {
    const date = (ms: number): string => new Date(Date.now() + ms).toUTCString();
    const hoursAhead = (): number => Math.abs(Math.round((client.clock.now() - Date.now()) / HOUR));
    await client.sites();
    for (const [headers, expected, status] of [
      [{ date: date(5 * HOUR) }, 0, 404],
      [{ date: "soon" }, 0, 200],
      [{ date: date(-HOUR), age: "3600" }, 0, 200],
      [{ date: date(0), age: "3600" }, 0, 200],
      [{ date: date(2 * HOUR), age: "3600" }, 2, 200],
      [{ date: date(HOUR), age: "3600" }, 2, 200],
      [{ date: date(2 * HOUR), age: "99999999999" }, 2, 200],
      [{ date: date(0), age: "old" }, 0, 200],
    ] as const) {
      for (let count = 0; count < 2; count += 1) {
        service.fault({ path: /sites$/, status, headers, body: [] });
        await client.sites().catch(() => undefined);
      }
      assert.equal(hoursAhead(), expected, JSON.stringify(headers));
    }
  });

  for (const [apiVersion, advice] of [
    ["", "Check the id. For a PC1 site, set Systems in the account to PC1 and PC2 (preview API)."],
    [PREVIEW, "Check the id."],
    ["2030-01-01", "Check the id."],
  ] as const) {
    it(`says what to check if a site is not found with the version "${apiVersion}"`, async () => {
      const own = clientOf(service, { apiVersion });
      const error = await failureOf(own.site("nowhere"));
      own.close();
      assert.ok(error instanceof HttpError);
      assert.equal(error.details.statusCode, 404);
      assert.ok(
        error.message.startsWith(`Not found (404). ${advice} (Site nowhere) The service says`),
        error.message,
      );
    });
  }

  it("names the system that is not found, and its site", async () => {
    const query = { siteId: "demo-house", systemId: "nowhere", ...DAY };
    for (const request of [client.telemetry(query), client.rgmTelemetry(query)])
      assert.match((await failureOf(request)).message, /\(\w.* of site demo-house, system nowhere\)/);
  });

  it("says nothing of PC1 or an id if a list is not found, or its request refused", async () => {
    service.fault({ path: /sites$/, status: 404, body: "" });
    assert.equal(
      (await failureOf(client.sites())).message,
      "Not found (404). Check the base URL. (Site list)",
    );
    service.fault({ path: /sites$/, status: 406, body: "" });
    const refused = "Refused (406). Check base URL and API version of the account. (Site list)";
    assert.equal((await failureOf(client.sites())).message, refused);
  });

  it("says nothing of PC1 if the request itself opts in to it", async () => {
    const query = { siteId: "nowhere", ...DAY };
    const { message } = await failureOf(client.rgmTelemetry(query));
    assert.match(message, /Not found \(404\). Check the id. .*The service says/);
  });

  it("reports missing permissions", async () => {
    service.fault({ path: /alerts/, status: 403 });
    assert.match((await failureOf(client.alerts())).message, /^No access \(403\)/);
  });

  for (const [baseUrl, text] of [
    ["http://example.com", /must start with https/],
    ["http://127.0.0.1.example.com", /must start with https/],
    ["ftp://localhost", /must start with https/],
    ["example", /not valid/],
  ] as const) {
    it(`rejects the base URL ${baseUrl} immediately`, () => {
      assert.throws(
        () => clientOf({ ...service, baseUrl }),
        (error) => error instanceof ConfigError && text.test(error.message),
      );
    });
  }

  for (const baseUrl of ["https://example.com", "http://localhost:1", "http://[::1]:1", "http://127.0.0.2"]) {
    it(`accepts the base URL ${baseUrl}`, () => clientOf({ ...service, baseUrl }).close());
  }

  it("keeps two accounts apart", async () => {
    const other = await startService();
    const second = clientOf(other);
    await Promise.all([client.sites(), second.sites()]);
    second.close();
    await other.close();
    assert.notEqual(service.requests[1]?.headers.authorization, other.requests[1]?.headers.authorization);
  });

  it("throws only the package's own errors", async () => {
    service.fault({ path: /sites$/, body: [7] });
    assert.ok((await failureOf(client.sites())) instanceof EnergyError);
  });
});

describe("package", () => {
  const root = path.join(__dirname, "../..");

  it("sends its own version to the service", () => {
    const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
      version: string;
    };
    assert.equal(VERSION, version);
  });

  describe("in a process of its own", () => {
    /** What is loaded, one state after the other, and how the first request ends. */
    let seen: { loaded: string[]; code: string; isFetchChanged: boolean };

    before(() => {
      // Run without tsx, which changes the global fetch itself.
      const { outputFiles } = buildSync({
        entryPoints: [path.join(root, "src/client/service-client.ts")],
        bundle: true,
        packages: "external",
        platform: "node",
        supported: { "dynamic-import": false },
        write: false,
      });
      const script = `${outputFiles[0]?.text}
        const settings = { baseUrl: "http://127.0.0.1:1", timeoutSeconds: 60, concurrency: 1, requestsPerMinute: 0, clientId: "a", clientSecret: "b", proxy: "none", retryDelaysMs: [] };
        const client = module.exports.createServiceClient(settings);
        const loaded = new Set();
        let code;
        client.sites().catch((error) => {
          client.close();
          code = error.code;
        });
        (function look() {
          const files = Object.keys(require.cache);
          loaded.add(["axios", "undici", "luxon"].filter((name) => files.some((file) => new RegExp("[\\\\/]" + name + "[\\\\/]").test(file))).join("+"));
          if (!code) return setImmediate(look);
          const dispatcher = globalThis[Symbol.for("undici.globalDispatcher.1")];
          const isFetchChanged = dispatcher instanceof require("undici").Agent;
          process.stdout.write(JSON.stringify({ loaded: [...loaded], code, isFetchChanged }));
        })();`;
      const output = execFileSync(process.execPath, ["-"], { cwd: root, input: script });
      seen = JSON.parse(output.toString()) as typeof seen;
    });

    it("does not change the global fetch", () => {
      assert.deepEqual([seen.code, seen.isFetchChanged], ["ENERGY_NETWORK", false]);
    });

    it("loads neither axios, undici nor luxon before the first request, and those two in a turn of the event loop each, since each takes long", () => {
      assert.deepEqual(seen.loaded, ["", "axios", "axios+undici"]);
    });
  });
});
