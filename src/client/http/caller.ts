// Who makes a request, and how urgent it is compared with the requests of others.

/** Most urgent first: a person or a message waits, a schedule is due, or records of the past are fetched. */
export const PRIORITIES = ["user", "schedule", "backlog"] as const;

export type Priority = (typeof PRIORITIES)[number];

export interface Caller {
  /** Such as the id of a node: callers of the same priority take turns. */
  readonly id: string;
  readonly priority: Priority;
}

/** For requests of which nobody says who makes them. */
export const ANYONE: Caller = { id: "", priority: "user" };

/** The place of a request in the queue, which becomes better when someone more urgent waits for the same response. */
export class Claim {
  #caller: Caller;
  /** Called when the claim is raised, as long as the request waits. */
  onRaised: (() => void) | undefined;

  /** @param site requests of one caller for different sites take turns */
  constructor(
    caller: Caller,
    readonly site = "",
  ) {
    this.#caller = caller;
  }

  get caller(): Caller {
    return this.#caller;
  }

  /** Lets the request wait in the place of another caller, if that one is more urgent. */
  raise(caller: Caller): void {
    if (PRIORITIES.indexOf(caller.priority) >= PRIORITIES.indexOf(this.#caller.priority)) return;
    this.#caller = caller;
    this.onRaised?.();
  }
}
