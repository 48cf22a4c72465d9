// Tests for which failures of work without a message are news.
import assert from "node:assert/strict";
import type { Node, NodeAPI } from "node-red";
import { PartialFailure } from "../../../../../nodes/shared/runtime/base/errors";
import { FailureReport } from "../../../../../nodes/shared/runtime/lifecycle/failures";
import { errorText, ResponseError } from "../../../../../src/errors";

describe("failures of work without a message", () => {
  const error = new ResponseError(errorText("answerNotUnpacked"));
  const RED = { _: (key: string) => key } as unknown as NodeAPI;
  /** What is reported, and logged, of runs of which these sites fail. */
  const toldOf = (runs: readonly (readonly string[])[], unreportable?: string): unknown[] => {
    const told: unknown[] = [];
    const node = {
      error(_text: string, { siteId }: { siteId?: unknown }) {
        if (siteId === unreportable) throw new Error("a catch node fails");
        told.push(siteId);
      },
      warn: () => told.push("logged"),
    };
    const report = new FailureReport(RED, node as unknown as Node, "telemetry");
    for (const sites of runs) {
      const failures = sites.map((siteId) => ({ error, address: { siteId } }));
      report.withoutMessage(new PartialFailure(failures, 3, failures.length));
    }
    return told;
  };

  it("are reported again of a site that has recovered meanwhile, although others fail", () => {
    assert.deepEqual(toldOf([["a", "b"], ["b"], ["a", "b"], ["a", "b"]]), ["a", "b", "a"]);
  });

  it("are logged if they cannot be reported, and hide no other", () => {
    assert.deepEqual(toldOf([["a", "b"]], "a"), ["logged", "b"]);
  });
});
