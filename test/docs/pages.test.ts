// Tests that no link of the pages is dead, and that they name every node and every example.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { idOf, linkOf, missing, PAGES } from "../../tools/site/pages.mjs";
import { exampleNames } from "../support/examples";
import { ROOT, setNames } from "../support/package";

const LINK = /\]\(([^)\s]+)\)/g;
/** A file of the repository in code: with its path, or the end of it, such as `clock.ts`. */
const FILE = /`([\w./-]+\.(?:test\.ts|ts|mjs|html|md)|(?:src|nodes|test|tools|docs)\/[\w./-]*)`/g;
const PLACEHOLDER = /NAME|LANG|\.\.\./;
const FOLDERS = ["src", "nodes", "test", "tools", "docs", ".github"];
const CODE = /```.*?```/gs;

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const isExternal = (link: string): boolean => /^[a-z]+:/.test(link);

function idsOf(path: string): string[] {
  return [
    ...read(path)
      .replaceAll(CODE, "")
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, title = ""]) => idOf(title.replaceAll(/[`*]/g, "")));
}

describe("the pages", () => {
  for (const { source } of PAGES)
    it(`${source} has no dead link`, () => {
      const links = [...read(source).matchAll(LINK)].map(([, link = ""]) => link);
      const dead = links
        .filter((link) => !isExternal(link))
        .filter((link) => {
          const [path = "", heading] = link.split("#");
          const target = path === "" ? source : posix.join(posix.dirname(source), path);
          if (!existsSync(join(ROOT, target))) return true;
          return heading !== undefined && !idsOf(target).includes(heading);
        });
      assert.deepEqual(dead, []);
    });

  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
      (path) => `/${folder}/${path}`,
    ),
  );
  for (const { source } of PAGES)
    it(`${source} names no file that does not exist`, () => {
      const named = [...read(source).matchAll(FILE)].map(([, path = ""]) => path);
      const isThere = (path: string): boolean =>
        existsSync(join(ROOT, path)) || files.some((file) => file.endsWith(`/${path}`));
      assert.deepEqual(
        named.filter((path) => !PLACEHOLDER.test(path) && !isThere(path)),
        [],
      );
    });

  it("are all in the menu of the documentation site", () => {
    const docs = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
    assert.deepEqual(
      missing(
        ROOT,
        docs.map((name) => `docs/${name}`),
      ),
      [],
    );
  });

  it("lead on the site to its own pages and, for other files, to the repository", () => {
    assert.equal(linkOf("README.md", "docs/totals.md"), "totals.html");
    assert.equal(linkOf("docs/totals.md", "../README.md#recipes"), "index.html#recipes");
    assert.equal(linkOf("docs/totals.md", "#energy"), "#energy");
    assert.equal(linkOf("README.md", "docs/dashboard.png"), "dashboard.png");
    assert.match(
      linkOf("docs/fleets.md", "../examples/14-fleet-worker.json"),
      /^https:.*\/main\/examples\/14-/,
    );
  });

  for (const page of ["README.md", "CHANGELOG.md"])
    it(`${page} names every node`, () => {
      const text = read(page);
      const names = setNames.map((name) => (name === "mqtt" ? "mqtt readings" : name.replaceAll("-", " ")));
      assert.deepEqual(
        names.filter((name) => !new RegExp(`(\\*\\*|_)${name}(\\*\\*|_)`).test(text)),
        [],
      );
    });

  it("README.md names every example", () => {
    const text = read("README.md");
    assert.deepEqual(
      exampleNames.filter((name) => !text.includes(`(examples/${name})`)),
      [],
    );
  });
});
