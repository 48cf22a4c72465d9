// Tests for the removal of devices: only once they have been missing from site lists for a day, and from three in a row.
import assert from "node:assert/strict";
import { type Absence, countAbsence, isGone, listedIn } from "../../../src/mqtt/home-assistant/site-lists";
import { HOUR } from "../../../src/time-units";

const NOW = Date.UTC(2026, 5, 10, 10, 7);

/** After lists without the device at these times, in hours. */
function absenceAfter(...hours: number[]): Absence {
  let absence: Absence | undefined;
  for (const hour of hours) absence = countAbsence(absence, NOW + hour * HOUR);
  assert.ok(absence);
  return absence;
}

/** Whether a device is gone when the last of these lists comes. */
const isGoneAfter = (...hours: number[]): boolean =>
  isGone(absenceAfter(...hours), NOW + (hours.at(-1) ?? 0) * HOUR);

describe("a device", () => {
  it("is gone after a day and three lists", () => {
    assert.equal(isGoneAfter(0, 1, 24), true);
    assert.equal(isGoneAfter(0, 1, 2, 3, 24.5), true);
  });

  it("is not gone after fewer lists, however long, nor before a day, however many", () => {
    assert.equal(isGoneAfter(0, 1000), false);
    assert.equal(isGoneAfter(0, 1, 2, 3, 4, 23.9), false);
  });

  it("starts over when the clock has been set back", () => {
    assert.deepEqual(absenceAfter(0, 1, -5), { since: NOW - 5 * HOUR, lists: 1 });
    assert.equal(isGoneAfter(0, 1, -5, 24), false);
    assert.equal(isGoneAfter(0, 1, -5, 10, 19), true);
  });
});

describe("a site list", () => {
  const sites = [
    { siteId: "home", systems: [{ systemId: "a" }] },
    { siteId: "home", systems: [{ systemId: "b" }] },
    { siteId: "bare" },
    { siteId: "nameless", systems: [{}] },
  ];
  const isListed = listedIn(sites);

  it("contains its sites and their systems, even of a site that is listed twice", () => {
    for (const [siteId, systemId, expected] of [
      ["home", "a", true],
      ["home", "b", true],
      ["home", "c", false],
      ["other", "a", false],
    ] as const)
      assert.equal(isListed({ siteId, systemId }), expected, `${siteId} ${systemId}`);
    assert.deepEqual([isListed({ siteId: "home" }), isListed({ siteId: "other" })], [true, false]);
  });

  it("may contain any system of a site without a list of systems, or with a system without an id", () => {
    assert.equal(isListed({ siteId: "bare", systemId: "a" }), true);
    assert.equal(isListed({ siteId: "nameless", systemId: "a" }), true);
  });
});
