// Tests for reading a series that is answered badly, by every kind of node that reads: what one survives, all survive.
import assert from "node:assert/strict";
import { errorText, HttpError } from "../../src/errors";
import { RecordReader } from "../../src/reading/record-reader";
import { DAY, HOUR, MINUTE, splitWindow, type TimeWindow } from "../../src/time-units";
import { fiveMinutes, judge, ModelService, type Read, type Trouble } from "./model-service";

const NOW = Date.UTC(2026, 5, 11);
const TWO_DAYS = { start: NOW - 2 * DAY, end: NOW };

/** How each kind of node reads the two days before now. */
const NODES: readonly [name: string, read: (service: ModelService) => Promise<Read>][] = [
  ["history", (service) => service.history(TWO_DAYS)],
  ["poll", (service) => service.lives(TWO_DAYS.start, [NOW])],
];

function around(start: number, length: number): TimeWindow {
  return { start, end: start + length };
}

/** An hour at no particular time. */
const AN_HOUR = around(NOW - 30 * HOUR - 7 * MINUTE, HOUR);

describe("reading a series", () => {
  async function readWith(trouble: Trouble, read: (typeof NODES)[number][1]): Promise<[ModelService, Read]> {
    const service = new ModelService(fiveMinutes(around(NOW - 3 * DAY, 4 * DAY)), NOW);
    service.trouble = trouble;
    const result = await read(service);
    judge(service, result, TWO_DAYS);
    return [service, result];
  }

  for (const [name, read] of NODES) {
    describe(`by ${name}`, () => {
      it("takes a request a day while all is well", async () => {
        const [service, { sent, missing }] = await readWith({}, read);
        assert.deepEqual([sent.length, missing.length], [2 * 288, 0]);
        // A poll asks once whether it may begin later.
        assert.ok(service.requests <= 3, `${service.requests} requests`);
      });

      it("goes on where answers are cut at 100 records", async () => {
        const [service, { sent, missing }] = await readWith({ limit: 100 }, read);
        assert.deepEqual([sent.length, missing.length], [2 * 288, 0]);
        assert.ok(service.requests <= 7, `${service.requests} requests`);
      });

      it("goes on to the last record where answers are cut at ten minutes", async () => {
        const service = new ModelService(
          Array.from({ length: 3 * 60 }, (_none, index) =>
            around(NOW - (index + 1) * MINUTE, MINUTE),
          ).toReversed(),
          NOW,
        );
        service.trouble = { limit: 10 };
        const { sent } = await read(service);
        assert.ok(sent.length >= 3 * 60 - 2, `${sent.length} records`);
      });

      for (const status of [undefined, 413])
        it(`reads all where days ${status ? "are refused as too long" : "take too long"}, and six hours are not`, async () => {
          const [service, { sent, missing }] = await readWith({ longest: 6 * HOUR, status }, read);
          assert.deepEqual([sent.length, missing.length], [2 * 288, 0]);
          assert.ok(service.requests <= 20, `${service.requests} requests`);
        });

      for (const status of [400, 403, 422, 500])
        it(`tells of an hour that is answered with ${status}, and reads all else`, async () => {
          const [service, { sent, missing }] = await readWith({ poison: [AN_HOUR], status }, read);
          assert.equal(missing.length, 1);
          const [{ start, end } = { start: 0, end: 0 }] = missing;
          assert.ok(start <= AN_HOUR.start && end >= AN_HOUR.end && end - start <= HOUR + 10 * MINUTE);
          assert.equal(sent.length, 2 * 288 - (end - start) / (5 * MINUTE));
          assert.ok(service.requests <= 50, `${service.requests} requests`);
        });

      it("tells of one record that cannot be read, and reads all else", async () => {
        const unreadable = [NOW - 30 * HOUR];
        const service = new ModelService(fiveMinutes(around(NOW - 3 * DAY, 4 * DAY)), NOW);
        service.trouble = { unreadable };
        const { sent } = await read(service);
        assert.equal(sent.length, 2 * 288 - 1);
      });

      it("does not ask forever where there is silence", async () => {
        const service = new ModelService(fiveMinutes(around(TWO_DAYS.start, 10 * HOUR)), NOW);
        const { sent } = await read(service);
        assert.equal(sent.length, 120);
        assert.ok(service.requests <= 5, `${service.requests} requests`);
      });
    });
  }

  it("fails with one more request where the present fails, too", async () => {
    const service = new ModelService([], NOW);
    service.trouble = { poison: [around(0, 2 * NOW)] };
    await assert.rejects(service.history(TWO_DAYS));
    assert.ok(service.requests <= 4, `${service.requests} requests`);
  });

  it("fails where nothing of an answer can be read", async () => {
    const service = new ModelService(fiveMinutes(around(NOW - HOUR, HOUR)), NOW);
    service.trouble = { unreadable: service.records.map(({ start }) => start) };
    await assert.rejects(service.newest(), { code: "ENERGY_RESPONSE" });
    await assert.rejects(service.history(around(NOW - DAY, DAY)), { code: "ENERGY_RESPONSE" });
  });

  it("lists for history what is left, which can be read later", async () => {
    const service = new ModelService(fiveMinutes(TWO_DAYS), NOW);
    const poison = [AN_HOUR, around(NOW - 5 * HOUR, 5 * MINUTE)];
    service.trouble = { poison };
    const { run, sent } = await service.history(TWO_DAYS);
    const { windows = [] } = run.remaining() ?? {};
    assert.equal(windows.length, 2);
    service.trouble = {};
    const all = [...sent];
    for (const { startTime, endTime } of windows) {
      const rest = await service.history({ start: Date.parse(startTime), end: Date.parse(endTime) });
      all.push(...rest.sent);
    }
    judge(service, { sent: all, missing: [] }, TWO_DAYS);
  });

  it("delivers all other records in eight short lives beside a window that fails", async () => {
    const start = NOW - 8 * HOUR;
    const poison = [around(start + 40 * MINUTE, 5 * MINUTE)];
    const service = new ModelService(fiveMinutes(around(start, 8 * HOUR)), start);
    service.trouble = { poison };
    const ends = splitWindow(around(start, 8 * HOUR), HOUR).map(({ end }) => end);
    const read = await service.lives(start, [start, ...ends]);
    judge(service, read, around(start, 8 * HOUR));
    assert.equal(read.sent.length, 8 * 12 - 1);
  });

  it("reads a day of which only the first moment is refused, and tells of that", async () => {
    const service = new ModelService(fiveMinutes(around(NOW - 3 * DAY, 3 * DAY)), NOW);
    const { start } = TWO_DAYS;
    service.trouble = { poison: [around(start, MINUTE)], status: 400 };
    const { sent, missing } = await service.history(TWO_DAYS);
    assert.deepEqual(
      missing.map((one) => [one.start, one.end]),
      [[start, start + 5 * MINUTE]],
    );
    assert.equal(sent.length, 2 * 288 - 1);
  });

  it("has the first record after months off in the first run and a dozen requests, of a service that keeps a week", async () => {
    for (const status of [400, 404]) {
      const keptFrom = NOW - 7 * DAY - 5 * HOUR;
      const service = new ModelService(fiveMinutes(around(NOW - 8 * DAY, 8 * DAY)), NOW - 90 * DAY);
      await service.lives(service.now, [service.now]);
      service.trouble = { keptFrom, status };
      const before = service.requests;
      const read = await service.lives(NOW - 90 * DAY, [NOW]);
      assert.ok(read.sent.length >= 7 * 288);
      judge(service, read, around(keptFrom, NOW - keptFrom));
      // Seven of them for the week itself, and the others in part to find out where its first day begins.
      assert.ok(service.requests - before <= 40, `${service.requests - before} requests`);
    }
  });

  it("finds the newest record where answers are cut, after however many records", async () => {
    for (const limit of [100, 61, 23]) {
      const service = new ModelService(fiveMinutes(around(NOW - DAY, DAY - HOUR)), NOW);
      service.trouble = { limit };
      assert.equal((await service.newest())?.end, NOW - HOUR);
    }
  });

  it("shows a record that is in progress, and none that begins in the future", async () => {
    const service = new ModelService(fiveMinutes(around(NOW - HOUR, 2 * HOUR)), NOW + MINUTE);
    const reader = new RecordReader(service.source, service.clock, new AbortController().signal);
    for (const { records } of [await reader.readLatest(), await reader.read(around(NOW - HOUR, 2 * HOUR))])
      assert.equal(records.at(-1)?.start, NOW);
  });

  it("asks once for the newest record while there is one in the last minutes, however late", async () => {
    for (const late of [4, 9, 14]) {
      const service = new ModelService(fiveMinutes(around(NOW - DAY, DAY)), NOW + late * MINUTE);
      assert.equal((await service.newest())?.end, NOW);
      assert.equal(service.requests, 1);
    }
  });

  it("requests the newest record of a silent site twice once that is known", async () => {
    const service = new ModelService(fiveMinutes(around(NOW - DAY, DAY - HOUR)), NOW);
    assert.equal((await service.newest(({ end }) => end === NOW - HOUR))?.end, NOW - HOUR);
    assert.equal(service.requests, 2);
  });

  it("requests nothing else where there is no login, which says nothing about a window", async () => {
    const error = new HttpError(errorText("noLogin"), { statusCode: 404 });
    error.isOfAccount = true;
    let requests = 0;
    const source = {
      read() {
        requests += 1;
        return Promise.reject(error);
      },
    };
    const clock = { now: () => NOW, monotonic: () => NOW, isSure: true };
    const reader = new RecordReader(source, clock, new AbortController().signal);
    await assert.rejects(reader.read(around(NOW - 3 * DAY, DAY)), error);
    assert.equal(requests, 1);
  });
});
