// Tests for topics and ids: any site id becomes a single level, and different ids have different topics.
import assert from "node:assert/strict";
import fc from "fast-check";
import { deviceId } from "../../src/mqtt/home-assistant/device";
import { seriesTopic } from "../../src/mqtt/publications";
import type { SeriesAddress } from "../../src/series/identity";

const id = fc.oneof(
  fc.constantFrom("site", "_", "__", "a_b", "a/b", "+", "#", "$SYS", "a__b", "a_5f", "%", "ä", "\u0000"),
  fc.string({ unit: "grapheme", minLength: 1 }),
);
const address: fc.Arbitrary<SeriesAddress> = fc.oneof(
  fc.record({ siteId: id }),
  fc.record({ siteId: id, systemId: id }),
);

describe("topics of a series", () => {
  it("consist of site and system, or `site` if there is no system", () => {
    assert.equal(seriesTopic("energy", { siteId: "s1", systemId: "a" }), "energy/s1/a");
    assert.equal(seriesTopic("home/energy", { siteId: "s1" }), "home/energy/s1/site");
  });

  it("percent-encode characters that a level cannot contain", () => {
    assert.equal(
      seriesTopic("energy", { siteId: "a/b", systemId: "$+# ä" }),
      "energy/a%2Fb/%24%2B%23%20%C3%A4",
    );
  });

  it("are three valid levels for any ids, can be decoded, and differ if the ids differ", () => {
    fc.assert(
      fc.property(address, address, (one, other) => {
        const [prefix, site = "", system = "", ...rest] = seriesTopic("p", one).split("/");
        assert.deepEqual([prefix, rest], ["p", []]);
        for (const level of [site, system]) assert.match(level, /^[^+#$\p{Cc}]+$/u);
        assert.equal(decodeURIComponent(site), one.siteId);
        if (one.systemId !== undefined) assert.equal(decodeURIComponent(system), one.systemId);
        const isSame = one.siteId === other.siteId && one.systemId === other.systemId;
        assert.equal(seriesTopic("p", one) === seriesTopic("p", other), isSame);
      }),
    );
  });
});

describe("ids of devices", () => {
  it("contain only characters allowed in discovery topics, and stay readable", () => {
    assert.equal(
      deviceId("energy", { siteId: "demo-house", systemId: "demo_1" }),
      "energy__demo-house__demo_5f1",
    );
    assert.equal(deviceId("home/energy", { siteId: "ä" }), "home_2fenergy___c3_a4");
  });

  it("are the same only for the same prefix, site and system", () => {
    fc.assert(
      fc.property(id, address, id, address, (prefix, one, otherPrefix, other) => {
        assert.match(deviceId(prefix, one), /^[A-Za-z0-9_-]+$/);
        const isSame = JSON.stringify([prefix, one]) === JSON.stringify([otherPrefix, other]);
        assert.equal(deviceId(prefix, one) === deviceId(otherPrefix, other), isSame);
      }),
    );
  });
});
