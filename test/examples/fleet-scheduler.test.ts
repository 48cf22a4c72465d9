// Tests that the scheduler of the fleet examples treats names from topics as names.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { ROOT } from "../support/package";

const flow = JSON.parse(readFileSync(join(ROOT, "examples/13-fleet-scheduler.json"), "utf8")) as {
  func?: string;
}[];

describe("examples: fleet scheduler", () => {
  it("leaves the prototype of all objects alone, whatever the topics are", () => {
    for (const { func } of flow.filter((node) => node.func?.includes("msg.topic"))) {
      for (const kind of ["ledgers", "jobs"]) {
        const known = new Map<string, unknown>();
        const tainted = runInNewContext(
          `(() => { ${func} })(); [Object.keys(Object.prototype), {}.ledger, {}.until].flat()`,
          {
            msg: { topic: `fleet/${kind}/__proto__`, payload: { until: 5 } },
            flow: {
              get: (name: string) => known.get(name),
              set: (name: string, value: unknown) => known.set(name, value),
            },
            env: { get: () => 5 },
          },
        ) as unknown[];
        assert.equal(tainted.filter((value) => value !== undefined).length, 0, func);
      }
    }
  });
});
