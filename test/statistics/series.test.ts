// Tests for what of a totals message becomes rows: whole hours in UTC, under ids that Home Assistant accepts.
import assert from "node:assert/strict";
import { hourlySeries, statisticId } from "../../src/statistics/series";
import { ADDRESS } from "./home";

describe("hours of totals for statistics", () => {
  const part = (from: string, to: string, solar: number | null, until = to): object => ({
    startTime: from,
    endTime: to,
    until,
    energy: { solar },
    money: { currency: "EUR", import: 0.2, revenue: null },
  });
  const of = (parts: object[]): Map<string, [string, number][]> =>
    new Map(
      hourlySeries({ parts }, ADDRESS, { prefix: "energy_sites", costs: true }, { unit: "kWh" }).map(
        ({ quantity, hours }) => [
          quantity,
          [...hours].map(([start, { energy }]): [string, number] => [
            new Date(start).toISOString().slice(0, 16),
            energy,
          ]),
        ],
      ),
    );

  it("takes hours that are over, in Wh and in the currency", () => {
    const found = of([
      part("2026-05-04T10:00:00+02:00", "2026-05-04T11:00:00+02:00", 1.5),
      part("2026-05-04T11:00:00+02:00", "2026-05-04T12:00:00+02:00", 0.5, "2026-05-04T11:20:00+02:00"),
    ]);
    assert.deepEqual(found.get("solar"), [["2026-05-04T08:00", 1500]]);
    assert.deepEqual(found.get("cost"), [["2026-05-04T08:00", 0.2]]);
    assert.equal(found.has("compensation"), false);
  });

  it("leaves out a number beyond any energy: sums with it could be infinite, and could not be stored", () => {
    const [from, to] = ["2026-05-04T10:00:00+02:00", "2026-05-04T11:00:00+02:00"];
    assert.deepEqual([...of([part(from, to, 1e306)]).keys()], ["cost"]);
  });

  it("shows what it counts, and of which system, at the end of the longest name, and the currency in one line", () => {
    const hour = part("2026-05-04T10:00:00+02:00", "2026-05-04T11:00:00+02:00", 1);
    const money = { currency: "E\nUR", import: 0.2 };
    const names = { unit: "kWh", siteName: "x".repeat(100), systemName: "roof" };
    const series = hourlySeries(
      { parts: [{ ...hour, money }] },
      ADDRESS,
      { prefix: "p", costs: true },
      names,
    );
    const shown = series.map(({ name, unit }) => [name.length <= 100, name.split(" ").slice(-2), unit]);
    assert.deepEqual(shown, [
      [true, ["roof", "solar"], "Wh"],
      [true, ["roof", "cost"], "E UR"],
    ]);
  });

  it("gives each local hour the UTC hour in which it begins, so that none is lost at midnight", () => {
    const found = of([
      part("2026-05-04T23:00:00+05:30", "2026-05-05T00:00:00+05:30", 1),
      part("2026-05-05T00:00:00+05:30", "2026-05-05T01:00:00+05:30", 3),
    ]);
    assert.deepEqual(found.get("solar"), [
      ["2026-05-04T17:00", 1000],
      ["2026-05-04T18:00", 3000],
    ]);
  });

  it("makes one hour of the half hour in which clocks change by that, and of the one that begins in the same UTC hour", () => {
    const found = of([
      part("2026-04-05T01:00:00+11:00", "2026-04-05T01:30:00+10:30", 4),
      part("2026-04-05T01:30:00+10:30", "2026-04-05T02:00:00+10:30", 1),
      part("2026-04-05T02:00:00+10:30", "2026-04-05T03:00:00+10:30", 2),
    ]);
    assert.deepEqual(found.get("solar"), [
      ["2026-04-04T14:00", 4000],
      ["2026-04-04T15:00", 3000],
    ]);
  });

  it("leaves out the hours that a period cuts, whose statistics have the whole hour", () => {
    const found = of([
      part("2026-05-04T10:20:00+05:30", "2026-05-04T11:00:00+05:30", 1),
      part("2026-05-04T11:00:00+05:30", "2026-05-04T12:00:00+05:30", 2),
      part("2026-05-04T12:00:00+05:30", "2026-05-04T12:20:00+05:30", 0.5),
    ]);
    assert.deepEqual(found.get("solar"), [["2026-05-04T05:00", 2000]]);
  });

  it("makes ids that Home Assistant accepts, one for each system", () => {
    const ids = [
      { siteId: "a_b", systemId: "c" },
      { siteId: "a", systemId: "b_c" },
      { siteId: "A-B", systemId: "C" },
      { siteId: "東京__", systemId: undefined },
    ].map((address) => statisticId("energy_sites", address, "solar"));
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^energy_sites:(?!.*__)[a-z\d][a-z\d_]*[a-z\d]$/);
  });
});
