// Tests for which texts of a field name one site or system that the editor can look up.
import assert from "node:assert/strict";
import { oneId } from "../../nodes/shared/editor/dialog/fields";

describe("the id in a field", () => {
  it("is the text, unless it is empty, names all, or is replaced by the runtime", () => {
    assert.equal(oneId("demo-house"), "demo-house");
    for (const text of ["", "*", "${SITE}", "$(SITE)", "site-${SITE}", undefined, 7])
      assert.equal(oneId(text), undefined, String(text));
  });

  it("is no property of a message or the like", () => {
    assert.equal(oneId("site", "flow"), undefined);
    assert.equal(oneId("site", "str"), "site");
  });
});
