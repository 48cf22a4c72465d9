// Tests for the time zone of a site, which is a text of the service.
import assert from "node:assert/strict";
import { calendarOf } from "../../src/totals/period";

describe("the time zone of a site", () => {
  it("is an IANA zone", () => assert.doesNotThrow(() => calendarOf("Europe/Berlin")));

  it("is not shown where it is unknown, because it may be an echoed secret", () =>
    assert.throws(() => calendarOf("opensesame"), {
      code: "ENERGY_INPUT",
      message: "The time zone of the site is unknown. Use startTime and endTime instead of days.",
    }));

  for (const zone of [undefined, null, 7])
    it(`is missing if it is ${zone}`, () =>
      assert.throws(() => calendarOf(zone), /The site has no time zone/));
});
