// npm run soak: a day of virtual time in a real Node-RED, with faults, redeploys and wrong clocks; nothing may leak or be lost.
import { join } from "node:path";
import { writeHeapSnapshot } from "node:v8";
import { MINUTE } from "../../src/time-units";
import { Chance } from "./chance";
import { Checks } from "./checks";
import { type Deployment, EmbeddedRuntime } from "./embedded-runtime";
import { type Event, Faults } from "./faults";
import { CONFIRMED_ID, CREDENTIALS, HISTORY_ID, POLL_ID, RGM_ID, soakFlow } from "./flow";
import { checkGrowth, MEASURES, type Sample, sample, watchSignals } from "./growth";
import { planFrom, type SoakPlan } from "./plan";
import { Problems } from "./problems";
import { type SoakService, startSoakService } from "./service";
import { Tokens } from "./tokens";
import { VirtualTime } from "./virtual-time";
import { World } from "./world";

/** Something to do at a virtual time. */
interface Appointment {
  at: number;
  act: () => Promise<void> | void;
}

const DEPLOYMENTS: readonly Deployment[] = ["full", "nodes", "flows", "reload"];
const REDEPLOY = 501;
/** Time that a deployment may take. */
const DEPLOY_TIME = MINUTE;

class Soak {
  readonly #time: VirtualTime;
  readonly #world: World;
  readonly #faults: Faults;
  readonly #problems: Problems;
  readonly #tokens: Tokens;
  readonly #checks: Checks;
  readonly #runtime = new EmbeddedRuntime();
  readonly #samples: Sample[] = [];
  #service!: SoakService;
  #deploys = 0;
  readonly #startedAt = process.hrtime.bigint();

  constructor(private readonly plan: SoakPlan) {
    this.#time = new VirtualTime(plan.start);
    const now = (): number => this.#time.now;
    this.#problems = new Problems(() => this.#clockText());
    this.#world = new World(plan);
    this.#faults = new Faults(plan);
    this.#tokens = new Tokens(now, this.#problems);
    this.#checks = new Checks(plan, this.#world, now, this.#problems);
    // Pauses before retries are random; here they are so by the seed.
    const random = new Chance(plan.seed);
    let questions = 0;
    Math.random = () => random.of((questions += 1));
  }

