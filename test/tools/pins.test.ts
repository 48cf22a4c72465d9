// Tests that what CI runs is the same on every run, and has no more rights than it needs.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
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

describe("the workflows", () => {
  const folder = join(ROOT, ".github/workflows");
  const workflows = readdirSync(folder).map(
    (name) => [name, readFileSync(join(folder, name), "utf8")] as const,
  );
  const release = workflows.find(([name]) => name === "release.yml")?.[1] ?? "";
  /** The jobs of the release, by name. */
  const jobs = new Map(
    release
      .slice(release.indexOf("\njobs:\n"))
      .split(/^ {2}(?=\w+:$)/m)
      .map((text) => [text.slice(0, text.indexOf(":")), text]),
  );

  for (const [name, text] of workflows) {
    it(`pin every action of ${name} to a commit`, () => {
      const used = [...text.matchAll(/uses: (.*)/g)].map(([, action = ""]) => action);
      assert.ok(used.length > 0);
      for (const action of used) assert.match(action, /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    it(`leave no credentials of ${name} in the checkout`, () => {
      const checkouts = text.split("uses: actions/checkout@").slice(1);
      for (const checkout of checkouts)
        assert.match(checkout, /^.*\n {8}with:\n {10}persist-credentials: false\n/);
    });

    it(`give ${name} no rights but those that a job requests`, () => {
      assert.match(text, /^permissions: \{\}$|^permissions:\n {2}contents: read$/m);
    });
  }

  it("run code of others where there are no rights, after its signatures were checked", () => {
    const build = jobs.get("build") ?? "";
    assert.doesNotMatch(build, /: write|environment:/);
    assert.match(build, /npm ci --ignore-scripts\n[^]*npm audit signatures\n[^]*npm test\n[^]*npm pack/);
    assert.match(build, /merge-base --is-ancestor "\$GITHUB_SHA" origin\/main/);
  });

  it("run no code of others where there are rights", () => {
    for (const [name, right] of [
      ["publish", "id-token: write"],
      ["sbom", "contents: write"],
    ] as const) {
      const job = jobs.get(name) ?? "";
      assert.ok(job.includes(right), name);
      assert.equal(job.split(": write").length, 2, name);
      assert.doesNotMatch(job, /npm (ci|install|test|run)|npx|checkout/, name);
    }
    assert.match(jobs.get("publish") ?? "", /environment: npm\n/);
  });
});
