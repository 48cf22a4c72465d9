// What was told of a series that could not be read: each record and each interval once.
import { Reported } from "../bounded-map";
import { isInWindow, type TimeWindow } from "../ledger/window";
import type { UnreadableItem } from "../models/responses";
import { HOUR } from "../time-units";

/** Intervals that are remembered. */
const MAX_WINDOWS = 100;
/** An interval may end elsewhere when it is requested again: with the records around it. */
const TOLERANCE = HOUR;

export class Told {
  readonly #items = new Reported();
  #windows: TimeWindow[] = [];

  /** Those that are new. From then on, they are not. */
  newItems(items: readonly UnreadableItem[]): readonly UnreadableItem[] {
    return items.length === 0 ? items : items.filter(({ id }) => this.#items.isNew(id));
  }

  /** Those that are new. From then on, they are not. */
  newWindows<Window extends TimeWindow>(windows: readonly Window[]): readonly Window[] {
    const isKnown = (window: TimeWindow): boolean =>
      this.#windows.some(
        (one) =>
          isInWindow(one, window) &&
          one.start - TOLERANCE <= window.start &&
          window.end <= one.end + TOLERANCE,
      );
    const added = windows.filter((window) => !isKnown(window));
    if (added.length > 0) this.#windows = [...this.#windows, ...added].slice(-MAX_WINDOWS);
    return added;
  }
}
