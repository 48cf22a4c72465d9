// A waiting line from which anything can step out at any time, in the same short time however long the line is.

/** A place in a line. */
export interface Place<T> {
  readonly value: T;
  before: Place<T> | undefined;
  behind: Place<T> | undefined;
}

export class Line<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  /** Adds a value at the end. Returns its place, for `remove`. */
  add(value: T): Place<T> {
    const place: Place<T> = { value, before: this.#last, behind: undefined };
    if (this.#last) this.#last.behind = place;
    else this.#first = place;
    this.#last = place;
    return place;
  }

  /** Removes what is in a place, once. */
  remove({ before, behind }: Place<T>): void {
    if (before) before.behind = behind;
    else this.#first = behind;
    if (behind) behind.before = before;
    else this.#last = before;
  }

  /** Removes and returns the first value. */
  take(): T | undefined {
    const place = this.#first;
    if (place) this.remove(place);
    return place?.value;
  }
}
