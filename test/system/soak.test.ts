// Runs the soak in its short form: hours of virtual time with faults, redeploys and wrong clocks; nothing leaks or is lost.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ROOT } from "../support/package";

/** With the same course in every run; `npm run soak` takes another one each time. */
const SHORT = { SOAK_HOURS: "4", SOAK_SITES: "30", SOAK_SEED: "22" };

describe("a soak", function () {
  this.timeout(300_000);

  it("loses no record, leaks nothing and requests one token an hour, whatever fails", async () => {
    const child = spawn(
      process.execPath,
      ["--expose-gc", "--require", "tsx/cjs", join(ROOT, "test", "soak", "soak.ts")],
      { cwd: ROOT, env: { ...process.env, ...SHORT }, stdio: ["ignore", "pipe", "pipe"] },
    );
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close") as Promise<[number | null]>,
    ]);
    assert.equal(code, 0, `${output}\n${errors}`);
    assert.equal(errors, "");
  });
});
