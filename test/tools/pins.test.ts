// Tests that what the system tests install is the same on every run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import semver from "semver";
import { ROOT } from "../support/package";

describe("system:install", () => {
  it("installs exact versions", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const versions = [...(scripts["system:install"] ?? "").matchAll(/ node(?:-red)?@(\S+)/g)].map(
      ([, version = ""]) => version,
    );
    assert.equal(versions.length, 3);
    for (const version of versions) assert.equal(semver.valid(version), version);
  });
});
