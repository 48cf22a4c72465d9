// Notes the faults that were served, and checks that they explain every error and every line in the log.
import { HOUR, MINUTE } from "../../src/time-units";
import type { Fault } from "./faults";
import type { Problems } from "./problems";

/** An error as a catch node receives it. */
export interface CaughtError {
  error: { message: string; source?: { type?: string } };
  siteId?: string;
  energy?: { error?: { code?: string } };
}

export interface LogLine {
  level: number;
  type?: string;
  name?: string;
  msg: unknown;
}

/** Codes of errors, and what else may have happened. */
type Cause =
  | "ENERGY_HTTP"
  | "ENERGY_RATE_LIMIT"
  | "ENERGY_TIMEOUT"
  | "ENERGY_NETWORK"
  | "ENERGY_RESPONSE"
  | "ENERGY_AUTH"
  | "clock"
  | "redeploy";

/** How long after a fault its error may come: a run reports the failures of its sites at its end, and pauses are part of it. */
const EXPLAINS = 15 * MINUTE;
/** Levels of Node-RED's log: 20 is an error, 30 a warning, 40 information. */
const WARNING = 30;

/** Lines that belong to a disturbance. */
/** What Node-RED itself has to say at its start. */
const OF_THE_START = /^(Projects disabled|Using unencrypted credentials)/;

const EXPECTED_LINES: readonly { text: RegExp; cause: Cause; within: number }[] = [
  { text: /clock/i, cause: "clock", within: 25 * HOUR },
];

export class Journal {
  readonly #last = new Map<Cause, number>();
  readonly errors = new Map<string, number>();
  readonly lines = new Map<string, number>();

  constructor(
    private readonly now: () => number,
    private readonly problems: Problems,
  ) {}

  note(cause: Cause): void {
    this.#last.set(cause, this.now());
  }

  noteFault(fault: Fault): void {
    this.note(causeOf(fault));
  }

  receive({ error, siteId, energy }: CaughtError): void {
    const code = energy?.error?.code ?? "none";
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
    if (!this.#isExplained(code as Cause, EXPLAINS))
      this.problems.add(`no fault explains ${code} of ${siteId}: ${error.message}`);
  }

  log({ level, type, msg }: LogLine): void {
    if (level > WARNING || (typeof msg === "string" && OF_THE_START.test(msg))) return;
    const text =
      msg instanceof Error ? (msg.stack ?? msg.message) : typeof msg === "string" ? msg : JSON.stringify(msg);
    const kind = `${type ?? "node-red"}: ${text.replace(/\d+/g, "0")}`;
    this.lines.set(kind, (this.lines.get(kind) ?? 0) + 1);
    const expected = EXPECTED_LINES.find((line) => line.text.test(text));
    if (!expected || !this.#isExplained(expected.cause, expected.within))
      this.problems.add(`log, ${level}, ${type}: ${text}`);
  }

  #isExplained(cause: Cause, within: number): boolean {
    return this.now() - (this.#last.get(cause) ?? Number.NEGATIVE_INFINITY) <= within;
  }

  summary(): string {
    return [...this.errors].map(([code, count]) => `${count} ${code}`).join(", ");
  }
}

function causeOf(fault: Fault): Cause {
  if (fault.kind === "reset") return "ENERGY_NETWORK";
  if (fault.kind === "silence") return "ENERGY_TIMEOUT";
  if (fault.kind === "text") return "ENERGY_RESPONSE";
  if (fault.status === 429) return "ENERGY_RATE_LIMIT";
  return fault.status === 401 ? "ENERGY_AUTH" : "ENERGY_HTTP";
}
