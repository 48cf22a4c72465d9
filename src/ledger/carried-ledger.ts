// The ledger as it travels in messages: its stored form with the name of its series, checked when it comes back.
import { InputError } from "../errors";
import { MAX_LEDGER_CHARACTERS } from "../limits";
import { isServiceObject } from "../models/service-object";
import { AHEAD, cursorTime, type Ledger } from "./ledger";
import { readLedger, type StoredLedger, storedLedger } from "./stored-ledger";
import type { TimeWindow } from "./window";

/** Plain JSON, about 200 characters as a rule. Pass it on unchanged. */
export interface CarriedLedger extends StoredLedger {
  /** The series that it belongs to: `siteId/systemId/source`, each part percent-encoded. */
  series: string;
  /** When the last complete run ended, in milliseconds; absent before the end of a run. */
  completed?: number;
}

/** No record is older or newer: longer gaps would cost more than any record in them. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

export function carriedLedger(ledger: Ledger, series: string): CarriedLedger {
  const { completed } = ledger;
  return { series, ...storedLedger(ledger), ...(completed !== undefined && { completed }) };
}

/**
 * The ledger of a series that came with a message. Throws InputError for anything else.
 * @param carried plain data
 */
export function readCarriedLedger(carried: unknown, series: string): Ledger {
  if (!isServiceObject(carried)) throw new InputError("ledgerUnreadable");
  if (JSON.stringify(carried).length > MAX_LEDGER_CHARACTERS) throw new InputError("ledgerUnreadable");
  const ledger = readLedger(carried);
  const { series: given, completed } = carried;
  if (!ledger || !isPlausible(ledger) || typeof given !== "string") throw new InputError("ledgerUnreadable");
  if (given !== series) throw new InputError("ledgerSeries", { given, series });
  return typeof completed === "number" ? { ...ledger, completed } : ledger;
}

/** Throws InputError for a ledger that is ahead of the clock: what it skips would be lost. */
export function rejectAhead(ledger: Ledger, now: number): void {
  if (isAhead(ledger, now)) throw new InputError("ledgerAhead", { time: ledger.cursor });
}

/** Whether the position lies in the future. */
export function isAhead(ledger: Ledger, now: number): boolean {
  return cursorTime(ledger) > now + AHEAD;
}

/** Whether the intervals are such as an engine notes them: others could cost any number of requests. */
function isPlausible(ledger: Ledger): boolean {
  const { delivered, gaps, knownFrom } = ledger;
  const cursor = cursorTime(ledger);
  const intervals: TimeWindow[] = [...gaps, ...delivered.map(([start, end]) => ({ start, end }))];
  const isInterval = ({ start, end }: TimeWindow): boolean =>
    start >= EARLIEST && start < end && end <= LATEST;
  const missing = gaps.reduce((sum, { start, end }) => sum + end - start, 0);
  const isKnown = cursor >= EARLIEST && knownFrom >= EARLIEST && knownFrom <= cursor;
  return isKnown && intervals.every(isInterval) && missing <= LATEST - EARLIEST;
}
