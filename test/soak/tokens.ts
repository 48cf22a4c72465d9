// The tokens of the simulated service, and why each one had to be requested: one an hour, and those that a fault explains.
import { MINUTE } from "../../src/time-units";
import type { Problems } from "./problems";

export const TOKEN_SECONDS = 3600;
/** A token is renewed a minute before it expires. */
const RENEWED_AFTER = (TOKEN_SECONDS - 60) * 1000;

export type TokenReason = "first" | "renewed" | "revoked" | "refused" | "undelivered";

interface Issue {
  token: string;
  at: number;
  isRevoked: boolean;
  /** The service refused a request although the token was valid. */
  isDoubted: boolean;
  /** The client got the token. */
  isDelivered: boolean;
}

export class Tokens {
  #last: Issue | undefined;
  #count = 0;
  readonly reasons: Record<TokenReason, number> = {
    first: 0,
    renewed: 0,
    revoked: 0,
    refused: 0,
    undelivered: 0,
  };

  constructor(
    private readonly now: () => number,
    private readonly problems: Problems,
  ) {}

  /** A new token, and what must be called when the client has received it. */
  issue(): { token: string; onDelivered: () => void } {
    const reason = this.#reason();
    if (reason) this.reasons[reason] += 1;
    else this.problems.add(`tokens: a request ${this.#age() / MINUTE} min after the last one, for no reason`);
    this.#count += 1;
    const token = `token-${this.#count}`;
    const issue = { token, at: this.now(), isRevoked: false, isDoubted: false, isDelivered: false };
    this.#last = issue;
    return { token, onDelivered: () => void (issue.isDelivered = true) };
  }

  #reason(): TokenReason | undefined {
    if (!this.#last) return "first";
    if (!this.#last.isDelivered) return "undelivered";
    if (this.#last.isRevoked) return "revoked";
    if (this.#age() >= RENEWED_AFTER) return "renewed";
    return this.#last.isDoubted ? "refused" : undefined;
  }

  #age(): number {
    return this.now() - (this.#last?.at ?? 0);
  }

  /** Whether a request with this header is served. */
  accepts(authorization: string | undefined): boolean {
    const last = this.#last;
    if (last?.isRevoked || authorization !== `Bearer ${last?.token}`) return false;
    if (this.#age() < TOKEN_SECONDS * 1000) return true;
    this.problems.add("tokens: a request with an expired token");
    return false;
  }

  revoke(): void {
    if (this.#last) this.#last.isRevoked = true;
  }

  /** Notes that the service refuses a request although its token is valid. */
  doubt(): void {
    if (this.#last) this.#last.isDoubted = true;
  }

  summary(): string {
    const reasons = Object.entries(this.reasons).filter(([, count]) => count > 0);
    return `${this.#count} tokens: ${reasons.map(([reason, count]) => `${count} ${reason}`).join(", ")}`;
  }
}
