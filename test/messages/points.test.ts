// Tests for points: every value of a record once, at the end of the record; null is omitted and never becomes 0.
import assert from "node:assert/strict";
import * as one from "../../src/messages/points";
import { recordsIn } from "../../src/messages/reader";
import type { ServiceObject } from "../../src/models/service-object";
import type { SeriesAddress } from "../../src/series/identity";

const END = "2026-06-10T10:05:00Z";
const RECORD = {
  startTime: "2026-06-10T10:00:00Z",
  endTime: END,
  grid: { power: -120.5, energy: 0, connectivityStatus: "ON_GRID", importedEnergy: null },
  solar: null,
  storage: { stateOfCharge: 55, isReserved: false },
  novelty: { level: 3, deep: { more: 1 }, list: [1] },
  quality: "good",
};
type Measured = one.Measured[];
const read = (record: object): Measured => [...recordsIn({ payload: record }, [])].map(one.measuredRecord);
const influxPoints = (measured: Measured, address: SeriesAddress, name: string): one.InfluxPoint[] =>
  measured.flatMap((each) => one.influxPoints(each, address, name));
const lineProtocol = (made: one.InfluxPoint[]): string => made.map(one.lineOf).join("\n");
const chartPoints = (measured: Measured): one.ChartPoint[] => measured.flatMap(one.chartPoints);
const rows = (measured: Measured, address: SeriesAddress): one.Row[] =>
  measured.map((each) => one.rowOf(each, address));
const measuredTotals = (payload: ServiceObject): Measured => [...one.measuredTotals(payload)];
const points = (record: object, address = { siteId: "a" }): unknown =>
  influxPoints(read(record), address, "energy");

