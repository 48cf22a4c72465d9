// Shares what may be read ahead among the history runs of a process, because they share its memory.

/** Windows of one run that are in flight or wait to be sent: a few days of records in memory at most. */
const MOST = 4;
/** Of several runs together, as long as that leaves each its least. */
const TOTAL = 8;
/** One is in flight while the other is sent, however many runs there are. */
const LEAST = 2;

export class Lookahead {
  #runs = 0;

  /** @param read gets how many windows it may read ahead, which changes as other runs begin and end */
  async during<T>(read: (ahead: () => number) => Promise<T>): Promise<T> {
    this.#runs += 1;
    try {
      return await read(() => this.#share);
    } finally {
      this.#runs -= 1;
    }
  }

  get #share(): number {
    return Math.min(MOST, Math.max(LEAST, Math.floor(TOTAL / this.#runs)));
  }
}

export const lookahead = new Lookahead();
