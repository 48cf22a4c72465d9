// Measures how long code takes in CPU time, which other processes of a busy machine do not lengthen.

/** Milliseconds of work that does not wait. */
export function cpuTime(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Measures the longest time, in milliseconds of work, in which nothing else could run, until `stop` is called. */
export class TurnWatch {
  #longest = 0;
  #last = process.cpuUsage();
  readonly #timer = setInterval(() => this.#look(), 1);

  /** Since the last call. */
  longest(): number {
    this.#look();
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { user, system } = process.cpuUsage();
    this.#longest = Math.max(this.#longest, (user + system - this.#last.user - this.#last.system) / 1000);
    this.#last = { user, system };
  }
}
