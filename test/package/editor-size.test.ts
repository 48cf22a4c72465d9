// Tests for the size of what the editor loads for each node: no more than the node needs.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setNames } from "../support/package";
import { definitionOf, DIST, loadSet } from "./editor-set";

const KIBIBYTE = 1024;
/** The account brings the style of all dialogs. */
const STYLE = 12 * KIBIBYTE;
const WITHOUT_SITE = 25 * KIBIBYTE;
const WITH_SITE = 42 * KIBIBYTE;

describe("the files of the editor", () => {
  for (const name of setNames) {
    const set = loadSet(name);
    const hasPickers = name === "threshold" || "siteId" in definitionOf(set).defaults;

    it(`are small for ${name}`, () => {
      const size = statSync(join(DIST, name, `${name}.html`)).size;
      const limit = (hasPickers ? WITH_SITE : WITHOUT_SITE) + (name === "account" ? STYLE : 0);
      assert.ok(size <= limit, `${size} bytes`);
    });

    it(`have the pickers only if ${name} has a site, or a value of its records`, () => {
      assert.equal(set.script.includes("energy-picked"), hasPickers);
      assert.equal(set.html.includes("<style>"), name === "account");
    });
  }
});
