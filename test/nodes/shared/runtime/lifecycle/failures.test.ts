// Tests for which failures of work without a message are news.
import assert from "node:assert/strict";
import type { Node, NodeAPI } from "node-red";
import { PartialFailure } from "../../../../../nodes/shared/runtime/base/errors";
import { FailureReport } from "../../../../../nodes/shared/runtime/lifecycle/failures";
import { errorText, ResponseError } from "../../../../../src/errors";

describe("failures of work without a message", () => {
  it("are reported again of a site that has recovered meanwhile, although others fail", () => {
    const reported: unknown[] = [];
    const node = { error: (_text: string, message: { siteId?: unknown }) => reported.push(message.siteId) };
    const RED = { _: (key: string) => key };
    const report = new FailureReport(RED as unknown as NodeAPI, node as unknown as Node, "telemetry");
    const error = new ResponseError(errorText("answerNotUnpacked"));
    for (const failing of [["a", "b"], ["b"], ["a", "b"], ["a", "b"]]) {
      const failures = failing.map((siteId) => ({ error, address: { siteId } }));
      report.withoutMessage(new PartialFailure(failures, 3, failures.length));
    }
    assert.deepEqual(reported, ["a", "b", "a"]);
  });
});
