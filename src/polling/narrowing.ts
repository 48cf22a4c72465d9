// Narrows down a window that fails by itself: halves it until what fails is short, and reads the rest.
import type { TimeWindow } from "../ledger/window";
import type { RecordAnswer } from "../models/timed-record";
import { MINUTE } from "../time-units";

/** A window this short is not halved: records typically take that long. */
const MIN_WINDOW = 5 * MINUTE;

export interface Narrowed {
  answers: RecordAnswer[];
  failing: TimeWindow[];
}

/**
 * @param read resolves to undefined if the window fails
 * @param budget requests that may be sent; what remains then fails as a whole
 */
export async function narrow(
  window: TimeWindow,
  read: (part: TimeWindow) => Promise<RecordAnswer | undefined>,
  budget: { requests: number },
): Promise<Narrowed> {
  const { start, end } = window;
  if (end - start <= MIN_WINDOW || budget.requests < 2) return { answers: [], failing: [window] };
  const middle = Math.round((start + end) / 2 / MINUTE) * MINUTE;
  const narrowed: Narrowed = { answers: [], failing: [] };
  for (const half of [
    { start, end: middle },
    { start: middle, end },
  ]) {
    budget.requests -= 1;
    const answer = await read(half);
    const { answers, failing } = answer
      ? { answers: [answer], failing: [] }
      : await narrow(half, read, budget);
    narrowed.answers.push(...answers);
    for (const part of failing) addTo(narrowed.failing, part);
  }
  return narrowed;
}

/** Parts that touch are one. */
function addTo(failing: TimeWindow[], { start, end }: TimeWindow): void {
  const last = failing.at(-1);
  if (last?.end === start) last.end = end;
  else failing.push({ start, end });
}
