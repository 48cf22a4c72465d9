import assert from "node:assert/strict";
import { isPriceList, meanPrice, pricesBetween, readPrices, withPrices } from "../../src/totals/prices";

const at = (text: string): number => Date.parse(text);
const HOUR = 3_600_000;

describe("prices of messages", () => {
  it("reads power saver: start and value, the end from the next step", () => {
    const priceData = [
      { value: 0.2, start: "2026-05-04T00:00:00.000+02:00" },
      { value: 0.3, start: "2026-05-04T01:00:00.000+02:00" },
    ];
    const start = at("2026-05-03T22:00:00Z");
    assert.deepEqual(readPrices({ priceData }), [
      { start, end: start + HOUR, price: 0.2 },
      { start: start + HOUR, end: start + 2 * HOUR, price: 0.3 },
    ]);
    const overlapping = priceData.map((step) => ({ ...step, end: "2026-05-04T04:00:00+02:00" }));
    assert.equal(readPrices(overlapping)[0]?.end, start + HOUR);
  });

  it("reads Tibber, also with today and tomorrow", () => {
    const today = [{ startsAt: "2026-05-04T00:00:00+02:00", total: 0.25 }];
    const tomorrow = [{ startsAt: "2026-05-05T00:00:00+02:00", total: 0.35 }];
    assert.deepEqual(
      readPrices({ priceInfo: { today, tomorrow } }).map(({ price }) => price),
      [0.25, 0.35],
    );
    // The only step lasts an hour.
    const first = { start: at("2026-05-03T22:00:00Z"), end: at("2026-05-03T23:00:00Z"), price: 0.25 };
    assert.deepEqual(readPrices(today), [first]);
    assert.deepEqual(readPrices({ priceInfo: { today } }), [first]);
    assert.deepEqual(readPrices([{ startsAt: new Date(first.start), total: 0.25 }]), [first]);
  });

  it("reads evcc, aWATTar in EUR/MWh, and Octopus in pence, newest first", () => {
    const start = "2026-05-04T00:00:00Z";
    assert.equal(readPrices([{ start, end: "2026-05-04T00:15:00Z", value: -0.02 }])[0]?.price, -0.02);
    const start_timestamp = at(start);
    assert.deepEqual(
      readPrices({ data: [{ start_timestamp, end_timestamp: start_timestamp + HOUR, marketprice: 84.5 }] }),
      [{ start: start_timestamp, end: start_timestamp + HOUR, price: 0.0845 }],
    );
    const results = [
      { valid_from: "2026-05-04T00:30:00Z", valid_to: null, value_inc_vat: 30 },
      { valid_from: start, valid_to: "2026-05-04T00:30:00Z", value_inc_vat: 20 },
    ];
    assert.deepEqual(readPrices({ results }), [
      { start: start_timestamp, end: start_timestamp + HOUR / 2, price: 0.2 },
      { start: start_timestamp + HOUR / 2, end: start_timestamp + HOUR, price: 0.3 },
    ]);
  });

  it("takes a last step without an end for as long as the one before, also where there is a hole between them", () => {
    const [start, later] = ["2026-05-04T00:00:00Z", "2026-05-04T05:00:00Z"];
    const steps = [
      { start, end: "2026-05-04T01:00:00Z", value: 1 },
      { start: later, value: 2 },
    ];
    assert.deepEqual(
      readPrices(steps).map(({ end }) => end),
      [at(start) + HOUR, at(later) + HOUR],
    );
  });

  it("goes on with the price of a day after the peak hours within it", () => {
    const from = at("2026-05-04T00:00:00Z");
    const step = (start: number, end: number, value: number): object => ({
      start: from + start * HOUR,
      end: from + end * HOUR,
      value,
    });
    const prices = readPrices([step(17, 20, 0.5), step(18, 19, 0.9), step(0, 24, 0.3), step(24, 48, 0.2)]);
    assert.deepEqual(
      prices.map(({ start, end, price }) => [(start - from) / HOUR, (end - from) / HOUR, price]),
      [
        [0, 17, 0.3],
        [17, 18, 0.5],
        [18, 19, 0.9],
        [19, 20, 0.5],
        [20, 24, 0.3],
        [24, 48, 0.2],
      ],
    );
  });

  it("takes the first of several prices for the same time: Octopus lists one for each way to pay", () => {
    const [start, end] = ["2026-05-04T00:00:00Z", "2026-06-04T00:00:00Z"];
    const pay = (valid_from: string, valid_to: string | null, direct: number): object[] => [
      { valid_from, valid_to, value_inc_vat: direct, payment_method: "DIRECT_DEBIT" },
      { valid_from, valid_to, value_inc_vat: direct + 2, payment_method: "NON_DIRECT_DEBIT" },
    ];
    assert.deepEqual(readPrices({ results: pay(start, null, 20) }), [
      { start: at(start), end: Infinity, price: 0.2 },
    ]);
    assert.deepEqual(
      readPrices({ results: [...pay(end, null, 30), ...pay(start, end, 20)] }).map(({ price }) => price),
      [0.2, 0.3],
    );
  });

  it("tells prices from messages that trigger a run", () => {
    assert.deepEqual(
      [[], { priceData: [] }, { data: [] }, { results: [] }, { priceInfo: {} }].map(isPriceList),
      Array(5).fill(true),
    );
    assert.deepEqual([1, "", null, undefined, {}, { startTime: "x" }].map(isPriceList), Array(6).fill(false));
  });

  it("refuses what is no price, and times without an offset", () => {
    const start = "2026-05-04T00:00:00Z";
    for (const payload of [
      [],
      [1],
      [{ start }],
      [{ start, value: "0.2" }],
      [{ start, value: Infinity }],
      // What it costs would be infinite.
      [{ start, value: -1e300 }],
      [{ value: 1 }],
      [{ start: "2026-05-04T00:00", value: 1 }],
      [{ start, end: start, value: 1 }],
      [{ start, end: "soon", value: 1 }],
      Array.from({ length: 20_001 }, () => ({ start, value: 1 })),
      { data: { data: { data: {} } } },
    ])
      assert.throws(() => readPrices(payload), { code: "ENERGY_INPUT" }, JSON.stringify(payload));
  });

  it("corrects what is sent again, and keeps the rest", () => {
    const step = (
      start: number,
      end: number,
      price: number,
    ): { start: number; end: number; price: number } => ({ start, end, price });
    assert.deepEqual(withPrices([step(0, 10, 1), step(10, 20, 2)], [step(5, 12, 9)]), [
      step(0, 5, 1),
      step(5, 12, 9),
      step(12, 20, 2),
    ]);
  });

  it("has no price before, after and between steps", () => {
    const curve = [
      { start: 10, end: 20, price: 1 },
      { start: 30, end: 40, price: 3 },
    ];
    assert.deepEqual(
      pricesBetween(curve, 0, 50).map(({ start, end, price }) => [start, end, price]),
      [
        [0, 10, undefined],
        [10, 20, 1],
        [20, 30, undefined],
        [30, 40, 3],
        [40, 50, undefined],
      ],
    );
    assert.equal(meanPrice(curve, 12, 18), 1);
    // 5 at 1, 10 at nothing, 5 at 3: what has no price has no worth.
    assert.equal(meanPrice(curve, 15, 35), 1);
  });
});
