// Tests for the ledger in messages: what is accepted when it comes back.
import assert from "node:assert/strict";
import { InputError } from "../../src/errors";
import { carriedLedger, readCarriedLedger } from "../../src/ledger/stored-ledger";
import { type Ledger, newLedger } from "../../src/ledger/ledger";
import { MAX_LEDGER_CHARACTERS } from "../../src/limits";
import { HOUR, MINUTE } from "../../src/time-units";

const NOW = Date.UTC(2026, 5, 1, 12);
const SERIES = "house//telemetry";
const LEDGER: Ledger = {
  ...newLedger(NOW),
  delivered: [[NOW - 10 * MINUTE, NOW - 5 * MINUTE]],
  knownFrom: NOW - HOUR,
  gaps: [{ start: NOW - 2 * HOUR, end: NOW - HOUR, noticed: 0, nextRequest: NOW, pause: 5 * MINUTE }],
  watched: 3 * HOUR,
  completed: NOW,
};

function refusal(carried: unknown, series = SERIES): string | undefined {
  try {
    readCarriedLedger(carried, series);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof InputError);
    return error.text.key;
  }
}

describe("the ledger in a message", () => {
  it("comes back as it left, through JSON", () => {
    const carried: unknown = JSON.parse(JSON.stringify(carriedLedger(LEDGER, SERIES)));
    assert.deepEqual(readCarriedLedger(carried, SERIES), LEDGER);
  });

  it("comes back with a record without length, and with one that begins before there were any", () => {
    const delivered: Ledger["delivered"] = [
      [Date.UTC(1, 0, 1), NOW - 5 * MINUTE],
      [NOW, NOW],
    ];
    const carried: unknown = JSON.parse(JSON.stringify(carriedLedger({ ...LEDGER, delivered }, SERIES)));
    assert.deepEqual(readCarriedLedger(carried, SERIES).delivered, delivered);
  });

  it("is refused if it belongs to another series", () => {
    assert.equal(refusal(carriedLedger(LEDGER, SERIES), "other//telemetry"), "ledgerSeries");
  });

  const good = carriedLedger(LEDGER, SERIES);
  const wrong: [string, unknown][] = [
    ["null", null],
    ["a text", JSON.stringify(good)],
    ["a list", [good]],
    ["nothing in it", {}],
    ["no series", { ...good, series: undefined }],
    ["a cursor that is no time", { ...good, cursor: "soon" }],
    ["a cursor long ago", { ...good, cursor: "1970-01-01T00:00:00Z" }],
    ["a gap without end", { ...good, gaps: [[-7200, 1e300, 0, 0, 300]] }],
    ["a gap that ends before it begins", { ...good, gaps: [[-3600, -60, 0, 0, 300]] }],
    ["a gap from the beginning of time", { ...good, gaps: [[-4e9, 3600, 0, 0, 300]] }],
    ["overlapping gaps", { ...good, gaps: Array.from({ length: 300 }, () => [-7.8e8, 7.8e8, 0, 0, 300]) }],
    ["a record that ends before it begins", { ...good, delivered: [[0, -300, 1]] }],
    [
      "more records than there can be",
      { ...good, delivered: Array.from({ length: 20 }, () => [0, 60, 1000]) },
    ],
    ["a record too many times", { ...good, delivered: [[0, 60, 1e12]] }],
    ["far too much", { ...good, note: "x".repeat(MAX_LEDGER_CHARACTERS) }],
  ];
  for (const [what, carried] of wrong) {
    it(`is refused with ${what}`, () => {
      assert.equal(refusal(carried), "ledgerUnreadable");
    });
  }
});
