// Tests that no two devices share an id or a topic, whatever the ids of sites, systems and devices are.
import assert from "node:assert/strict";
import fc from "fast-check";
import { deviceId, type Place, deviceTopic } from "../../../src/mqtt/home-assistant/device";
import { seriesTopic } from "../../../src/mqtt/publications";

const id = fc.oneof(
  fc.constantFrom(
    "site",
    "alerts",
    "devices",
    "state",
    "_",
    "__",
    "_nB_n1",
    "_alerts",
    "a/b",
    "a__b",
    "1",
    "B",
  ),
  fc.string({ unit: "grapheme", minLength: 1 }),
);
const systemId = fc.option(id, { nil: undefined });
const address = fc
  .record({ siteId: id, systemId })
  .map(({ siteId, systemId: system }): Place =>
    system === undefined ? { siteId } : { siteId, systemId: system },
  );
const part = fc
  .record({ address, deviceClass: id, key: fc.oneof(id, fc.nat(3)) })
  // A part with an id is the same whatever its class.
  .map(({ address: of, deviceClass, key }): Place => ({
    ...of,
    key,
    ...(typeof key === "number" && { deviceClass }),
  }));
const device = fc.oneof(fc.constant({}), address, part);

describe("devices in Home Assistant", () => {
  it("have ids with the characters that discovery topics allow, and different ones for different devices", () => {
    fc.assert(
      fc.property(device, device, (one, other) => {
        assert.match(deviceId("p", one), /^[A-Za-z0-9_-]+$/);
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        assert.equal(deviceId("p", one) === deviceId("p", other), isSame);
        assert.equal(deviceTopic("p", one) === deviceTopic("p", other), isSame);
      }),
    );
  });

  it("come after those that they belong to, by their ids", () => {
    fc.assert(
      fc.property(part, ({ siteId, systemId: system, ...rest }) => {
        const ids = [{}, { siteId }, { siteId, systemId: system }, { siteId, systemId: system, ...rest }];
        const sorted = ids.map((place) => deviceId("p", place));
        assert.deepEqual(sorted, sorted.toSorted());
      }),
    );
  });

  it("share no topic with the records of a system or site", () => {
    fc.assert(
      fc.property(part, address, (one, { siteId = "", systemId: system }) => {
        const series = `${seriesTopic("p", { siteId, systemId: system })}/`;
        for (const word of ["live", "backlog", "state", "alerts", "availability", "stale"])
          assert.equal(`${deviceTopic("p", one)}/`.startsWith(`${series}${word}/`), false);
      }),
    );
  });
});
