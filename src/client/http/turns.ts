// Members that take turns, each with a key: whoever had a turn goes to the end.
import { Line, type Place } from "./line";

interface Keyed<Member> {
  readonly key: string;
  readonly member: Member;
}

export class Turns<Member> {
  readonly #places = new Map<string, Place<Keyed<Member>>>();
  readonly #line = new Line<Keyed<Member>>();

  get isEmpty(): boolean {
    return this.#line.isEmpty;
  }

  /** Whose turn it is. */
  get first(): Member | undefined {
    return this.#line.first?.member;
  }

  find(key: string): Member | undefined {
    return this.#places.get(key)?.value.member;
  }

  /** The member with a key; a new one goes to the end. */
  member(key: string, create: () => Member): Member {
    const known = this.find(key);
    if (known) return known;
    const member = create();
    this.#places.set(key, this.#line.add({ key, member }));
    return member;
  }

  delete(key: string): void {
    const place = this.#places.get(key);
    if (!place) return;
    this.#places.delete(key);
    this.#line.remove(place);
  }

  /** @param goesOn whether the first member takes part in further turns */
  endTurn(goesOn: boolean): void {
    const keyed = this.#line.take();
    if (!keyed) return;
    if (goesOn) this.#places.set(keyed.key, this.#line.add(keyed));
    else this.#places.delete(keyed.key);
  }
}
