// Holes between delivered records: they are asked for again until they are filled or too old.
import { LONGEST_WINDOW, splitWindow, type TimeWindow } from "./window";
import { HOUR } from "../time-units";

/** A hole; all in milliseconds. */
export interface Gap extends TimeWindow {
  /** Start of the delivered record that it follows: with a later end, that one comes again. */
  follows?: number | undefined;
  /** When it was noticed. */
  noticed: number;
  /** When a run by the clock asks for it again, and after which pause. */
  nextAsk: number;
  pause: number;
}

const LONGEST_PAUSE = HOUR;
const MOST_REQUESTS = 4;
/** What lies between gaps and is delivered already is read again rather than to ask twice. */
const CLOSE = HOUR;

/** A hole as gaps of at most 24 hours: each is asked for by itself, by the clock first after `firstPause` milliseconds. */
export function noticeHole(hole: TimeWindow, now: number, firstPause: number, follows?: number): Gap[] {
  const pause = Math.min(firstPause, LONGEST_PAUSE);
  return splitWindow(hole).map((part) => ({
    ...part,
    ...(part.start === hole.start && follows !== undefined ? { follows } : {}),
    noticed: now,
    nextAsk: now + pause,
    pause,
  }));
}

/** Gaps that are still asked for: those noticed no longer ago than `horizon` milliseconds. */
export function openGaps(gaps: readonly Gap[], now: number, horizon: number): Gap[] {
  return gaps.filter(({ noticed }) => now - noticed < horizon);
}

/** What to ask for in one run, and the gaps that this asks for. */
export interface GapRequests {
  windows: TimeWindow[];
  gaps: Gap[];
}

/**
 * All gaps in a run that a message triggers; by the clock those whose pause is over, longest waiting first, and never
 * more than a few requests a run: the others have their turn in the next one.
 */
export function gapRequests(gaps: readonly Gap[], now: number, isTriggered: boolean): GapRequests {
  if (isTriggered) return { windows: gapWindows(gaps), gaps: [...gaps] };
  const due = gaps.filter(({ nextAsk }) => now >= nextAsk).toSorted((a, b) => a.nextAsk - b.nextAsk);
  const asked: Gap[] = [];
  for (const gap of due) {
    if (gapWindows([...asked, gap]).length <= MOST_REQUESTS) asked.push(gap);
  }
  return { windows: gapWindows(asked), gaps: asked };
}

/** After an answer: the pause of what was asked for grows, up to an hour. */
export function askedGaps(gaps: readonly Gap[], asked: readonly Gap[], now: number): Gap[] {
  return gaps.map((gap) => {
    if (!asked.some((one) => covers(one, gap))) return gap;
    const pause = Math.min(gap.pause * 2, LONGEST_PAUSE);
    return { ...gap, nextAsk: now + pause, pause };
  });
}

/** Windows of at most 24 hours that hold all gaps: close neighbours share a request. */
function gapWindows(gaps: readonly Gap[]): TimeWindow[] {
  const windows: TimeWindow[] = [];
  for (const gap of gaps.toSorted((a, b) => a.start - b.start)) {
    for (let { start } = gap; start < gap.end;) {
      const last = windows.at(-1);
      if (last && start - last.end <= CLOSE && start < last.start + LONGEST_WINDOW) {
        last.end = Math.max(last.end, Math.min(gap.end, last.start + LONGEST_WINDOW));
        start = last.end;
      } else {
        windows.push({ start, end: start });
      }
    }
  }
  return windows;
}

/** What is left of the gaps once the interval of a record is filled. */
export function fillGap(gaps: readonly Gap[], filled: TimeWindow): Gap[] {
  return gaps.flatMap((gap) => {
    if (filled.end <= gap.start || filled.start >= gap.end) return [gap];
    const before = { ...gap, end: filled.start };
    const after = { ...gap, start: filled.end, follows: filled.start };
    return [before, after].filter(({ start, end }) => start < end);
  });
}

/** Whether a window lies in a gap as a whole. */
function covers(gap: TimeWindow, window: TimeWindow): boolean {
  return gap.start <= window.start && window.end <= gap.end;
}
