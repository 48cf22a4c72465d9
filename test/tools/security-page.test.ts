// Tests that docs/security.md makes no promise, and names no limit, without a test.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/package";

const FOLDER = join(ROOT, "docs");
const TEST_LINK = /\]\((\.\.\/test\/[^)]+\.test\.ts)\)/g;

const rows = readFileSync(join(FOLDER, "security.md"), "utf8")
  .split("\n## ")
  // What comes before the first section trusts, but promises nothing.
  .slice(1)
  .flatMap((section) => section.split("\n").filter((line) => line.startsWith("| ")))
  .filter((line) => !/^\| (-+|promise|what) /.test(line));

describe("the security page", () => {
  it("has rows", () => assert.ok(rows.length > 40, String(rows.length)));

  for (const row of rows) {
    it(`names tests for: ${row.split("|")[1]?.trim()}`, () => {
      const tests = [...row.matchAll(TEST_LINK)].map(([, path = ""]) => path);
      assert.notEqual(tests.length, 0);
      for (const path of tests) assert.ok(existsSync(join(FOLDER, path)), path);
    });
  }
});
