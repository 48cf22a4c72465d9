// Tests that the title of each example can be read in its tab.
import assert from "node:assert/strict";
import { exampleNames, readExample } from "../support/examples";

/** Characters that fit into a tab of the editor, in bold. */
const LONGEST = 15;

describe("the tab of the example", () => {
  for (const name of exampleNames)
    it(`${name} shows its whole title`, () => {
      const [title] = readExample(name).flatMap(({ type, label }) => (type === "tab" ? [label] : []));
      assert.ok(typeof title === "string" && title.length <= LONGEST, String(title));
    });
});
