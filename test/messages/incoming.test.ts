// Tests for reading incoming messages: what cannot be read or copied is named.
import assert from "node:assert/strict";
import { runInNewContext } from "node:vm";
import { MAX_COPIED_VALUES, MAX_DEPTH, MAX_PAYLOAD_VALUES, MAX_PROPERTIES } from "../../src/limits";
import { readIncoming } from "../../src/messages/incoming";
import { isLarge } from "../../src/models/service-object";
import { mapValues } from "../../src/objects";
import { ODD_VALUES } from "../support/odd-values";

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

  it("may hold buffers of any size, but only so many bytes that are copied one by one, in arrays, maps and sets", () => {
    const buffer = Buffer.alloc(20_000_000);
    assert.deepEqual(
      faultsOf({ payload: buffer, other: buffer, bytes: new Uint8Array(MAX_COPIED_VALUES - 10) }),
      {},
    );
    const listed = Array.from({ length: MAX_COPIED_VALUES / 2 }, (_, index) => [index, [index]] as const);
    for (const other of [
      new Uint8Array(MAX_COPIED_VALUES + 1),
      new Float64Array(MAX_COPIED_VALUES / 4),
      new Map(listed),
      new Set(listed),
    ])
      assert.deepEqual(faultsOf({ other }), { other: "messageLarge" });
  });

  it("may hold no map that contains itself or one many times over: Node-RED copies what is in it each time", () => {
    // As a function node has them, which runs in a context of its own.
    const own = (): Map<unknown, unknown> => runInNewContext("new Map()") as Map<unknown, unknown>;
    for (const map of [new Map<unknown, unknown>(), own()])
      assert.deepEqual(faultsOf({ other: map.set("self", map) }), { other: "messageDeep" });
    let shared = new Set<unknown>([1]);
    for (let level = 0; level < 20; level += 1) shared = new Set([[shared], [shared]]);
    assert.deepEqual(faultsOf({ other: shared }), { other: "messageLarge" });
    assert.deepEqual(faultsOf({ other: [own().set("a", shared.size), new Set([[], []])] }), {});
  });

  it("may be read up to a text of 32 million characters, and pass on any text", () => {
    const text = "x".repeat(32 * MAX_PAYLOAD_VALUES);
    assert.deepEqual(faultsOf({ payload: text, other: `${text}${text}` }), {});
    assert.deepEqual(faultsOf({ payload: text + "x".repeat(32) }), { payload: "messageLarge" });
  });

  it("may hold values up to the limits, gaps of arrays included", () => {
    const most = Array<number>(MAX_PAYLOAD_VALUES + 1).fill(1);
    const array = (length: number): unknown[] => most.slice(0, length);
    assert.deepEqual(faultsOf({ other: array(MAX_COPIED_VALUES), payload: array(MAX_PAYLOAD_VALUES) }), {});
    assert.deepEqual(faultsOf({ other: array(MAX_COPIED_VALUES + 1) }), { other: "messageLarge" });
    assert.deepEqual(faultsOf({ payload: array(MAX_PAYLOAD_VALUES + 1) }), { payload: "messageLarge" });
    assert.deepEqual(faultsOf({ other: Object.assign([], { 4_000_000_000: 1 }) }), { other: "messageLarge" });
  });

  it("may have many objects, but none with very many properties: those take long to list", () => {
    const properties = (count: number): Record<string, number> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]));
    assert.deepEqual(faultsOf({ payload: { grid: properties(MAX_PROPERTIES - 1) } }), {});
    assert.deepEqual(faultsOf({ payload: { grid: properties(MAX_PROPERTIES + 1) } }), {
      payload: "messageLarge",
    });
    const unread = Object.defineProperties(
      {},
      mapValues(properties(MAX_PROPERTIES + 1), () => ({ enumerable: true, get: () => assert.fail() })),
    );
    const unlisted = new Proxy({}, { ownKeys: () => assert.fail() });
    assert.deepEqual(faultsOf({ other: unread, topic: unlisted }), {
      other: "messageLarge",
      topic: "messageLarge",
    });
    const groups = { grid: properties(12), solar: properties(12) };
    const records = Array.from({ length: 1000 }, () => ({ ...groups }));
    assert.deepEqual(faultsOf({ payload: records }), {});
  });

  it("may contain themselves, but not in what is read", () => {
    const message: Record<string, unknown> = { payload: 1 };
    message["self"] = { message };
    assert.deepEqual(faultsOf(message), {});
    assert.deepEqual(faultsOf({ payload: ODD_VALUES["circular"]?.() }), { payload: "messageDeep" });
    // Leaves room for a thousandth of what may be read.
    const payload = "x".repeat(32 * 0.999 * MAX_PAYLOAD_VALUES);
    assert.deepEqual(faultsOf({ payload, energy: ODD_VALUES["shared 2 ** 50 times"]?.() }), {
      energy: "messageLarge",
    });
  });

  it("hold nothing to be read that JSON cannot hold", () => {
    for (const name of ["big number", "function", "symbol", "throws as JSON"])
      assert.deepEqual(faultsOf({ payload: { a: [ODD_VALUES[name]?.()] }, other: ODD_VALUES[name]?.() }), {
        payload: "messageNotData",
      });
  });

  it("hold no property that throws", () =>
    assert.deepEqual(faultsOf({ other: ODD_VALUES["getter that throws oddly"]?.(), topic: "t" }), {
      other: "messageNotData",
    }));

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

describe("what is kept of a message", () => {
  it("is large above 64 KiB, or if it contains itself", () => {
    assert.equal(isLarge({ payload: "x".repeat(60_000), list: [1, null, { a: true }] }), false);
    for (const large of [{ payload: "x".repeat(70_000) }, ODD_VALUES["circular"]?.()])
      assert.equal(isLarge(large as object), true);
  });
});
