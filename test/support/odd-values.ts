// Values that a function node may put into a message, by name: some of them break what copies, compares or prints them.

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

function circular(): object {
  const value: Record<string, unknown> = { startTime: "2026-06-10T10:00:00Z" };
  value["self"] = { value };
  return value;
}

function refuse(): never {
  throw new Error("not readable");
}

/** Throws what cannot even be turned into text. */
function refuseOddly(): never {
  throw Object.assign(Object.create(null) as object, { toString: refuse });
}

/** A promise waits for it. */
function thenable(action: () => unknown): object {
  return Object.fromEntries("then".split(" ").map((name) => [name, action]));
}

/** Allows only what Node-RED itself reads. */
function refusingProxy(): object {
  const get = (target: object, key: PropertyKey): unknown =>
    key === "_msgid" || key === "req" || key === "res" ? Reflect.get(target, key) : refuse();
  return new Proxy({}, { get, ownKeys: refuse, getPrototypeOf: refuse });
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

export const ODD_VALUES: Readonly<Record<string, () => unknown>> = {
  "nested 64 deep": () => nested(64, (inner) => ({ inner })),
  "nested 65 deep": () => nested(65, (inner) => ({ inner })),
  "nested 2,500 deep": () => nested(2500, (inner) => ({ inner })),
  "arrays nested 100,000 deep": () => nested(100_000, (inner) => [inner]),
  circular,
  "shared 2 ** 50 times": () => nested(50, (inner) => ({ one: inner, other: inner })),
  "own names of every object": () =>
    JSON.parse('{"__proto__": null, "hasOwnProperty": 1, "toString": 2, "constructor": 3}'),
  "without a prototype": () => Object.create(null),
  "never settles": () => thenable(() => undefined),
  "throws when awaited": () => thenable(refuse),
  refusingProxy,
  revokedProxy,
  "getter that throws": () => Object.defineProperty({}, "startTime", { enumerable: true, get: refuse }),
  "getter that throws oddly": () => Object.defineProperty({}, "x", { enumerable: true, get: refuseOddly }),
  "throws as JSON": () => ({ toJSON: refuse, grid: { power: 1 } }),
  "earlier error that counts oddly": () => ({ source: { id: "node-under-test", count: 1n } }),
  "frozen error": () => Object.freeze({ message: "before", source: Object.freeze({ id: "x" }) }),
  "sparse array": () => Object.assign([], { 4_000_000_000: 1 }),
  "long text": () => "x".repeat(70_000),
  "very long text": () => "€".repeat(3_000_000),
  "control characters": () => "demo-house\n[error] forged \u001B[2J\u2028",
  "half a pair": () => "demo\uD83D",
  bytes: () => Buffer.from("online"),
  "invalid date": () => new Date(Number.NaN),
  function: () => refuse,
  symbol: () => Symbol("x"),
  "big number": () => 10n,
  "not a number": () => Number.NaN,
  "year 1": () => "0001-01-01T00:00:00Z",
};

/** What may be done to a whole message. */
export const ODD_FORMS: Readonly<Record<string, (message: object) => object>> = {
  plain: (message) => message,
  frozen: (message) => Object.freeze(message),
  sealed: (message) => Object.seal(message),
  "without a prototype": (message) => Object.assign(Object.create(null) as object, message),
  proxy: (message) => new Proxy(message, {}),
  "own hasOwnProperty": (message) => Object.assign(message, { hasOwnProperty: 1, toString: null }),
  "own __proto__": (message) =>
    Object.defineProperty(message, "__proto__", { value: null, enumerable: true, configurable: true }),
  thenable: (message) =>
    Object.assign(
      message,
      thenable(() => undefined),
    ),
  getters: (message) =>
    Object.defineProperty(message, "other", { enumerable: true, configurable: true, get: refuse }),
};
