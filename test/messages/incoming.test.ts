// Tests for reading incoming messages: what cannot be copied is named, and the rest stays as it is.
import assert from "node:assert/strict";
import { MAX_COPIED_VALUES, MAX_DEPTH, MAX_PAYLOAD_VALUES } from "../../src/limits";
import { readIncoming } from "../../src/messages/incoming";
import { ODD_VALUES } from "../support/odd-values";

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
};
const faultsOf = (message: unknown): Record<string, string> =>
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

  it("may contain themselves, but not within a map", () => {
    const message: Record<string, unknown> = { payload: 1 };
    message["self"] = { message };
    assert.deepEqual(faultsOf(message), {});
    assert.deepEqual(faultsOf({ payload: ODD_VALUES["circularMap"]?.() }), { payload: "messageDeep" });
  });

  it("hold no property that may change from one read to the next", () => {
    for (const name of [
      "changingGetter",
      "endlessGetter",
      "refusingProxy",
      "revokedProxy",
      "getter that throws oddly",
    ])
      assert.deepEqual(faultsOf({ [name]: ODD_VALUES[name]?.() }), { [name]: "messageUnreadable" });
    assert.deepEqual(faultsOf(new Proxy({ payload: 1 }, {})), { "*": "messageUnreadable" });
  });

  it("lose names that every object has", () => {
    const given: unknown = JSON.parse(
      '{"__proto__": null, "hasOwnProperty": 1, "toString": 2, "payload": 3}',
    );
    assert.deepEqual(readIncoming(given), { message: { payload: 3 }, faults: new Map() });
  });

  it("may hold an open HTTP request, unless Node-RED would have to copy it", () => {
    const req = nested(1000);
    assert.deepEqual(faultsOf({ req, res: req }), {});
    assert.deepEqual(faultsOf(Object.freeze({ req })), { req: "messageDeep" });
  });

  it("name a faulty property in few visible characters", () => {
    const { faults } = readIncoming({ [`\n${"x".repeat(70_000)}`]: nested(65) });
    const [fault] = faults.values();
    assert.match(fault?.message ?? "", /^msg\. x+… is nested more than 64 levels deep\./);
    assert.ok((fault?.message.length ?? 0) < 200);
  });
});
