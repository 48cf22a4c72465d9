// Which records of a response are due, and in what phase.
import { createHash } from "node:crypto";
import { isFresh, type RecordPhase } from "../decisions/freshness";
import { isServiceObject } from "../models/service-object";
import type { TimedRecord } from "../models/telemetry";
import { type DueRecord, dueRecord } from "./due-record";
import {
  cursorText,
  cursorTime,
  type Delivered,
  FINGERPRINT_LENGTH,
  type Ledger,
  type LedgerRule,
} from "./ledger";
import { isInWindow, type TimeWindow } from "./window";

/**
 * The records of a response that are due. A record that ends in the future waits. A delivered record is due again, as
 * `revised`, if its end moved later or, within the look-back, its values changed. One that was missed is due as `late`.
 */
export function dueRecords(
  ledger: Ledger,
  response: readonly TimedRecord[],
  { window, now, rule }: { window: TimeWindow; now: number; rule: LedgerRule },
): DueRecord[] {
  const delivered = new Map(ledger.delivered.map((entry) => [entry[0], entry]));
  const due: DueRecord[] = [];
  let { cursor } = ledger;
  let newestEnd = cursorTime(ledger);
  for (const timed of response) {
    if (timed.end > now || !isInWindow(timed, window)) continue;
    const phase = phaseOf(timed, { ledger, known: delivered.get(timed.start), newestEnd, now, rule });
    if (!phase) continue;
    if (timed.end > newestEnd) {
      newestEnd = timed.end;
      cursor = cursorText(timed);
    }
    due.push(dueRecord(timed, phase, cursor, rule.lookBack > 0 ? fingerprintOf(timed) : undefined));
  }
  return due;
}

interface PhaseContext {
  ledger: Ledger;
  known: Delivered | undefined;
  newestEnd: number;
  now: number;
  rule: LedgerRule;
}

function phaseOf(
  timed: TimedRecord,
  { ledger, known, newestEnd, now, rule }: PhaseContext,
): RecordPhase | undefined {
  if (known) {
    const [, end, fingerprint] = known;
    const isChanged = rule.lookBack > 0 && fingerprint !== undefined && fingerprint !== fingerprintOf(timed);
    return timed.end > end || (isChanged && timed.end === end) ? "revised" : undefined;
  }
  if (ledger.gaps.some((gap) => gap.follows === timed.start && timed.end > gap.start)) return "revised";
  if (timed.end > newestEnd) return isFresh(timed.end, now, rule.maxAgeMinutes) ? "live" : "catchup";
  const isOwed = timed.start >= ledger.knownFrom || ledger.gaps.some((gap) => isInWindow(timed, gap));
  return isOwed ? "late" : undefined;
}

/**
 * A short hash that shows whether a record has changed. It ignores the times, which are compared separately, and the order
 * of fields.
 */
function fingerprintOf({ record }: TimedRecord): string {
  const { startTime: _start, endTime: _end, ...content } = record;
  return createHash("sha1")
    .update(JSON.stringify(content, sorted))
    .digest("base64url")
    .slice(0, FINGERPRINT_LENGTH);
}

function sorted(_name: string, value: unknown): unknown {
  if (!isServiceObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
