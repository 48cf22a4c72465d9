// Tests for reading while the service fails for all sites: of a series, only the present is requested until that has an answer.
import assert from "node:assert/strict";
import { errorText, NetworkError, ServiceDownError } from "../../src/errors";
import type { RecordAnswer } from "../../src/models/responses";
import { RecordReader } from "../../src/reading/record-reader";
import { HOUR, type TimeWindow } from "../../src/time-units";

const NOW = Date.UTC(2026, 5, 11);
const WINDOW = { start: NOW - 12 * HOUR, end: NOW };
const EMPTY: RecordAnswer = { records: [], unreadable: [] };

describe("reading a window that is refused because the service fails for all", () => {
  /** The lengths of the windows requested. */
  let requested: number[];
  beforeEach(() => (requested = []));

  /** @param refusals how often the window is refused before it is answered */
  function readerOf(present: RecordAnswer, refusals: number, maxRequests?: number): RecordReader {
    const read = ({ start, end }: TimeWindow): Promise<RecordAnswer> => {
      requested.push(end - start);
      if (end - start < HOUR) return Promise.resolve(present);
      const isRefused = requested.filter((length) => length >= HOUR).length <= refusals;
      const down = new ServiceDownError(new NetworkError("noAnswer", { seconds: 1 }), 5);
      return isRefused ? Promise.reject(down) : Promise.resolve(EMPTY);
    };
    const clock = { now: () => NOW, monotonic: () => NOW, isSure: true };
    return new RecordReader({ read }, clock, new AbortController().signal, maxRequests);
  }

  it("goes on once the present has an answer, whether or not that can be read", async () => {
    const unreadable = [{ fault: errorText("answerNotUnpacked"), id: "1" }];
    for (const present of [EMPTY, { records: [], unreadable }]) {
      requested = [];
      assert.deepEqual(await readerOf(present, 1).request(WINDOW), EMPTY);
      assert.equal(requested.length, 3);
    }
  });

  it("takes the answer of the present that ends the outage for one in time, if the window then fails by itself", async () => {
    const read = ({ start, end }: TimeWindow): Promise<RecordAnswer> => {
      requested.push(end - start);
      if (end - start < HOUR) return Promise.resolve(EMPTY);
      const failure = new NetworkError("noAnswer", { seconds: 1 });
      return Promise.reject(requested.length === 1 ? new ServiceDownError(failure, 5) : failure);
    };
    const clock = { now: () => NOW, monotonic: () => NOW, isSure: true };
    const reader = new RecordReader({ read }, clock, new AbortController().signal);
    await reader.readGap(WINDOW, true);
    assert.equal(requested.length, 3);
  });

  it("ends after so many requests", async () => {
    const reader = readerOf(EMPTY, Number.POSITIVE_INFINITY, 10);
    await assert.rejects(reader.request(WINDOW), ServiceDownError);
    assert.ok(requested.length <= 20, `${requested.length} requests`);
  });
});
