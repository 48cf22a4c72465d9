// Finds out in a few requests where the records of a series begin, when the start lies further back than the service keeps.
import { MAX_WINDOW, type TimeWindow } from "../ledger/window";
import { MINUTE } from "../time-units";

/** Records typically take this long. */
const STEP = 5 * MINUTE;

/** A start this close is read day by day. */
const NEAR = 7 * MAX_WINDOW;

/**
 * Resolves to a time before which no records were found, or to `start` if there are some: about two requests for each
 * doubling of the number of days, and nine for the day on which they begin. Days that it does not look at may have records.
 * @param hasRecords asks for a window of 24 hours
 */
export async function firstRecordTime(
  start: number,
  now: number,
  hasRecords: (window: TimeWindow) => Promise<boolean>,
): Promise<number> {
  if (now - start <= NEAR) return start;
  const days = Math.ceil((now - start) / MAX_WINDOW);
  const hasDay = (day: number): Promise<boolean> => {
    const from = start + day * MAX_WINDOW;
    return hasRecords({ start: from, end: from + MAX_WINDOW });
  };
  if (await hasDay(0)) return start;
  let empty = 0;
  // From far to near, so that a break in recent days does not hide older records.
  let found = Math.ceil(days / 2);
  while (found < days - 1 && !(await hasDay(found))) {
    empty = found;
    found += Math.ceil((days - found) / 2);
  }
  while (found - empty > 1) {
    const middle = Math.floor((empty + found) / 2);
    if (await hasDay(middle)) found = middle;
    else empty = middle;
  }
  const day = start + found * MAX_WINDOW;
  return earliest(day - MAX_WINDOW, day, hasRecords);
}

/** A service may refuse a day of which it keeps only the end: how far before `known` does it answer? */
async function earliest(
  from: number,
  known: number,
  hasRecords: (window: TimeWindow) => Promise<boolean>,
): Promise<number> {
  let [refused, answered] = [from, known];
  while (answered - refused > STEP) {
    const middle = Math.round((refused + answered) / 2);
    if (await hasRecords({ start: middle, end: known })) answered = middle;
    else refused = middle;
  }
  return answered;
}
