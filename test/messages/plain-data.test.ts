// Tests for copies of what a message holds: plain data, or an error.
import assert from "node:assert/strict";
import { MAX_PAYLOAD_CHARACTERS, MAX_PAYLOAD_VALUES } from "../../src/limits";
import { plainMessage } from "../../src/messages/plain-data";
import { ODD_VALUES } from "../support/odd-values";

const copyOf = (payload: unknown): unknown => plainMessage({ payload }).payload;

describe("plain data", () => {
  it("is equal to data, and shares nothing with it", () => {
    const payload = { a: [1, null, { b: "x", c: Number.NaN }], d: new Date(0), e: undefined, f: true };
    const copy = copyOf(payload) as typeof payload;
    assert.deepEqual(copy, payload);
    assert.notEqual(copy.a, payload.a);
    assert.notEqual(copy.d, payload.d);
  });

  it("keeps bytes, and leaves out functions, symbols, and names that every object has", () => {
    const bytes = Buffer.from("online");
    assert.equal(copyOf(bytes), bytes);
    assert.deepEqual(copyOf({ a: 1, b: () => 1, c: Symbol("c"), toJSON: () => 2, toString: () => "" }), {
      a: 1,
    });
    assert.deepEqual(copyOf(JSON.parse('{"__proto__": null, "a": {"hasOwnProperty": 1}}')), { a: {} });
  });

  it("does not contain itself, nor what JSON cannot hold", () => {
    assert.throws(() => copyOf(ODD_VALUES["circular"]?.()), { code: "ENERGY_INPUT" });
    assert.throws(() => copyOf({ power: 10n }), { code: "ENERGY_INPUT" });
  });

  it("is bounded in values and characters, however often a value is referred to", () => {
    const text = "x".repeat(MAX_PAYLOAD_CHARACTERS / 4);
    assert.deepEqual(copyOf([text, text, text, text]), [text, text, text, text]);
    assert.throws(() => copyOf([text, text, text, text, "x"]), { code: "ENERGY_INPUT" });
    const values = Array.from({ length: 999 }, () => 1);
    const lists = Array.from({ length: (MAX_PAYLOAD_VALUES - 1000) / 1000 }, () => values);
    assert.doesNotThrow(() => copyOf([...lists, values.slice(1)]));
    assert.throws(() => copyOf([...lists, values, [1]]), { code: "ENERGY_INPUT" });
    assert.throws(() => copyOf(ODD_VALUES["shared 2 ** 50 times"]?.()), { code: "ENERGY_INPUT" });
  });

  it("adds no property to a message", () => {
    assert.deepEqual(Object.keys(plainMessage<object>({ topic: "t" })), ["topic"]);
  });
});
