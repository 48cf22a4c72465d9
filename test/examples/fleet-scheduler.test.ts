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

  it("has a job of its own for a site without systems, and for each system, also one called site", () => {
    const known = new Map<string, { key: string }[]>();
    const [remember] = flow.filter((node) => node.func?.includes('flow.set("systems"'));
    const systems = [{ systemId: "site" }, { systemId: "%73ite" }, { systemId: "a/b" }, { systemId: "a#" }];
    const payload = [{ siteId: "house" }, { siteId: "farm", systems: [{}] }, { siteId: "house", systems }];
    runInNewContext(`(() => { ${remember?.func} })()`, {
      msg: { payload },
      flow: { set: (name: string, value: { key: string }[]) => known.set(name, value) },
      node: { status: () => undefined },
    });
    assert.deepEqual(
      [...(known.get("systems") ?? [])].map(({ key }) => key),
      ["house/site", "farm/site", "house/%73ite", "house/%2573ite", "house/a%2Fb", "house/a%23"],
    );
  });
});
