// Tests for the individual rules: base URL, headers, topics, ids, numbers.
import assert from "node:assert/strict";
import {
  apiVersionFault,
  baseUrlFault,
  clientIdFault,
  decimalOf,
  headerNameFault,
  isId,
  topicPrefixFault,
  withoutTrailingSlash,
} from "../../src/settings/rules";
import { type ErrorText, errorText } from "../../src/errors";
import { cpuTime } from "../support/cpu-time";

const key = (fault: ErrorText | undefined): string | undefined => fault?.key;

describe("base URL", () => {
  it("is https, or http to localhost", () => {
    for (const url of [
      "https://service.example",
      "https://service.example:8443/api/",
      "http://localhost:8080",
      "http://LOCALHOST:1/",
      "http://box.localhost",
      "http://127.9.9.9/x",
      "http://127.1",
      "http://[::1]:8080",
    ])
      assert.equal(baseUrlFault(url), undefined, url);
  });

  for (const [url, reason] of [
    ["", "baseUrlMissing"],
    ["service.example", "baseUrlInvalid"],
    ["http://service.example", "baseUrlInsecure"],
    ["http://localhost.example", "baseUrlInsecure"],
    ["http://notlocalhost", "baseUrlInsecure"],
    ["http://127.0.0.1.example", "baseUrlInsecure"],
    ["http://[::2]", "baseUrlInsecure"],
    ["ftp://localhost", "baseUrlInsecure"],
    ["javascript:alert(1)", "baseUrlInsecure"],
    ["https://user@service.example", "baseUrlCredentials"],
    ["https://:secret@service.example", "baseUrlCredentials"],
    ["https://service.example?a=1", "baseUrlQuery"],
    ["https://service.example#a", "baseUrlQuery"],
  ]) {
    it(`is rejected as ${reason} if it is ${JSON.stringify(url)}`, () =>
      assert.equal(key(baseUrlFault(String(url))), reason));
  }

  it("has at most 2,048 characters", () => {
    const url = "https://service.example/".padEnd(2048, "x");
    assert.equal(baseUrlFault(url), undefined);
    assert.equal(key(baseUrlFault(`${url}x`)), "baseUrlInvalid");
  });

  it("loses its trailing slashes, so that paths can be appended", () => {
    assert.equal(withoutTrailingSlash("https://service.example/"), "https://service.example");
    assert.equal(withoutTrailingSlash("https://service.example/api//"), "https://service.example/api");
    assert.equal(withoutTrailingSlash("https://service.example/api/?#"), "https://service.example/api");
    assert.equal(withoutTrailingSlash(`https://service.example${"/".repeat(100_000)}a/`).length, 100_024);
  });
});

describe("headers", () => {
  it("have names without spaces or colons", () => {
    assert.equal(headerNameFault("VendorApi-Version"), undefined);
    for (const name of ["", "Vendor Version", "a:b", "a\nb", "ä"])
      assert.equal(key(headerNameFault(name)), "versionHeaderInvalid", name);
  });

  it("are not those that the client or HTTP sets", () => {
    const reserved = [
      "Host content-length Content-Type Transfer-Encoding Connection AUTHORIZATION Accept",
      "Accept-Encoding User-Agent Cookie Proxy-Authorization Proxy-Connection Expect Upgrade",
      "TE Trailer Keep-Alive",
    ].flatMap((names) => names.split(" "));
    for (const name of reserved)
      assert.deepEqual(headerNameFault(name), errorText("versionHeaderReserved", { name }));
    for (const name of ["X-Host", "Accept-Version", "Version", "Hosts"])
      assert.equal(headerNameFault(name), undefined, name);
  });

  it("have single-line ASCII values", () => {
    for (const value of ["", "2026-01-01.preview", "a b"]) assert.equal(apiVersionFault(value), undefined);
    for (const value of ["a\r\nEvil: 1", "a\u0000", "ä"])
      assert.equal(key(apiVersionFault(value)), "apiVersionInvalid", value);
  });

  it("separate client ID and secret with a colon, so an ID must not contain one", () => {
    assert.equal(clientIdFault("client"), undefined);
    assert.equal(key(clientIdFault("a:b")), "clientIdColon");
    assert.equal(key(clientIdFault("")), "clientIdMissing");
  });
});

describe("topic prefixes", () => {
  it("consist of levels that can be published to", () => {
    for (const prefix of ["energy", "home/energy", "Haus 7/Strom", "a$b", "p".repeat(1000)])
      assert.equal(topicPrefixFault(prefix, "X"), undefined, prefix);
    for (const prefix of ["", "a/+", "#", "a//b", "/a", "a/", "$SYS/a", "a\u0000b", "a\nb", "p".repeat(1001)])
      assert.deepEqual(
        topicPrefixFault(prefix, "X"),
        errorText("topicPrefixInvalid", { label: "X" }),
        prefix,
      );
  });
});

describe("ids", () => {
  it("have 1 to 255 characters", () => {
    for (const id of ["a", "*", "...", "Haus 7/ä", "x".repeat(255)]) assert.equal(isId(id), true, id);
    for (const id of ["", " ", ".", "..", "x".repeat(256), 7, null, undefined, {}])
      assert.equal(isId(id), false);
  });

  it("contain no control characters", () => {
    for (const id of ["a\nb", "\u0000", "a\u007f", "\u0085"])
      assert.equal(isId(id), false, JSON.stringify(id));
  });
});

describe("decimalOf", () => {
  for (const [value, expected] of [
    [0, 0],
    [-1.5, -1.5],
    ["70", 70],
    [" 57.5\n", 57.5],
    ["+3", 3],
    ["-.5", -0.5],
    ["1.", 1],
    ["2.5e-1", 0.25],
  ] as const) {
    it(`reads ${JSON.stringify(value)} as ${expected}`, () => assert.equal(decimalOf(value), expected));
  }

  for (const value of [
    null,
    undefined,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    true,
    {},
    [70],
    Buffer.from("70"),
    "",
    " ",
    ".",
    "57 %",
    "1,5",
    "0x10",
    "1e999",
    "Infinity",
    "--1",
    "1 2",
  ]) {
    it(`finds no number in ${typeof value} ${JSON.stringify(value) ?? ""}`, () =>
      assert.equal(decimalOf(value), null));
  }

  it("does not block the event loop for a long text that is almost a number", () => {
    const text = `${"1".repeat(100_000)}x`;
    assert.ok(cpuTime(() => assert.equal(decimalOf(text), null)) < 1000);
  });
});
