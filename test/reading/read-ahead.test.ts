// Tests for reading ahead: windows in order, no more in flight than allowed, failures in turn and never unhandled.
import assert from "node:assert/strict";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { systemClock } from "../../src/clock";
import { HttpError, errorText } from "../../src/errors";
import type { RecordAnswer } from "../../src/models/responses";
import { readAhead } from "../../src/reading/read-ahead";
import { RecordReader } from "../../src/reading/record-reader";
import type { WindowRecords } from "../../src/reading/window-records";
import { DAY, type TimeWindow } from "../../src/time-units";

const EMPTY: RecordAnswer = { records: [], unreadable: [] };

/** Requests for days, from day 0 on, that end when the test ends them. */
class Requests {
  readonly started: number[] = [];
  readonly #ends = new Map<
    number,
    { resolve: (value: RecordAnswer) => void; reject: (error: Error) => void }
  >();
  readonly reader = new RecordReader(
    {
      read: ({ start }) => {
        this.started.push(start / DAY);
        return new Promise((resolve, reject) => this.#ends.set(start / DAY, { resolve, reject }));
      },
    },
    systemClock,
    new AbortController().signal,
  );

  end(day: number): void {
    this.#ends.get(day)?.resolve(EMPTY);
  }

  fail(day: number): void {
    this.#ends.get(day)?.reject(new Error(`failure ${day}`));
  }
}

function days(count: number): TimeWindow[] {
  return Array.from({ length: count }, (_none, day) => ({ start: day * DAY, end: (day + 1) * DAY }));
}

function dayOf({ value }: IteratorResult<WindowRecords, void>): number | undefined {
  return value ? value.window.start / DAY : undefined;
}

describe("reading ahead", () => {
  let requests: Requests;

  beforeEach(() => {
    requests = new Requests();
  });

  it("returns windows in order, whichever is answered first", async () => {
    const reading = readAhead(requests.reader, days(3), true);
    const first = reading.next();
    for (const day of [2, 1, 0]) requests.end(day);
    assert.deepEqual(
      [await first, await reading.next(), await reading.next(), await reading.next()].map(dayOf),
      [0, 1, 2, undefined],
    );
  });

  it("requests the next one, and no more, while one is used, where it does not read far", async () => {
    const reading = readAhead(requests.reader, days(4), false);
    const first = reading.next();
    assert.deepEqual(requests.started, [0]);
    requests.end(0);
    await first;
    await eventLoopTurn();
    assert.deepEqual(requests.started, [0, 1]);
    const second = reading.next();
    requests.end(1);
    await second;
    assert.deepEqual(requests.started, [0, 1, 2]);
    await reading.return();
  });

  it("returns what precedes a failure, and leaves no other failure unhandled", async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listen);
    const reading = readAhead(requests.reader, days(4), true);
    const first = reading.next();
    requests.fail(2);
    requests.fail(1);
    await eventLoopTurn();
    requests.end(0);
    assert.equal(dayOf(await first), 0);
    await assert.rejects(reading.next(), /failure 1/);
    await eventLoopTurn();
    process.off("unhandledRejection", listen);
    assert.deepEqual(unhandled, []);
  });

  it("reads nothing for an empty list", async () => {
    assert.equal((await readAhead(requests.reader, [], true).next()).done, true);
  });

  describe("where a service keeps only the last days and refuses older ones", () => {
    const REFUSED = new HttpError(errorText("refused", { what: "Telemetry", status: 404 }), {
      statusCode: 404,
    });

    /** What is read of so many days before now, of which the service keeps the last ones. */
    async function readOf(
      count: number,
      kept: number,
      postpone?: (window: TimeWindow) => void,
    ): Promise<{ responses: WindowRecords[]; asked: number[]; now: number }> {
      const now = 100 * DAY;
      const asked: number[] = [];
      let requested = 0;
      const reader = new RecordReader(
        {
          read: ({ start }) => {
            requested += 1;
            return start < now - kept ? Promise.reject(REFUSED) : Promise.resolve(EMPTY);
          },
        },
        { ...systemClock, now: () => now, monotonic: () => 0 },
        new AbortController().signal,
      );
      const windows = days(count).map(({ start, end }) => {
        return { start: now - count * DAY + start, end: now - count * DAY + end };
      });
      const responses: WindowRecords[] = [];
      for await (const response of readAhead(reader, windows, false, postpone)) {
        responses.push(response);
        asked.push(requested);
      }
      return { responses, asked, now };
    }

    it("finds the first day that is answered in a dozen requests, and requests each later one once", async () => {
      const postponed: TimeWindow[] = [];
      const { responses, asked, now } = await readOf(60, 7.4 * DAY, (window) => void postponed.push(window));
      assert.deepEqual(
        responses.map(({ window, missing }) => [window.start, missing.length]),
        [[now - 60 * DAY, 1], ...[7, 6, 5, 4, 3, 2, 1].map((day) => [now - day * DAY, 0])],
      );
      assert.ok((asked[0] ?? 99) <= 13, `${asked[0]} requests`);
      assert.equal((asked.at(-1) ?? 0) - (asked[0] ?? 0), 6);
      assert.deepEqual(postponed, [{ start: now - 8 * DAY, end: now - 7 * DAY }]);
    });

    it("finds the first moment of the day, where that is not postponed", async () => {
      const { responses, now } = await readOf(60, 7.4 * DAY);
      const [first] = responses;
      assert.equal(first?.missing.length, 1);
      const { start = 0, end = 0 } = first?.missing[0] ?? {};
      assert.equal(start, now - 60 * DAY);
      assert.ok(end >= now - 7.4 * DAY && end - (now - 7.4 * DAY) <= DAY / 288);
    });

    it("does the same where a part of the first day is kept", async () => {
      const { responses, asked, now } = await readOf(8, 7.4 * DAY);
      assert.ok((asked[0] ?? 99) <= 16, `${asked[0]} requests`);
      assert.ok((responses[0]?.missing[0]?.end ?? 0) - (now - 7.4 * DAY) <= DAY / 288);
    });
  });
});
