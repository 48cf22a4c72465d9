// The requests of an account that wait for their turn: in a fair queue, or ahead of it.
import type { Claim } from "./caller";
import { FairQueue, type Waiting } from "./fair-queue";
import { Line } from "./line";

/** A request that waits. */
export interface WaitingRequest {
  readonly claim: Claim;
  /** Needs no slot. */
  readonly isUrgent: boolean;
  /** Whether it holds a slot. */
  hasSlot: boolean;
  /** Takes it out of its line; absent while it is in none. */
  leave?: (() => void) | undefined;
}

export class WaitingRequests<Request extends WaitingRequest> {
  readonly #queue = new FairQueue<Request>();
  /** Ahead of the queue: urgent requests, and those that have had a turn. */
  readonly #urgent = new Line<Request>();
  readonly #ready = new Line<Request>();

  get isAnyUrgent(): boolean {
    return !this.#urgent.isEmpty;
  }

  /** Whether any request waits that needs no slot, holds one, or could have one. */
  isAnyNext(isSlotFree: boolean): boolean {
    return (isSlotFree && this.#queue.size > 0) || !this.#ready.isEmpty || !this.#urgent.isEmpty;
  }

  add(request: Request): void {
    if (request.isUrgent) return addTo(this.#urgent, request);
    if (request.hasSlot) return addTo(this.#ready, request);
    const { claim } = request;
    let place: Waiting<Request>;
    const enter = (): void => void (place = this.#queue.add(request, claim.caller, claim.site));
    enter();
    request.leave = () => {
      claim.onRaised = undefined;
      this.#queue.remove(place);
    };
    claim.onRaised = () => {
      this.#queue.remove(place);
      enter();
    };
  }

  /** Removes and returns the request whose turn it is. */
  take(): Request | undefined {
    const request = this.#urgent.take() ?? this.#ready.take() ?? this.#queue.take();
    if (!request) return undefined;
    request.leave = undefined;
    request.claim.onRaised = undefined;
    return request;
  }
}

function addTo<Request extends WaitingRequest>(line: Line<Request>, request: Request): void {
  const place = line.add(request);
  request.leave = () => line.remove(place);
}
