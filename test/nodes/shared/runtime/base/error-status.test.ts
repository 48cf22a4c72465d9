// Tests for the status of a failed node: it names what a person can mend.
import assert from "node:assert/strict";
import { PartialFailure } from "../../../../../nodes/shared/runtime/base/errors";
import { errorStatus } from "../../../../../nodes/shared/runtime/base/status";
import {
  type EnergyError,
  type ErrorKey,
  errorText,
  FleetError,
  HttpError,
  NetworkError,
  RateLimitError,
  ServiceDownError,
} from "../../../../../src/errors";

const what = errorText("whatSites");

function unreachable(reason: ErrorKey): EnergyError {
  return new NetworkError("noConnection", {
    route: "host",
    code: "CODE",
    reason: { key: reason, values: {} },
  });
}

describe("the status of an error", () => {
  for (const [error, key] of [
    [new HttpError(errorText("noLogin"), { statusCode: 405 }), "wrongUrl"],
    [new HttpError(errorText("notFoundHere", { what }), { statusCode: 404 }), "wrongUrl"],
    [new HttpError(errorText("forbidden", { what }), { statusCode: 403 }), "noAccess"],
    [new HttpError(errorText("serviceFailed", { what, status: 503 }), { statusCode: 503 }), "serviceDown"],
    [new HttpError(errorText("refused", { what, status: 409 }), { statusCode: 409 }), "ENERGY_HTTP"],
    [new HttpError(errorText("held", { seconds: 9 }), { statusCode: 503 }), "serviceDown"],
    [new RateLimitError(errorText("held", { seconds: 9 }), { statusCode: 429 }), "ENERGY_RATE_LIMIT"],
    [unreachable("certificateSelfSigned"), "certificate"],
    [unreachable("certificate"), "certificate"],
    [unreachable("unknownHost"), "unknownHost"],
    [unreachable("refusedConnection"), "ENERGY_NETWORK"],
    [new FleetError(new ServiceDownError(unreachable("certificate"), 5), 3, 3, true), "certificate"],
    [new Error("odd"), "other"],
  ] as const)
    it(`is ${key} for: ${error.message}`, () => assert.equal(errorStatus(error).key, `error.${key}`));

  it("is yellow if some of several systems failed, and red if all did", () => {
    const failures = [{ error: new Error("odd"), address: { siteId: "a" } }];
    const statusOf = (failed: number, fresh?: number): unknown => {
      const { key, fill } = errorStatus(new PartialFailure(failures, 3, failed, fresh));
      return [key, fill];
    };
    assert.deepEqual(statusOf(2), ["partly", "yellow"]);
    assert.deepEqual(statusOf(3), ["partly", "red"]);
    assert.deepEqual(statusOf(2, 1), ["fleetFailing", "yellow"]);
    assert.deepEqual(statusOf(3, 0), ["fleetFailing", "red"]);
  });
});
