// Remembers the runs of a node: how the last one went, and what failed lately.
import { systemClock } from "../../../../src/clock";
import type { FailurePart, RunPart, RunsPart } from "../../../../src/diagnostics/parts";
import type { SeriesAddress } from "../../../../src/ledger/record-id";
import type { StatusText } from "../base/status";
import { failuresIn } from "./failure-parts";

const MAX_FAILURES = 10;

export class RecentRuns {
  #count = 0;
  #last: RunPart | undefined;
  #lastSuccess: number | undefined;
  #status: StatusText | undefined;
  readonly #failures: FailurePart[] = [];

  get parts(): RunsPart {
    return {
      count: this.#count,
      failures: [...this.#failures],
      ...(this.#last && { last: this.#last }),
      ...(this.#lastSuccess !== undefined && { lastSuccess: this.#lastSuccess }),
      ...(this.#status && { status: countsOf(this.#status) }),
    };
  }

  /** Notes that a run begins. Call the returned function when it has ended. */
  begin(isTriggered: boolean): (outcome: "succeeded" | "failed") => void {
    const startedAt = systemClock.now();
    const began = systemClock.monotonic();
    const trigger = isTriggered ? "message" : "schedule or timer";
    this.#count += 1;
    this.#last = { startedAt, trigger, outcome: "running" };
    return (outcome) => {
      this.#last = { startedAt, trigger, outcome, duration: systemClock.monotonic() - began };
      if (outcome === "succeeded") this.#lastSuccess = systemClock.now();
    };
  }

  /** Notes what failed, whether or not that ended a run. */
  fail(error: unknown, address?: SeriesAddress): void {
    this.#failures.push(...failuresIn(error, address, systemClock.now()));
    this.#failures.splice(0, this.#failures.length - MAX_FAILURES);
  }

  show(status: StatusText): void {
    this.#status = status;
  }
}

/** A status with its counts: its texts may name anything. */
function countsOf({ key, values = {} }: StatusText): string {
  const numbers = Object.entries(values).flatMap(([name, value]) => {
    const number = typeof value === "object" ? value.count : value;
    return name === "value" || typeof number !== "number" ? [] : [`${name}=${number}`];
  });
  return [key, ...numbers].join(" ");
}