  /** @returns whether all was right */
  async run(): Promise<boolean> {
    const { hours, sites, seed, end } = this.plan;
    console.log(`Soak: ${hours} h of virtual time, ${sites} sites, SOAK_SEED=${seed}`);
    this.#watchProcess();
    const { journal, alerts, receivers } = this.#checks;
    const now = (): number => this.#time.now;
    const parts = {
      seed,
      world: this.#world,
      faults: this.#faults,
      tokens: this.#tokens,
      alerts,
      journal,
      now,
    };
    this.#service = await startSoakService(parts);
    await this.#runtime.start({ soak: receivers }, (line) => journal.log(line));
    this.#time.begin();
    await this.#deploy("full");
    for (const { at, act } of this.#appointments()) {
      await this.#time.pass(at);
      await act();
    }
    await this.#time.pass(end);
    this.#checks.finish(end - 6 * MINUTE);
    const growth = checkGrowth(this.#samples, this.plan.form, this.#problems);
    await this.#stop();
    return this.#report(growth);
  }

  #appointments(): Appointment[] {
    const { start, end, sampleEvery, deployEvery, seed } = this.plan;
    const chance = new Chance(seed);
    const appointments = this.#faults.events.map((event): Appointment => ({
      at: event.at,
      act: () => this.#disturb(event),
    }));
    for (let at = start + sampleEvery; at <= end; at += sampleEvery)
      appointments.push({ at: at - 30_000, act: () => this.#sample() });
    for (let turn = 0; ; turn += 1) {
      const at = start + (turn + chance.between(0.4, 0.7, REDEPLOY, turn)) * deployEvery;
      if (at >= this.#faults.end) break;
      const type = DEPLOYMENTS[turn % DEPLOYMENTS.length] ?? "full";
      appointments.push({ at, act: () => this.#deploy(type) });
    }
    for (let at = start + 2 * MINUTE; at < end; at += 10 * MINUTE)
      appointments.push({ at, act: () => this.#readHistory() });
    for (const at of [end - 12 * MINUTE, end - 6 * MINUTE]) {
      appointments.push({
        at,
        act: () => [POLL_ID, CONFIRMED_ID, RGM_ID].forEach((id) => this.#runtime.input(id, {})),
      });
    }
    return appointments.toSorted((one, other) => one.at - other.at);
  }

  async #deploy(type: Deployment): Promise<void> {
    await this.#finish(
      this.#runtime.deploy(soakFlow(this.#service.baseUrl, this.#deploys), CREDENTIALS, type),
    );
    this.#deploys += 1;
    this.#checks.journal.note("redeploy");
  }

  /** Lets time pass until the promise settles. */
  async #finish(work: Promise<void>): Promise<void> {
    let isDone = false;
    const done = work.then(() => void (isDone = true));
    await this.#time.pass(this.#time.now + DEPLOY_TIME, done);
    if (!isDone) this.#problems.add(`Node-RED takes more than ${DEPLOY_TIME / 1000} s to start or stop`);
    await done;
  }

  /** Just after requests, when there is most to clean up. */
  async #stop(): Promise<void> {
    this.#runtime.input(POLL_ID, {});
    await this.#time.pass(this.#time.now + 500);
    await this.#finish(this.#runtime.stop());
    await this.#time.pass(this.#time.now + 100);
    const sockets = process
      .getActiveResourcesInfo()
      .filter((resource) => resource === "TCPSocketWrap").length;
    await this.#service.close();
    await this.#time.pass(this.#time.now + 2000);
    const { timers } = this.#time;
    if (sockets > 0) this.#problems.add(`${sockets} ends of connections outlive Node-RED`);
    if (timers > 0) this.#problems.add(`${timers} timers outlive Node-RED`);
  }

  #disturb({ act }: Event): void {
    if (act === "revoke") return this.#tokens.revoke();
    this.#time.setLocalClock(act.setClock);
    this.#checks.journal.note("clock");
  }

  /** Until it has been read once, because it may fail like anything else. */
  #readHistory(): void {
    if (this.#checks.isHistoryRead) return;
    const { start, end } = this.#checks.historyRange;
    const [startTime, endTime] = [start, end].map((time) => new Date(time).toISOString());
    this.#runtime.input(HISTORY_ID, { payload: { startTime, endTime } });
  }

  async #sample(): Promise<void> {
    const { events, userDir } = this.#runtime;
    const taken = await sample({
      now: this.#time.now,
      timers: this.#time.timers,
      emitters: [events],
      userDir,
    });
    if (taken.at >= this.plan.sampleFrom - MINUTE) this.#samples.push(taken);
    const { snapshots } = this.plan;
    if (snapshots !== undefined) writeHeapSnapshot(join(snapshots, `${this.#clockText()}.heapsnapshot`));
    const passed = this.#time.now - this.plan.start;
    const seconds = this.#seconds();
    const left = (seconds / passed) * (this.plan.end - this.#time.now);
    const values = MEASURES.map((measure) => `${measure} ${Math.round(taken[measure])}`).join(" ");
    console.log(
      `${this.#clockText()} ${Math.round(seconds)} s, about ${Math.round(left / 60)} min left, ${this.#service.requests} requests: ${values}`,
    );
  }

  #watchProcess(): void {
    watchSignals();
    process.on("warning", (warning) => this.#problems.add(`warning: ${warning.stack}`));
    process.on("unhandledRejection", (reason) =>
      this.#problems.add(`unhandled rejection: ${String(reason)}`),
    );
    process.on("uncaughtException", (error) => this.#problems.add(`uncaught exception: ${error.stack}`));
  }

  #report(growth: string): boolean {
    const { count, texts } = this.#problems;
    console.log(
      `${this.#service.requests} requests, digest ${this.#service.digest}, ${this.#deploys} deploys, ${this.#tokens.summary()}`,
    );
    console.log(this.#checks.summary());
    console.log(`  growth an hour: ${growth}`);
    for (const text of texts) console.log(`PROBLEM ${text}`);
    console.log(
      `${Math.round(this.#seconds())} s, SOAK_SEED=${this.plan.seed}: ${count === 0 ? "all right" : `${count} problems`}`,
    );
    return count === 0;
  }

  #seconds(): number {
    return Number(process.hrtime.bigint() - this.#startedAt) / 1e9;
  }

  #clockText(): string {
    const minutes = Math.floor((this.#time.now - this.plan.start) / MINUTE);
    return `[${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}]`;
  }
}

void new Soak(planFrom(process.env)).run().then((isRight) => process.exit(isRight ? 0 : 1));
