// Tests for the log of the last requests: it says how each attempt went.
import assert from "node:assert/strict";
import { RequestLog } from "../../../src/client/http/transport";
import { AbortedError, errorText, NetworkError } from "../../../src/errors";

const SITES = errorText("whatSites");
const SITE = errorText("whatSite", { siteId: "S-1" });
const request = (what = SITES) => ({
  what,
  method: "GET" as const,
  url: "https://host.example",
  headers: {},
});

describe("the request log", () => {
  it("keeps the last 20 attempts, with status or code", () => {
    const log = new RequestLog();
    for (let attempt = 1; attempt <= 25; attempt += 1) log.begin(request(), attempt)(200);
    log.begin(request(SITE), 1)(new NetworkError("noConnection", { route: "h", reason: "r", code: "C" }));
    log.begin(request(SITE), 2)(new AbortedError());
    assert.equal(log.entries.length, 20);
    assert.deepEqual(
      log.entries.slice(-3).map(({ what, attempt, outcome }) => ({ what, attempt, outcome })),
      [
        { what: SITES, attempt: 25, outcome: 200 },
        { what: SITE, attempt: 1, outcome: "ENERGY_NETWORK" },
        { what: SITE, attempt: 2, outcome: "aborted" },
      ],
    );
  });

  it("knows the last success, and not of failures", () => {
    const log = new RequestLog();
    log.begin(request(), 1)(503);
    assert.equal(log.lastSuccess, undefined);
    log.begin(request(), 2)(200);
    const [, success] = log.entries;
    assert.equal(log.lastSuccess, success?.at);
  });
});
