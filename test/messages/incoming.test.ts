// Tests for reading incoming messages: what cannot be copied is named, and what is copied is plain data.
import assert from "node:assert/strict";
import {
  MAX_COPIED_VALUES,
  MAX_DEPTH,
  MAX_PAYLOAD_CHARACTERS,
  MAX_PAYLOAD_VALUES,
  MAX_PROPERTIES,
} from "../../src/limits";
import { isLarge, plainMessage, readIncoming } from "../../src/messages/incoming";
import { ODD_FORMS, ODD_VALUES } from "../support/odd-values";

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
};
const faultsOf = (message: object): Record<string, string> =>
  Object.fromEntries([...readIncoming(message).faults].map(([name, { text }]) => [name, text.key]));

describe("incoming messages", () => {
  it("are read as they are", () => {
    const message = {
      _msgid: "1",
      payload: { a: [1, null, { b: new Date(0) }] },
      topic: "t",
      other: Buffer.from("x"),
    };
    const read = readIncoming(message);
    assert.deepEqual(read, { message, faults: new Map() });
    assert.equal(read.message["payload"], message.payload);
    assert.notEqual(read.message, message);
  });

  it("may be nested to the limit, and no deeper", () => {
    assert.deepEqual(faultsOf({ payload: nested(MAX_DEPTH) }), {});
    assert.deepEqual(faultsOf({ payload: nested(MAX_DEPTH + 1), topic: "t" }), { payload: "messageDeep" });
    assert.deepEqual(faultsOf({ other: nested(100_000) }), { other: "messageDeep" });
  });

  it("may hold buffers of any size, but other arrays of bytes only up to a tenth of the limits", () => {
    const bytes = (limit: number): Uint8Array => new Uint8Array(limit / 10);
    const copied = bytes(MAX_COPIED_VALUES);
    assert.deepEqual(faultsOf({ other: copied, payload: bytes(MAX_PAYLOAD_VALUES) }), {});
    assert.deepEqual(faultsOf({ other: new Uint8Array(copied.length + 1) }), { other: "messageLarge" });
    assert.deepEqual(faultsOf({ energy: new Uint8Array(4_000_000) }), { energy: "messageLarge" });
    assert.deepEqual(faultsOf({ payload: Buffer.alloc(20_000_000) }), {});
  });

  it("may hold values up to the limits, gaps of arrays included", () => {
    const array = (length: number): unknown[] => Array.from({ length }, () => 1);
    assert.deepEqual(faultsOf({ other: array(MAX_COPIED_VALUES), payload: array(MAX_PAYLOAD_VALUES) }), {});
    assert.deepEqual(faultsOf({ other: array(MAX_COPIED_VALUES + 1) }), { other: "messageLarge" });
    assert.deepEqual(faultsOf({ payload: array(MAX_PAYLOAD_VALUES + 1) }), { payload: "messageLarge" });
    assert.deepEqual(faultsOf({ other: Object.assign([], { 4_000_000_000: 1 }) }), { other: "messageLarge" });
  });

  it("may have many objects, but none with very many properties: those take long to list", () => {
    const properties = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]));
    assert.deepEqual(faultsOf({ payload: { grid: properties(MAX_PROPERTIES) } }), {});
    assert.deepEqual(faultsOf({ payload: { grid: properties(MAX_PROPERTIES + 1) } }), {
      payload: "messageLarge",
    });
    const records = Array.from({ length: 10_000 }, () => ({ grid: properties(12), solar: properties(12) }));
    assert.deepEqual(faultsOf({ payload: records }), {});
  });

  it("may contain themselves, but not within a map", () => {
    const message: Record<string, unknown> = { payload: 1 };
    message["self"] = { message };
    assert.deepEqual(faultsOf(message), {});
    assert.deepEqual(faultsOf({ payload: ODD_VALUES["circularMap"]?.() }), { payload: "messageDeep" });
  });

  it("hold no property that throws, or may change from one read to the next", () => {
    for (const name of [
      "changingGetter",
      "endlessGetter",
      "refusingProxy",
      "revokedProxy",
      "getter that throws oddly",
    ])
      assert.deepEqual(faultsOf({ [name]: ODD_VALUES[name]?.(), topic: "t" }), {
        [name]: "messageUnreadable",
      });
    assert.deepEqual(faultsOf(ODD_FORMS["refusing proxy"]?.({ payload: 1 }) ?? {}), {
      "*": "messageUnreadable",
    });
  });

  it("lose names that every object has", () => {
    const given: object = JSON.parse('{"__proto__": null, "hasOwnProperty": 1, "toString": 2, "payload": 3}');
    assert.deepEqual(readIncoming(given), { message: { payload: 3 }, faults: new Map() });
  });

  it("may hold an open HTTP request", () => {
    const req = nested(1000);
    assert.deepEqual(faultsOf({ req, res: req }), {});
  });

  it("name a faulty property in few visible characters", () => {
    const { faults } = readIncoming({ [`\n${"x".repeat(70_000)}`]: nested(65) });
    const [fault] = faults.values();
    assert.match(fault?.message ?? "", /^msg\. x+… is nested more than 64 levels deep\./);
    assert.ok((fault?.message.length ?? 0) < 200);
  });
});

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

  it("is large above 64 KiB, or if it contains itself", () => {
    assert.equal(isLarge({ payload: "x".repeat(60_000), list: [1, null, { a: true }] }), false);
    for (const large of [
      { payload: "x".repeat(70_000) },
      ODD_VALUES["circular"]?.(),
      ODD_VALUES["circularMap"]?.(),
    ])
      assert.equal(isLarge(large as object), true);
  });
});
