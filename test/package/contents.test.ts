// Tests that the package contains what it needs and nothing else, and that its examples look right.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exampleNames, readExample } from "../support/examples";
import { installedPackage, manifest, MODULE, packedFiles, ROOT } from "../support/package";

const ALLOWED = [
  /^dist\/(src|nodes)\/.+\.(js|d\.ts|html|json|svg)$/,
  /^examples\/\d\d-[\w-]+\.json$/,
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/,
];

/** The visible width between palette and sidebar on a screen of 1400 pixels. */
const MAX_WIDTH = 840;
/** Without an explicit color, the title adapts to the light and dark themes. */
const GROUP_STYLE = { label: true, stroke: "#3FADB5", fill: "#3FADB5", "fill-opacity": "0.08" };

describe("the package", () => {
  it("contains the code and the form of each node", async () => {
    const files = await packedFiles();
    for (const path of Object.values(manifest["node-red"].nodes)) {
      assert.ok(files.includes(path), path);
      assert.ok(files.includes(path.replace(/\.js$/, ".html")), path);
    }
  });

  it("contains no tests, tools or editor sources", async () => {
    const files = await packedFiles();
    assert.deepEqual(
      files.filter((path) => !ALLOWED.some((pattern) => pattern.test(path))),
      [],
    );
    assert.deepEqual(
      files.filter((path) => /\.test\.|\.editor\.|shared\/editor/.test(path)),
      [],
    );
  });

  it("has entry points and types that every module system finds", async () => {
    const { publint } = await import("publint");
    const pkgDir = join(await installedPackage(), "node_modules", MODULE);
    assert.deepEqual((await publint({ pkgDir, pack: false, strict: true })).messages, []);
  });

  it("refers to no source maps, because it ships no sources", async () => {
    const files = await packedFiles();
    const pointing = files.filter((path) =>
      readFileSync(join(ROOT, path), "utf8").includes("sourceMappingURL"),
    );
    assert.deepEqual(pointing, []);
  });

  it("contains the README, changelog and license", async () => {
    const files = await packedFiles();
    for (const path of ["README.md", "LICENSE", "CHANGELOG.md"]) assert.ok(files.includes(path), path);
  });

  it("fits every example on a small screen, with group colors for both themes", () => {
    for (const name of exampleNames) {
      const groups = readExample(name).filter(({ type }) => type === "group");
      assert.notEqual(groups.length, 0, name);
      for (const { x, w, style } of groups) {
        assert.ok(Number(x) >= 0 && Number(w) <= MAX_WIDTH, name);
        assert.deepEqual(style, GROUP_STYLE, name);
      }
    }
  });

  it("gives each example node a unique id", () => {
    for (const name of exampleNames) {
      const ids = readExample(name).map(({ id }) => id);
      assert.deepEqual(ids, [...new Set(ids)], name);
    }
  });
});
