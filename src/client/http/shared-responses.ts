// Makes identical requests that are in flight at the same time once, for all that wait for the response.
import { AbortedError, copyOfError } from "../../errors";
import { onAbort, waitFor } from "../../abort";
import { type Caller, Claim } from "./caller";

/** Who makes a request, and for which site. */
export interface Applicant {
  readonly caller: Caller;
  readonly site: string;
  readonly signal?: AbortSignal | undefined;
}

class SharedResponse<Response> {
  readonly abandoned = new AbortController();
  readonly response: Promise<Response>;
  isShared = false;
  isOver = false;
  waiting = 0;

  constructor(
    readonly claim: Claim,
    send: (claim: Claim, signal: AbortSignal) => Promise<Response>,
  ) {
    this.response = send(claim, this.abandoned.signal);
  }
}

export class SharedResponses<Response> {
  readonly #inFlight = new Map<string, SharedResponse<Response>>();
  readonly #closing: AbortSignal;

  /** @param closing aborts all requests, and later ones at once */
  constructor(closing: AbortSignal) {
    this.#closing = closing;
    onAbort(closing, () => {
      for (const { abandoned } of this.#inFlight.values()) abandoned.abort();
    });
  }

  /**
   * The response to the request with this key: of the one in flight, if there is one. It is aborted when nobody waits any more.
   * Each caller gets errors of its own. Nobody may change the response.
   * @param send starts the request; throws nothing but what it rejects with
   */
  async get(
    key: string,
    { caller, site, signal }: Applicant,
    send: (claim: Claim, signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    if (this.#closing.aborted || signal?.aborted) throw new AbortedError();
    const known = this.#inFlight.get(key);
    const shared = known ?? this.#start(key, new Claim(caller, site), send);
    if (known) {
      known.isShared = true;
      known.claim.raise(caller);
    }
    shared.waiting += 1;
    try {
      const response = await (signal ? waitFor(shared.response, signal) : shared.response);
      shared.isOver = true;
      return response;
    } catch (error) {
      if (!signal?.aborted) shared.isOver = true;
      throw shared.isShared ? copyOfError(error) : error;
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) this.#end(key, shared);
    }
  }

  #start(
    key: string,
    claim: Claim,
    send: (claim: Claim, signal: AbortSignal) => Promise<Response>,
  ): SharedResponse<Response> {
    const shared = new SharedResponse(claim, send);
    this.#inFlight.set(key, shared);
    return shared;
  }

  /** Nobody waits any more, because there is a response or because all have left. */
  #end(key: string, shared: SharedResponse<Response>): void {
    if (this.#inFlight.get(key) === shared) this.#inFlight.delete(key);
    if (!shared.isOver) shared.abandoned.abort();
  }
}
