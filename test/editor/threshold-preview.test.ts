// Tests for the moments at which a threshold would have switched, as its preview marks them.
import assert from "node:assert/strict";
import { recordPath, switchesOf } from "../../nodes/threshold/threshold-values.editor";
import { MINUTE } from "../../src/time-units";

const RULE = { high: 60, low: 20, hold: 0, maxAge: 0, repeat: 0 };

/** Records of five minutes, and the edges by the index of the record. */
function edgesOf(values: number[], rule: object = {}, path = "solar.power"): string[] {
  const records = values.map((value, index) => ({ at: (index + 1) * 5 * MINUTE, value }));
  const switches = switchesOf(records, { ...RULE, ...rule }, path);
  return switches.map(({ at, edge }) => `${at / (5 * MINUTE) - 1} ${edge}`);
}

describe("preview of a threshold", () => {
  it("marks each side that a value reaches, and none in between", () => {
    assert.deepEqual(edgesOf([40, 60, 70, 40, 20, 10, 65]), ["1 high", "4 low", "6 high"]);
    assert.deepEqual(edgesOf([30, 40, 50]), []);
  });

  it("holds a side for as long as the node would", () => {
    assert.deepEqual(edgesOf([70, 40, 70, 70, 70], { hold: 10 * MINUTE }), ["4 high"]);
  });

  it("marks the side that comes back after a value that is not plausible", () => {
    assert.deepEqual(edgesOf([70, 500, 70], { max: 100 }), ["0 high", "2 high"]);
    assert.deepEqual(edgesOf([10, 255, 10], {}, "storage.stateOfCharge"), ["0 low", "2 low"]);
  });

  it("shows no other value than the one that the node decides on", () => {
    assert.equal(recordPath("payload", "storage.stateOfCharge"), "storage.stateOfCharge");
    assert.equal(recordPath("payload.solar.power", ""), "solar.power");
    // Of the payload, nothing is known of another property.
    assert.equal(recordPath("temperature", "storage.stateOfCharge"), "");
  });
});
