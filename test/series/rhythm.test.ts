// Tests for the rhythm of a series, and how long its records may be acted on: no false edge, and silence in time.
import assert from "node:assert/strict";
import { validFor } from "../../src/decisions/freshness";
import {
  afterRead,
  intervalOf,
  latenessOf,
  NEW_RHYTHM,
  type Reader,
  type Rhythm,
  RHYTHM_FORM,
  Rhythms,
} from "../../src/series/rhythm";
import { DAY, HOUR, MINUTE } from "../../src/time-units";
import { GroupDouble } from "../support/group-double";

const MIDNIGHT = Date.UTC(2026, 5, 10);
const SCHEDULED = { id: "poll", repeat: 5 * MINUTE };
const BY_MESSAGE = { id: "value", repeat: 0 };

/** A service whose records are readable some time after their end. */
interface World {
  length: number;
  lag: (end: number) => number;
  /** Whether the site has a record that ends then. */
  has?: (end: number) => boolean;
}

/** Longer than any silence here. */
const WINDOW = 4 * HOUR;

/** The records that a read of such a window finds. */
function readable({ length, lag, has = () => true }: World, now: number): { start: number; end: number }[] {
  const records = [];
  for (let end = Math.ceil((now - WINDOW) / length) * length; end <= now; end += length)
    if (has(end) && end + lag(end) <= now) records.push({ start: end - length, end });
  return records;
}

function read(known: Rhythm, world: World, now: number, reader: Reader): Rhythm {
  return afterRead(
    known,
    { window: { start: now - WINDOW, end: now }, records: readable(world, now) },
    now,
    reader,
  );
}

/** Milliseconds after the end of a record. */
function validity(rhythm: Rhythm, reader: Reader, length: number): number {
  return validFor(undefined, rhythm, reader)({ start: 0, end: length });
}

describe("how long a record is valid", () => {
  for (const length of [1, 5, 15, 30, 60])
    for (const repeat of [1, 5, 10, 30])
      for (const isScheduled of [true, false])
        it(`covers the time to the next: ${length} min long, read every ${repeat} min${isScheduled ? "" : " by messages"}`, () => {
          for (const minutes of [0, 3, 9, 14, 20]) {
            const reader = isScheduled ? { id: "a", repeat: repeat * MINUTE } : BY_MESSAGE;
            const world = { length: length * MINUTE, lag: () => minutes * MINUTE };
            let rhythm = NEW_RHYTHM;
            let validUntil = Number.POSITIVE_INFINITY;
            const end = MIDNIGHT + Math.max(2 * HOUR, 24 * world.length);
            // Not in step with the records.
            for (let now = MIDNIGHT + 17_000; now < end; now += repeat * MINUTE) {
              rhythm = read(rhythm, world, now, reader);
              const { newestEnd = 0 } = rhythm;
              // Of messages, the first three tell how often they come.
              const isKnown = isScheduled || now > MIDNIGHT + 3 * repeat * MINUTE;
              if (isKnown) assert.ok(now <= validUntil, `lag ${minutes}: ${(now - MIDNIGHT) / MINUTE}`);
              validUntil = newestEnd + validity(rhythm, reader, world.length);
              assert.ok(now <= validUntil);
            }
            const most = length + minutes + Math.min(length, repeat) + 2 * repeat;
            const valid = validity(rhythm, reader, world.length) / MINUTE;
            assert.ok(valid <= Math.min(180, Math.max(15, most)), `lag ${minutes}: ${valid}`);
          }
        });

  it("is the set maximum age, whatever the rhythm", () => {
    assert.equal(validFor(7.5, NEW_RHYTHM, SCHEDULED)({ start: 0, end: HOUR }), 7.5 * MINUTE);
  });

  it("is at least 15 minutes, and at most 3 hours", () => {
    assert.equal(validity(NEW_RHYTHM, { id: "a", repeat: MINUTE }, MINUTE), 15 * MINUTE);
    assert.equal(validity(NEW_RHYTHM, SCHEDULED, DAY), 3 * HOUR);
  });
});