describe("points", () => {
  it("makes one point from each record, with every value of every group, including unknown ones", () => {
    assert.deepEqual(points(RECORD), [
      {
        measurement: "energy",
        tags: { siteId: "a" },
        fields: {
          grid_power: -120.5,
          grid_energy: 0,
          grid_connectivityStatus: "ON_GRID",
          storage_stateOfCharge: 55,
          storage_isReserved: false,
          novelty_level: 3,
        },
        timestamp: new Date(END),
      },
    ]);
  });

  it("tags the system if there is one, and omits the tag otherwise", () => {
    const [tagged] = influxPoints(read(RECORD), { siteId: "a", systemId: "b" }, "m");
    assert.deepEqual([tagged?.measurement, tagged?.tags], ["m", { siteId: "a", systemId: "b" }]);
    const [untagged] = influxPoints(read(RECORD), { siteId: "a", systemId: undefined }, "m");
    assert.equal("systemId" in (untagged?.tags ?? {}), false);
  });

  it("makes no point for a record without values", () => {
    assert.deepEqual(points({ ...RECORD, grid: null, storage: { stateOfCharge: null }, novelty: {} }), []);
  });

  it("omits numbers that no database accepts", () => {
    assert.deepEqual(
      points({ ...RECORD, novelty: {}, storage: null, grid: { power: Number.NaN, energy: Infinity } }),
      [],
    );
  });

  it("makes a chart point from every number, at the end of its record", () => {
    const second = { startTime: END, endTime: "2026-06-10T12:10:00+02:00", rgm: { power: 7 } };
    assert.deepEqual(chartPoints(read([RECORD, second])), [
      { series: "grid.power", x: Date.parse(END), y: -120.5 },
      { series: "grid.energy", x: Date.parse(END), y: 0 },
      { series: "storage.stateOfCharge", x: Date.parse(END), y: 55 },
      { series: "novelty.level", x: Date.parse(END), y: 3 },
      { series: "rgm.power", x: Date.UTC(2026, 5, 10, 10, 10), y: 7 },
    ]);
  });

  it("writes line protocol in milliseconds, with names, texts and ids escaped", () => {
    const fields = { "c,d=e": 1.5, text: 'say "hi"\\\n', on: true };
    const record = { startTime: RECORD.startTime, endTime: END, "a b": fields };
    const address = { siteId: "site, 1=a", systemId: "a\\b\\,s\\" };
    const line = [
      "my\\ energy,siteId=site\\,\\ 1\\=a,systemId=a\\b%5C\\,s%5C",
      'a\\ b_c\\,d\\=e=1.5,a\\ b_text="say \\"hi\\"\\\\ ",a\\ b_on=true',
      Date.parse(END),
    ];
    assert.equal(lineProtocol(influxPoints(read(record), address, "my energy")), line.join(" "));
  });

  it("writes a line that begins with the measurement, whatever that is", () => {
    const starts = ["#x", "a\\", "b, c"].map((measurement) =>
      lineProtocol(influxPoints(read(RECORD), { siteId: "s" }, measurement))
        .split(",siteId=s")
        .at(0),
    );
    assert.deepEqual(starts, ["%23x", "a%5C", "b\\,\\ c"]);
  });

  it("makes a flat row of each record", () => {
    assert.deepEqual(rows(read({ ...RECORD, novelty: {} }), { siteId: "a", systemId: "b" }), [
      {
        siteId: "a",
        systemId: "b",
        startTime: RECORD.startTime,
        endTime: END,
        grid_power: -120.5,
        grid_energy: 0,
        grid_connectivityStatus: "ON_GRID",
        storage_stateOfCharge: 55,
        storage_isReserved: false,
      },
    ]);
  });

  it("makes a point of each part of totals, at its start, with its length as a tag", () => {
    const hour = (start: string, end: string, solar: number | null): object => ({
      startTime: start,
      endTime: end,
      energy: { solar, imported: 2 },
      share: { selfSufficiency: null },
      peak: null,
      quality: { coverage: 1 },
    });
    const first = hour("2026-05-04T00:00:00+02:00", "2026-05-04T01:00:00+02:00", null);
    const payload = {
      ...hour("2026-05-04T00:00:00+02:00", "2026-05-05T00:00:00+02:00", 9),
      period: "yesterday",
    };
    const [whole] = influxPoints(measuredTotals(payload), { siteId: "a" }, "energy");
    assert.deepEqual(whole, {
      measurement: "energy",
      tags: { siteId: "a", period: "day" },
      fields: { energy_solar: 9, energy_imported: 2, quality_coverage: 1 },
      timestamp: new Date("2026-05-03T22:00:00Z"),
    });
    const [part, ...others] = influxPoints(
      measuredTotals({ ...payload, parts: [{ ...first, period: "hour" }] }),
      { siteId: "a" },
      "energy",
    );
    assert.equal(others.length, 0);
    assert.deepEqual(
      [part?.tags.period, part?.fields],
      ["hour", { energy_imported: 2, quality_coverage: 1 }],
    );
  });

  it("makes bars, rows and lines of the parts of totals", () => {
    const hour = (from: string, to: string, solar: number): object => ({
      period: "hour",
      startTime: `2026-05-04T${from}:00:00Z`,
      endTime: `2026-05-04T${to}:00:00Z`,
      energy: { solar },
    });
    const measured = measuredTotals({ parts: [hour("10", "11", 1.5), hour("11", "12", 2)] });
    const times = [Date.UTC(2026, 4, 4, 10), Date.UTC(2026, 4, 4, 11)];
    assert.deepEqual(chartPoints(measured), [
      { series: "energy.solar", x: times[0], y: 1.5 },
      { series: "energy.solar", x: times[1], y: 2 },
    ]);
    assert.equal(
      lineProtocol(influxPoints(measured, { siteId: "a" }, "energy")),
      times
        .map((time, index) => `energy,siteId=a,period=hour energy_solar=${[1.5, 2][index]} ${time}`)
        .join("\n"),
    );
    assert.deepEqual(rows(measured, { siteId: "a" })[0], {
      siteId: "a",
      period: "hour",
      startTime: "2026-05-04T10:00:00Z",
      endTime: "2026-05-04T11:00:00Z",
      energy_solar: 1.5,
    });
  });

  it("gives a part whose period a flow has emptied the tag of a period of one's own, as an empty tag is no line protocol", () => {
    const part = { startTime: RECORD.startTime, endTime: END, energy: { solar: 1 } };
    const line = `energy,siteId=a,period=period energy_solar=1 ${Date.parse(RECORD.startTime)}`;
    for (const period of ["", " ", null, undefined])
      assert.equal(
        lineProtocol(influxPoints(measuredTotals({ ...part, period }), { siteId: "a" }, "energy")),
        line,
      );
  });

  it("reads the parts of totals one by one, because a year has thousands", () => {
    let read = 0;
    const part = { period: "hour", endTime: END, energy: { solar: 1 } };
    const parts = Array.from({ length: 9 }, () => ({
      ...part,
      get startTime() {
        read += 1;
        return RECORD.startTime;
      },
    }));
    const [first] = one.measuredTotals({ parts });
    assert.equal(first?.period, "hour");
    assert.equal(read, 1);
  });
});
