// Runs the property tests of a hostile world with many cases, each in a process of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { ROOT } from "../support/package";

const MOCHA = createRequire(__filename).resolve("mocha/bin/mocha.js");

/** MiB that a process may have, with Node-RED and all that waits to be collected. */
const MEMORY = 512;

/** The nightly workflow tries six times as many cases, and others every night. */
const FACTOR = Number(process.env["FUZZ_FACTOR"] ?? 1);

const FUZZ_TESTS = [
  ["answers of the service", "test/client/fuzz.property.test.ts", 150],
  ["messages to every node", "test/nodes/shared/runtime/lifecycle/fuzz-messages.property.test.ts", 500],
  ["polls, restarts and crashes", "test/polling/series-poller.property.test.ts", 75],
  ["outages, deploys and late records", "test/polling/hostile-world.property.test.ts", 25],
  ["series, for every node that reads", "test/reading/promise.property.test.ts", 50],
  ["lives of statistics", "test/statistics/lives.property.test.ts", 50],
  ["requests in turns", "test/client/http/admission.property.test.ts", 30],
  ["ledgers that travel", "test/polling/carried-ledger.property.test.ts", 75],
  ["values of a threshold", "test/decisions/threshold.property.test.ts", 1250],
] as const;

describe("a hostile world", () => {
  for (const [what, file, usual] of FUZZ_TESTS) {
    const cases = usual * FACTOR;
    it(`of ${cases} ${what} stops nothing`, async function () {
      this.timeout(600_000 * FACTOR);
      const required = ["--require", "tsx/cjs", "--require", "test/support/fuzz.ts"];
      const options = ["--no-config", ...required, "--exit", "--timeout", "0"];
      const child = spawn(process.execPath, [`--max-old-space-size=${MEMORY}`, MOCHA, ...options, file], {
        cwd: ROOT,
        env: { ...process.env, FUZZ_CASES: String(cases) },
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (data: Buffer) => (output += data.toString("utf8")));
      const [code] = (await once(child, "exit")) as [number | null];
      assert.equal(code, 0, output.slice(-4000));
    });
  }
});
