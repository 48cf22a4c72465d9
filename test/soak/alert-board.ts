// The alerts of the simulated service, and whether each change of them was reported.
import { HOUR, MINUTE } from "../../src/time-units";
import { Chance } from "./chance";
import type { SoakPlan } from "./plan";
import type { Problems } from "./problems";

interface SoakAlert {
  alertId: string;
  siteId: string;
  severity: string;
  description: string;
}

const SEVERITIES = ["LOW", "MEDIUM", "HIGH", "NEW KIND"];
const EVERY = 17 * MINUTE;
const [DURATION, SITE] = [301, 302] as const;

export class AlertBoard {
  readonly #reported = new Map<string, string[]>();
  readonly #chance: Chance;

  constructor(
    private readonly plan: SoakPlan,
    private readonly problems: Problems,
  ) {
    this.#chance = new Chance(plan.seed ^ 0xa1e47);
  }

  /** The alerts that are open at a time, in milliseconds. */
  listed(now: number): SoakAlert[] {
    const turns = Math.floor((now - this.plan.start) / EVERY) + 1;
    return Array.from({ length: turns }, (_, turn) => turn)
      .filter((turn) => this.#openUntil(turn) > now)
      .map((turn) => ({
        alertId: `alert-${turn}`,
        siteId: `site-${Math.floor(this.#chance.between(0, this.plan.sites, SITE, turn))}`,
        severity: SEVERITIES[turn % SEVERITIES.length] ?? "",
        description: `Number ${turn}`,
      }));
  }

  #openUntil(turn: number): number {
    return this.plan.start + turn * EVERY + this.#chance.between(HOUR / 2, 2 * HOUR, DURATION, turn);
  }

  receive({ payload, energy }: { payload: SoakAlert; energy: { change: string } }): void {
    const { alertId } = payload;
    this.#reported.set(alertId, [...(this.#reported.get(alertId) ?? []), energy.change]);
  }

  /** Each alert was raised and cleared once, as far as it is over; those of the last minutes may not be known yet. */
  check(now: number): void {
    // Two lists without an alert clear it.
    const settled = now - 20 * MINUTE;
    for (let turn = 0; this.plan.start + turn * EVERY < settled; turn += 1) {
      const isOver = this.#openUntil(turn) < settled;
      const reported = this.#reported.get(`alert-${turn}`)?.join(", ");
      const isRight = reported === "raised, cleared" || (!isOver && reported === "raised");
      const isUncertain = this.#openUntil(turn) >= settled && this.#openUntil(turn) < now;
      if (!isRight && !isUncertain) this.problems.add(`alerts: alert-${turn} was reported as ${reported}`);
    }
  }

  summary(): string {
    return `${this.#reported.size} alerts`;
  }
}
