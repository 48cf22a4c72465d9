// Tests for the Node-RED library's scorecard (node-red-dev validate), except for checks that need the catalogue.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Expression, parse, type SpreadElement } from "acorn";
import { simple } from "acorn-walk";
import semver from "semver";
import { exampleNames, readExample } from "../support/examples";
import { installedPackage, manifest, ROOT, setNames } from "../support/package";
import { loadSet } from "./editor-set";

/** The minimum Node.js version for the newest Node-RED. */
const NODE_RED_5_NEEDS = "22.9.0";

/** The nodes that shape readings instead of reading them from the service. */
const SHAPING = ["statistics", "threshold", "points", "mqtt"];

interface InstalledPackage {
  version: string;
  engines?: { node?: string };
  dev?: boolean;
}

/** The package and everything that npm installs with it, by path. */
async function installedTree(): Promise<[path: string, installed: InstalledPackage][]> {
  return treeOf(join(await installedPackage(), "package-lock.json"));
}

/** The dependencies on the oldest Node.js version that the package supports. */
function lockedTree(): [path: string, installed: InstalledPackage][] {
  return treeOf(join(ROOT, "package-lock.json"));
}

function treeOf(lock: string): [path: string, installed: InstalledPackage][] {
  const { packages } = JSON.parse(readFileSync(lock, "utf8")) as {
    packages: Record<string, InstalledPackage>;
  };
  return Object.entries(packages).filter(([path]) => path !== "");
}

/** The types that a script registers, with the properties that the library reads from each without running it. */
function readDefinitions(script: string): Map<string, Map<string, unknown>> {
  const found = new Map<string, Map<string, unknown>>();
  simple(parse(script, { ecmaVersion: "latest" }), {
    CallExpression({ callee, arguments: [type, definition] }) {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (callee.property.name !== "registerType" || type?.type !== "Literal") return;
      found.set(String(type.value), readProperties(definition));
    },
  });
  return found;
}

function readProperties(definition: Expression | SpreadElement | undefined): Map<string, unknown> {
  assert.equal(definition?.type, "ObjectExpression");
  return new Map(
    definition.properties.map((property) => {
      assert.equal(property.type, "Property", "the library cannot follow a spread");
      assert.equal(property.key.type, "Identifier");
      return [property.key.name, property.value.type === "Literal" ? property.value.value : undefined];
    }),
  );
}

describe("the scorecard", () => {
  it("P01, P03: has a license and a bug tracker", () => {
    assert.equal(manifest.license, "Apache-2.0");
    assert.match(manifest.repository.url, /^git\+https:/);
  });

  it("P04, P05: has a scoped name and the required keyword", () => {
    assert.match(manifest.name, /^@[\w-]+\/[\w-]+$/);
    assert.ok(manifest.keywords.includes("node-red"));
  });

  it("P06: runs on Node-RED 4.0 and later", () => {
    const { version } = manifest["node-red"];
    for (const nodeRed of ["4.0.0", "4.1.0", "5.0.0"]) assert.ok(semver.satisfies(nodeRed, version), nodeRed);
    assert.equal(semver.satisfies("3.1.0", version), false);
  });

  it("P07: runs on the minimum Node.js version of the newest Node-RED", () => {
    assert.ok(semver.satisfies(NODE_RED_5_NEEDS, manifest.engines.node));
  });

  it("P07: supports no Node.js version that a dependency does not", async () => {
    const tree = await installedTree();
    assert.ok(tree.length > Object.keys(manifest.dependencies).length);
    // npm installs newer dependencies where Node.js is newer.
    for (const [path, { engines }] of tree)
      assert.ok(semver.satisfies(process.version, engines?.node ?? "*"), `${path}: ${engines?.node}`);
    for (const [path, { engines, dev }] of lockedTree()) {
      const isSupported = dev === true || semver.subset(manifest.engines.node, engines?.node ?? "*");
      assert.ok(isSupported, `${path}: ${engines?.node}`);
    }
  });

  for (const name of setNames) {
    it(`N01, N02: lets the library read the definition of ${name}`, () => {
      const definitions = readDefinitions(loadSet(name).script);
      assert.deepEqual([...definitions.keys()], [`energy-${name}`]);
      const definition = definitions.get(`energy-${name}`);
      const isConfig = name === "account";
      assert.equal(definition?.get("category"), isConfig ? "config" : "energy sites");
      if (isConfig) return;
      assert.equal(definition?.get("color"), SHAPING.includes(name) ? "#A9C46C" : "#6DBB96");
      assert.equal(definition?.get("inputs"), 1);
      for (const property of ["icon", "outputs"]) assert.ok(definition?.get(property), property);
    });
  }

  it("N02: shows each node in an example", () => {
    const types = new Set(exampleNames.flatMap((name) => readExample(name).map(({ type }) => type)));
    assert.deepEqual(
      setNames.filter((name) => !types.has(`energy-${name}`)),
      [],
    );
  });

  it("D01: has at most six dependencies, none pinned to a version", () => {
    const ranges = Object.values(manifest.dependencies);
    assert.ok(ranges.length <= 6);
    for (const range of ranges) assert.match(range, /^\^/);
  });

  it("D02: installs no agent-base version that patches the global https module", async () => {
    const old = (await installedTree()).filter(
      ([path, { version }]) => path.endsWith("/agent-base") && semver.lt(version, "6.0.0"),
    );
    assert.deepEqual(old, []);
  });
});

describe("the npm metadata", () => {
  it("links to the project, and publishes publicly with provenance", () => {
    assert.ok(manifest.homepage.startsWith("https://"));
    assert.ok(manifest.author);
    assert.deepEqual(manifest.publishConfig, { access: "public", provenance: true });
  });
});
