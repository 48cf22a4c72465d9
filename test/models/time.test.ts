// Tests for times: strict for user input; in responses, only a missing offset is tolerated.
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseLenientTime, parseServiceTime, parseUserTime, serviceTimeReader } from "../../src/models/time";

const NOON = Date.UTC(2026, 1, 1, 12);

describe("times", () => {
  for (const text of [
    "2026-02-01T12:00:00Z",
    "2026-02-01T12:00:00.000Z",
    "2026-02-01T12:00:00.000000Z",
    "2026-02-01T12:00Z",
    "2026-02-01T13:00:00+01:00",
    "2026-02-01T13:00:00+0100",
    "2026-02-01T13:00:00+01",
    "2026-02-01T01:30:00-10:30",
  ]) {
    it(`accepts ${text} from users and from the service`, () => {
      assert.equal(parseUserTime(text), NOON);
      assert.equal(parseServiceTime(text), NOON);
    });
  }

  for (const value of [
    NOON,
    NOON / 1000,
    String(NOON),
    `${NOON / 1000}.000`,
    "2026-02-01T12:00:00Z",
    " 2026-02-01t12:00:00z ",
    "2026-02-01T12:00:00",
    "2026-02-01 12:00:00",
    "2026-02-01 12:00",
    "2026-02-01 12:00:00.000 UTC",
    "2026-02-01T12:00:00+00",
    "2026-02-01 12:00:00+00",
    "2026-02-01 13:00:00 +0100",
    "Sun, 01 Feb 2026 12:00:00 GMT",
  ]) {
    it(`takes ${JSON.stringify(value)} from a device`, () => assert.equal(parseLenientTime(value), NOON));
  }

  it("takes a day from a device as its start", () =>
    assert.equal(parseLenientTime("2026-02-01"), NOON - 12 * 3600_000));

  for (const value of [
    null,
    undefined,
    true,
    {},
    "",
    "yesterday",
    "5",
    "2026-02-30 12:00",
    "1:2",
    "May 12:00:00",
  ]) {
    it(`takes ${JSON.stringify(value)} from no device`, () =>
      assert.equal(parseLenientTime(value), undefined));
  }

  for (const text of ["2026-02-01T12:00:00", "2026-02-01T12:00:00.000"]) {
    it(`treats ${text} as UTC from the service, and rejects it from users`, () => {
      assert.equal(parseServiceTime(text), NOON);
      assert.equal(parseUserTime(text), undefined);
    });
  }

  for (const value of [
    "",
    "yesterday",
    "2026-02-01",
    "2026-02-01 12:00:00Z",
    "12:00Z",
    "2026-13-01T00:00Z",
    "2026-02-29T00:00Z",
    "2026-02-30T00:00Z",
    "2026-04-31T00:00Z",
    "2100-02-29T00:00Z",
    "2026-02-01T25:00Z",
    "2026-02-01T12:60Z",
    "2026-02-01T12:00:00+25:00",
    "2026-02-01T12:00:00,5Z",
    " 2026-02-01T12:00Z",
    "1770000000000",
    1770000000000,
    null,
    undefined,
    new Date(NOON),
    ["2026-02-01T12:00Z"],
  ]) {
    it(`rejects ${JSON.stringify(value)}`, () => {
      assert.equal(parseUserTime(value), undefined);
      assert.equal(parseServiceTime(value), undefined);
    });
  }

  it("returns the same result again, however many times were parsed in between", () => {
    const texts = Array.from({ length: 2500 }, (_none, index) =>
      new Date(NOON + index * 300_000).toISOString(),
    );
    for (const text of [...texts, ...texts]) assert.equal(parseServiceTime(text), Date.parse(text));
  });

  it("knows the length of each month", () => {
    assert.equal(parseUserTime("2024-02-29T00:00Z"), Date.UTC(2024, 1, 29));
    assert.equal(parseUserTime("2026-03-31T00:00Z"), Date.UTC(2026, 2, 31));
    assert.equal(parseUserTime("2026-04-30T00:00Z"), Date.UTC(2026, 3, 30));
  });

  describe("of one response", () => {
    it("are the same as read one by one, whatever came before", () => {
      const two = (value: number): string => String(value).padStart(2, "0");
      const text = fc
        .record({
          day: fc.constantFrom("2026-02-28", "2026-02-29", "2024-02-29", "2026-03-01"),
          hour: fc.integer({ min: 0, max: 25 }),
          minute: fc.integer({ min: 0, max: 61 }),
          between: fc.constantFrom(":", ":", ":", "-", ""),
          rest: fc.constantFrom("Z", ":00Z", ":30.500Z", ":00+01:00", ":00-10:30", ":00", ""),
        })
        .map(({ day, hour, minute, between, rest }) => `${day}T${two(hour)}${between}${two(minute)}${rest}`);
      fc.assert(
        fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), (texts) => {
          const timeOf = serviceTimeReader();
          for (const one of texts) assert.equal(timeOf(one), parseServiceTime(one), one);
        }),
        { numRuns: 200 },
      );
    });

    it("are rejected if they are no times, after valid ones", () => {
      const timeOf = serviceTimeReader();
      assert.equal(timeOf("2026-02-01T12:00:00Z"), NOON);
      for (const invalid of [
        "2026-02-01T1:005:00Z",
        "2026-02-01T+1:00:00Z",
        "2026-02-01T12: 5:00Z",
        null,
        7,
        "",
      ])
        assert.equal(timeOf(invalid), undefined);
      assert.equal(timeOf("2026-02-01T24:00:00Z"), NOON + 12 * 3_600_000);
      assert.equal(timeOf("2026-02-01T12:00:00Z"), NOON);
    });
  });
});
