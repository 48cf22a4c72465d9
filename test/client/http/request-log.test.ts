// Tests for the log of the last requests: it says how each attempt went.
import assert from "node:assert/strict";
import { type RequestEntry, RequestLog } from "../../../src/client/http/transport";
import { errorText } from "../../../src/errors";

function entry(attempt: number, outcome: RequestEntry["outcome"]): RequestEntry {
  return { what: errorText("whatSites"), at: attempt, duration: 1, attempt, outcome };
}

describe("the request log", () => {
  it("keeps the last 20 attempts", () => {
    const log = new RequestLog();
    for (let attempt = 1; attempt <= 25; attempt += 1) log.note(entry(attempt, 200));
    log.note(entry(1, "ENERGY_NETWORK"));
    assert.equal(log.entries.length, 20);
    assert.deepEqual(log.entries.slice(-2), [entry(25, 200), entry(1, "ENERGY_NETWORK")]);
  });

  it("knows the last success, and not of failures", () => {
    const log = new RequestLog();
    log.note(entry(1, 503));
    assert.equal(log.lastSuccess, undefined);
    log.note(entry(2, 200));
    log.note(entry(3, "aborted"));
    assert.equal(log.lastSuccess, 2);
  });
});
