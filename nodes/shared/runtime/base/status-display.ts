// Shows the statuses of a node: at most five a second, because each one is translated and sent to every open editor.
import type { Node, NodeAPI } from "node-red";
import { systemClock } from "../../../../src/clock";
import { nodeStatus, type StatusText } from "./status";

const MAX_SHOWN = 5;
/** In milliseconds. */
const PERIOD = 1000;

export class StatusDisplay {
  readonly #show: (status: StatusText) => void;
  /** When the last statuses were shown, oldest first, by the monotonic clock. */
  #shownAt: number[] = [];
  /** The status that waits for its turn: only the last one counts. */
  #waiting: StatusText | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(show: (status: StatusText) => void) {
    this.#show = show;
  }

  show(status: StatusText): void {
    if (this.#isClosed) return;
    const isError = status.fill === "red";
    if (!isError && this.#timer) {
      this.#waiting = status;
      return;
    }
    const now = systemClock.monotonic();
    const oldest = this.#shownAt.length < MAX_SHOWN ? undefined : this.#shownAt[0];
    const wait = isError || oldest === undefined ? 0 : oldest + PERIOD - now;
    if (wait <= 0) this.#showNow(status, now);
    else this.#showLater(status, wait);
  }

  /** Shows nothing from now on. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #showNow(status: StatusText, now: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shownAt = [...this.#shownAt, now].slice(-MAX_SHOWN);
    this.#show(status);
  }

  #showLater(status: StatusText, wait: number): void {
    this.#waiting = status;
    this.#timer = setTimeout(() => {
      if (this.#waiting) this.#showNow(this.#waiting, systemClock.monotonic());
    }, wait);
  }
}

const displays = new WeakMap<Node, StatusDisplay>();

/** Shows an error at once, and any other status as soon as fewer than five were shown within a second: the last one in any case. */
export function showStatus(RED: NodeAPI, node: Node, status: StatusText): void {
  displayOf(RED, node).show(status);
}

/** Must be called when a node closes. */
export function closeStatus(RED: NodeAPI, node: Node): void {
  displayOf(RED, node).close();
}

function displayOf(RED: NodeAPI, node: Node): StatusDisplay {
  const display = displays.get(node) ?? new StatusDisplay((status) => node.status(nodeStatus(RED, status)));
  displays.set(node, display);
  return display;
}
