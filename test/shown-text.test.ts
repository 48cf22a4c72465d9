// Tests for texts that are shown: one line, bounded, and never a failure.
import assert from "node:assert/strict";
import { catalogueValues, shownText } from "../src/shown-text";

describe("shown texts", () => {
  it("are one line without control characters or half pairs", () => {
    assert.equal(shownText("a\r\n[error] b\u001B[2J\u2028c\uD83D", 80), "a [error] b [2J c ");
    assert.equal(shownText("Grün 😀", 80), "Grün 😀");
  });

  it("have no more characters than allowed, and do not end in half a pair", () => {
    assert.equal(shownText("x".repeat(80), 80), "x".repeat(80));
    assert.equal(shownText("x".repeat(81), 80), `${"x".repeat(79)}…`);
    assert.equal(shownText("😀".repeat(50), 80), `${"😀".repeat(39)}…`);
    assert.equal(shownText("x".repeat(5_000_000), 80).length, 80);
  });
});

describe("values of a catalogue text", () => {
  it("begin no reference to another text, and are otherwise unchanged", () => {
    const values = { site: "$t(a) $t($t(", cost: "$5 (net)", count: 3 };
    assert.deepEqual(catalogueValues(values), { site: "$t (a) $t ($t (", cost: "$5 (net)", count: 3 });
  });

  it("leave room for the advice after them", () => {
    const { value } = catalogueValues({ value: "x".repeat(5_000_000) });
    assert.equal(value, `${"x".repeat(299)}…`);
  });
});
