// Tests for the log of the last requests: it says how each attempt went, and names nobody.
import assert from "node:assert/strict";
import { pathPattern, RequestLog } from "../../../src/client/http/request-log";
import { AbortedError, NetworkError } from "../../../src/errors";

const request = (path: string) => ({
  method: "GET" as const,
  url: `https://host.example${path}`,
  headers: {},
});

describe("the request log", () => {
  for (const [path, pattern] of Object.entries({
    "/v1/auth": "/v1/auth",
    "/v1/sites": "/v1/sites",
    "/v1/sites/S-1?startTime=x": "/v1/sites/{siteId}",
    "/v1/sites/S-1/telemetry?systemId=secret": "/v1/sites/{siteId}/telemetry",
    "/v1/sites/a%2Fb/rgm-telemetry": "/v1/sites/{siteId}/rgm-telemetry",
    "/v1/sites/alerts/alerts": "/v1/sites/{siteId}/alerts",
    "/v1/sites/sites/sites": "/v1/sites/{siteId}/sites",
    "/v1/alerts#fragment": "/v1/alerts",
    "/customer-7/api/v1/alerts": "/{…}/{…}/v1/alerts",
    "/v1/next-page/token-77": "/v1/{…}/{…}",
    "": "",
  })) {
    it(`replaces what may identify someone in ${path || "an empty path"}`, () => {
      assert.equal(pathPattern(`https://user:password@host.example:8443${path}`), pattern);
    });
  }

  it("keeps the last 20 attempts, with status or code", () => {
    const log = new RequestLog();
    for (let attempt = 1; attempt <= 25; attempt += 1) log.begin(request("/v1/sites"), attempt)(200);
    log.begin(
      request("/v1/sites/S-1"),
      1,
    )(new NetworkError("noConnection", { route: "h", reason: "r", code: "C" }));
    log.begin(request("/v1/sites/S-1"), 2)(new AbortedError());
    assert.equal(log.entries.length, 20);
    assert.deepEqual(
      log.entries.slice(-3).map(({ path, attempt, outcome }) => ({ path, attempt, outcome })),
      [
        { path: "/v1/sites", attempt: 25, outcome: 200 },
        { path: "/v1/sites/{siteId}", attempt: 1, outcome: "ENERGY_NETWORK" },
        { path: "/v1/sites/{siteId}", attempt: 2, outcome: "aborted" },
      ],
    );
  });

  it("knows the last success, and not of failures", () => {
    const log = new RequestLog();
    log.begin(request("/v1/sites"), 1)(503);
    assert.equal(log.lastSuccess, undefined);
    log.begin(request("/v1/sites"), 2)(200);
    const [, success] = log.entries;
    assert.equal(log.lastSuccess, success?.at);
  });
});