describe("the rhythm of a series", () => {
  const steady = { length: 5 * MINUTE, lag: () => 2 * MINUTE };
  let rhythm: Rhythm;
  let now: number;

  beforeEach(() => {
    rhythm = NEW_RHYTHM;
    now = MIDNIGHT + MINUTE;
  });

  function readFor(duration: number, world: World, reader: Reader = SCHEDULED): void {
    for (const end = now + duration; now < end; now += reader.repeat || 5 * MINUTE)
      rhythm = read(rhythm, world, now, reader);
  }
  const minutes = (reader: Reader = SCHEDULED): number => validity(rhythm, reader, 5 * MINUTE) / MINUTE;

  it("takes the first record for a late one up to 20 minutes, and beyond that for an old one", () => {
    readFor(1, { ...steady, lag: () => 17 * MINUTE });
    assert.deepEqual(
      rhythm.lags,
      [21 * MINUTE - 4 * MINUTE - 0].map(() => rhythm.lags[0] ?? Number.NaN),
    );
    assert.ok((rhythm.lags[0] ?? 0) >= 17 * MINUTE);
    rhythm = NEW_RHYTHM;
    readFor(1, { ...steady, has: (end) => end < MIDNIGHT - 2 * HOUR });
    assert.deepEqual(rhythm.lags, [20 * MINUTE]);
  });

  it("learns that records come later, and after a dozen that they come in time again", () => {
    readFor(2 * HOUR, steady);
    const before = minutes();
    readFor(2 * HOUR, { ...steady, lag: () => 14 * MINUTE });
    assert.ok(minutes() >= 5 + 14 + 10);
    readFor(80 * MINUTE, steady);
    assert.equal(minutes(), before);
  });

  it("learns that records are longer, and after a dozen that they are short again", () => {
    readFor(2 * HOUR, { ...steady, length: 30 * MINUTE });
    assert.ok(minutes() >= 30 + 10);
    readFor(3 * HOUR, steady);
    assert.ok(minutes() < 25);
  });

  it("learns nothing of lateness from records that come together after a silence", () => {
    readFor(2 * HOUR, steady);
    const before = minutes();
    const from = now;
    const isSilent = (end: number): boolean => end > from && end <= from + 2 * HOUR;
    readFor(2 * HOUR, { ...steady, has: (end) => !isSilent(end) });
    // The older ones first.
    readFor(1, { ...steady, has: (end) => end <= from + HOUR });
    assert.ok((rhythm.newestEnd ?? 0) > from);
    assert.equal(minutes(), before);
  });

  it("learns nothing of lateness while no one reads", () => {
    readFor(2 * HOUR, steady);
    const before = minutes();
    now += 3 * HOUR;
    readFor(1, { ...steady, has: (end) => end < now - 50 * MINUTE });
    assert.equal(minutes(), before);
  });

  it("learns nothing from windows of the past", () => {
    readFor(HOUR, steady);
    const past = { window: { start: now - 2 * DAY, end: now - DAY }, records: [] };
    assert.equal(afterRead(rhythm, past, now, SCHEDULED), rhythm);
  });

  it("learns nothing from records that begin in the future", () => {
    const window = { start: MIDNIGHT - HOUR, end: MIDNIGHT + HOUR };
    const records = [{ start: MIDNIGHT + MINUTE, end: MIDNIGHT + 6 * MINUTE }];
    assert.equal(afterRead(NEW_RHYTHM, { window, records }, MIDNIGHT, SCHEDULED), NEW_RHYTHM);
  });

  it("takes the interval between messages as what it was twice of three times", () => {
    for (const pause of [10, 10, 300, 10, 0.1]) {
      now += pause * MINUTE;
      rhythm = read(rhythm, steady, now, BY_MESSAGE);
    }
    assert.equal(intervalOf(rhythm, BY_MESSAGE), 10 * MINUTE);
    assert.equal(intervalOf(rhythm, { id: "another", repeat: 0 }), 5 * MINUTE);
    assert.equal(intervalOf(rhythm, { id: "another", repeat: 30 * MINUTE }), 30 * MINUTE);
  });

  it("takes no single pause of hours between two messages for their interval", () => {
    for (let count = 0; count < 2; count += 1) {
      rhythm = read(rhythm, steady, now, BY_MESSAGE);
      now += 3 * HOUR;
    }
    assert.equal(intervalOf(rhythm, BY_MESSAGE), 5 * MINUTE);
  });

  it("is remembered across restarts, and written only when something follows from it", async () => {
    const group = new GroupDouble<Rhythm>();
    const rhythms = new Rhythms(group);
    await rhythms.load();
    const series = "site//telemetry";
    for (const end = now + HOUR; now < end; now += 5 * MINUTE)
      rhythms.note(
        series,
        { window: { start: now - WINDOW, end: now }, records: readable(steady, now) },
        now,
        BY_MESSAGE,
      );
    await rhythms.close();
    assert.ok(group.attempts.length < 5, String(group.attempts));
    const stored = [...group.states.values()];
    assert.deepEqual(stored.map(RHYTHM_FORM.read), stored);
    const later = new Rhythms(group);
    await later.load();
    assert.equal(
      validity(later.of(series), BY_MESSAGE, MINUTE),
      validity(rhythms.of(series), BY_MESSAGE, MINUTE),
    );
  });

  it("is written when its account closes, and not afterwards", async () => {
    const group = new GroupDouble<Rhythm>();
    const rhythms = new Rhythms(group);
    const noteAt = (time: number, world: World): void =>
      rhythms.note(
        "site//telemetry",
        { window: { start: time - WINDOW, end: time }, records: readable(world, time) },
        time,
        SCHEDULED,
      );
    noteAt(now, steady);
    assert.equal(group.attempts.length, 0);
    await rhythms.close();
    assert.equal(group.attempts.length, 1);
    noteAt(now + HOUR, { ...steady, length: 30 * MINUTE });
    assert.equal(group.attempts.length + group.waiting.size, 1);
  });

  it("lets no one wait more than two days for a record, however long the last one was", () => {
    const endless = { start: 0, end: now };
    const rhythm = afterRead(
      NEW_RHYTHM,
      { window: { start: now - DAY, end: now }, records: [endless] },
      now,
      SCHEDULED,
    );
    assert.equal(latenessOf(rhythm), 2 * DAY);
  });

  it("is learned for each of many nodes that read one value each, by the same message", () => {
    const readers = Array.from({ length: 40 }, (_none, index) => ({ id: `value-${index}`, repeat: 0 }));
    for (let count = 0; count < 5; count += 1) {
      for (const reader of readers) rhythm = read(rhythm, steady, now, reader);
      now += 15 * MINUTE;
    }
    for (const reader of readers) assert.ok(minutes(reader) >= 5 + 2 + 30, reader.id);
  });

  it("is the same for all nodes of an account", () => {
    const rhythms = new Rhythms();
    const records = readable({ ...steady, length: 30 * MINUTE }, now);
    rhythms.note("site//telemetry", { window: { start: now - WINDOW, end: now }, records }, now, SCHEDULED);
    assert.equal(rhythms.of("site//telemetry").lengths.at(-1), 30 * MINUTE);
    assert.equal(rhythms.of("other//telemetry"), NEW_RHYTHM);
  });
});
