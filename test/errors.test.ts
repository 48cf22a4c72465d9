// Tests for the reason of a foreign error, in words.
import assert from "node:assert/strict";
import { errorText, reasonOf } from "../src/errors";
import { ODD_VALUES } from "./support/odd-values";

describe("what was thrown", () => {
  it("is told in words, whatever it was", () => {
    assert.equal(reasonOf(new Error("broken")), "broken");
    assert.equal(reasonOf({ message: "plain" }), "plain");
    assert.equal(reasonOf(7), "7");
    assert.deepEqual(reasonOf({}), errorText("noReason"));
    for (const odd of Object.values(ODD_VALUES)) {
      const reason = reasonOf(odd());
      if (typeof reason !== "string") assert.deepEqual(reason, errorText("noReason"));
    }
  });
});
