// What the nodes of the soak's flow send, and the checks of it.
import { HOUR, MINUTE } from "../../src/time-units";
import { AlertBoard } from "./alert-board";
import { Chance } from "./chance";
import { type Receiver, START_HOURS } from "./flow";
import { type CaughtError, Journal } from "./journal";
import type { SoakPlan } from "./plan";
import type { Problems } from "./problems";
import { type Delivery, Tally } from "./tally";
import { CONFIRMED_SITE, HISTORY_SITE, type World } from "./world";

type Receivers = Record<Receiver, (message: never, done: () => void) => void>;

interface TextDelivery extends Omit<Delivery, "payload"> {
  topic: string;
  payload: string;
}

interface Decision {
  energy: { edge?: "high" | "low"; reason?: string };
}

/** How the place of a broker fails: it loses some messages, and is away for a while. */
const LOST_SHARE = 0.01;
const AWAY_EVERY = 80 * MINUTE;
const AWAY_FOR = 9 * MINUTE;
const SLOWEST = 900;
const [LOST, DELAY] = [401, 402] as const;

export class Checks {
  readonly journal: Journal;
  readonly alerts: AlertBoard;
  readonly tallies: Record<"poll" | "confirmed" | "rgm" | "history", Tally>;
  isHistoryRead = false;
  readonly #chance: Chance;
  #side: string | undefined;
  #counts = { newest: 0, values: 0, edges: 0, unsafe: 0, readings: 0, backlog: 0, states: 0, unconfirmed: 0 };

  constructor(
    private readonly plan: SoakPlan,
    world: World,
    private readonly now: () => number,
    private readonly problems: Problems,
  ) {
    this.#chance = new Chance(plan.seed ^ 0xc4ec);
    this.journal = new Journal(now, problems);
    this.alerts = new AlertBoard(plan, problems);
    const tally = (name: string, source: "telemetry" | "rgm", isInOrder = true): Tally =>
      new Tally(name, source, world, now, problems, isInOrder);
    this.tallies = {
      poll: tally("poll", "telemetry"),
      // A record that gets lost on its way comes again after those behind it.
      confirmed: tally("confirmed poll", "telemetry", false),
      rgm: tally("rgm", "rgm"),
      history: tally("history", "telemetry", false),
    };
  }

  /** The functions that the flow calls. */
  get receivers(): Receivers {
    const { poll, confirmed, rgm, history } = this.tallies;
    const counts = this.#counts;
    return {
      poll: (message: Delivery) => poll.receive(message),
      rgm: (message: Delivery) => rgm.receive(message),
      history: (message: Delivery) => history.receive(message),
      newest: () => void (counts.newest += 1),
      latest: () => void (counts.values += 1),
      threshold: (message: Decision) => this.#decide(message),
      alerts: (message: Parameters<AlertBoard["receive"]>[0]) => this.alerts.receive(message),
      mqtt: (message: TextDelivery) => this.#publish(message),
      progress: ({ payload }: { payload: { finished: boolean } }) =>
        void (this.isHistoryRead ||= payload.finished),
      caught: (message: CaughtError) => this.journal.receive(message),
      confirmed: (message: TextDelivery, done: () => void) => {
        if (this.#isAway() || this.#chance.of(LOST, counts.unconfirmed, this.now() % 2 ** 31) < LOST_SHARE) {
          counts.unconfirmed += 1;
          return;
        }
        const delay = this.#chance.between(0, SLOWEST, DELAY, this.now() % 2 ** 31);
        setTimeout(() => {
          confirmed.receive({ ...message, payload: JSON.parse(message.payload) as Delivery["payload"] });
          done();
        }, delay);
      },
    };
  }

  #isAway(): boolean {
    const { start, end } = this.plan;
    return (this.now() - start) % AWAY_EVERY > AWAY_EVERY - AWAY_FOR && this.now() < end - HOUR / 2;
  }

  /** A side is sent once, until something unsafe comes between. */
  #decide({ energy }: Decision): void {
    const side = energy.edge ?? "unsafe";
    this.#counts[energy.edge ? "edges" : "unsafe"] += 1;
    if (side === this.#side && energy.edge) this.problems.add(`threshold: ${side} was sent again`);
    this.#side = side;
  }

  #publish({ topic, energy, payload }: TextDelivery): void {
    const isLive = topic.endsWith("/live");
    // All others are for Home Assistant.
    if (!isLive && !topic.endsWith("/backlog")) {
      this.#counts.states += 1;
      return;
    }
    this.#counts[isLive ? "readings" : "backlog"] += 1;
    if (isLive !== (energy.phase === "live")) this.problems.add(`mqtt: ${energy.phase} under ${topic}`);
    if (typeof payload !== "string") this.problems.add(`mqtt: a payload that is no text under ${topic}`);
  }

  /** @param shownBy the time by which the service has shown what must have arrived */
  finish(shownBy: number): void {
    const { poll, confirmed, rgm, history } = this.tallies;
    const { start } = this.plan;
    const from = start - START_HOURS * HOUR + 5 * MINUTE;
    poll.findLost(from, shownBy);
    rgm.findLost(from, shownBy);
    confirmed.findLost(from, shownBy, ({ siteId }) => siteId === `site-${CONFIRMED_SITE}`);
    if (!this.isHistoryRead) this.problems.add("history did not finish");
    const { start: historyFrom, end } = this.historyRange;
    history.findLost(historyFrom, end - 2 * MINUTE, ({ siteId }) => siteId === `site-${HISTORY_SITE}`);
    this.alerts.check(shownBy);
    const { values, edges, readings } = this.#counts;
    for (const [name, count] of Object.entries({ values, edges, readings }))
      if (count === 0) this.problems.add(`no ${name} at all`);
  }

  /** What history requests: a day before the soak, in which no record is late. */
  get historyRange(): { start: number; end: number } {
    return { start: this.plan.start - 24 * HOUR, end: this.plan.start - HOUR };
  }

  summary(): string {
    const tallies = Object.entries(this.tallies).map(([name, tally]) => `  ${name}: ${tally.summary()}`);
    const counts = Object.entries(this.#counts).map(([name, count]) => `${count} ${name}`);
    return [
      ...tallies,
      `  ${counts.join(", ")}, ${this.alerts.summary()}`,
      `  errors: ${this.journal.summary()}`,
    ].join("\n");
  }
}
