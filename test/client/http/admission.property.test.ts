// Tests the admission with random requests, failures, pauses and aborts: every request settles, within the limits, and nothing is left behind.
import assert from "node:assert/strict";
import sinon from "sinon";
import { PRIORITIES } from "../../../src/client/http/fair-queue";
import { Admission, type Requirement } from "../../../src/client/http/admission";
import type { Turn } from "../../../src/client/http/gate";
import { NetworkError } from "../../../src/errors";
import { MINUTE } from "../../../src/time-units";
import { sleep } from "../../../src/abort";
import { casesOf } from "../../support/fuzz";

const ROUNDS = casesOf(8);
const REQUESTS = 120;

/** Random numbers from 0 to 1 that are the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed * 2654435761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** Random requests to a admission, and a service that fails at random until it is `repaired`. */
class Trial {
  readonly #random: () => number;
  readonly #concurrency: number;
  readonly #perMinute: number;
  readonly admission: Admission;
  readonly #starts: number[] = [];
  #inFlight = 0;
  #hasToken = false;
  repaired = false;
  settled = 0;

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
    this.#concurrency = 1 + this.#below(5);
    this.#perMinute = this.chance(0.3) ? 5 + this.#below(60) : 0;
    this.admission = new Admission(this.#concurrency, this.#perMinute, [100, 300, 1000]);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pause(): number {
    return this.#below(this.chance(0.05) ? 30_000 : 400);
  }

  /** Sends a request that may be retried, aborted, or both. Never rejects. */
  async request(): Promise<void> {
    const abort = new AbortController();
    if (this.chance(0.3)) setTimeout(() => abort.abort(), this.#below(20_000));
    const priority = PRIORITIES[this.#below(PRIORITIES.length)] ?? "user";
    const site = this.chance(0.1) ? "" : `site-${this.#below(8)}`;
    const caller = { id: `node-${this.#below(3)}`, priority };
    const reachesBack = this.chance(0.3);
    try {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const requirement = this.#token();
        const run = (turn: Turn): Promise<boolean> => this.#exchange(turn, abort.signal);
        if (await this.admission.run(run, abort.signal, { caller, site, requirement, reachesBack })) break;
        await sleep(this.#below(3000), abort.signal);
      }
    } catch (error) {
      if (!abort.signal.aborted) assert.notEqual((error as Error).name, "AbortedError");
    } finally {
      this.settled += 1;
    }
  }

  #token(): Requirement {
    return {
      isMet: () => this.#hasToken,
      meet: async (signal) => {
        await this.admission.run(() => this.#work(signal, true), signal, { isUrgent: true });
        const fails = !this.repaired && this.chance(0.2);
        if (fails) throw new NetworkError("noAnswer", { seconds: 1 });
        this.#hasToken = true;
      },
    };
  }

  /** Whether the request is done. */
  async #exchange(turn: Turn, signal: AbortSignal): Promise<boolean> {
    if (this.chance(0.02)) this.#hasToken = false;
    await this.#work(signal, false);
    const fault = this.repaired ? 1 : this.#random();
    if (fault < 0.15) {
      const error = new NetworkError("noAnswer", { seconds: 1 });
      this.admission.gate.failed(error, turn.site, turn);
      throw error;
    }
    const status = fault < 0.4 ? 503 : fault < 0.5 ? 429 : 200;
    const retryAfter =
      status !== 200 && this.chance(0.3) ? this.#below(this.chance(0.2) ? 120 : 8) : undefined;
    this.admission.gate.observe({ status, retryAfter }, turn);
    return status === 200;
  }

  async #work(signal: AbortSignal, isUrgent: boolean): Promise<void> {
    const now = performance.now();
    this.#starts.push(now);
    const recent = this.#starts.filter((start) => now - start < MINUTE).length;
    if (this.#perMinute > 0) assert.ok(recent <= this.#perMinute, `${recent} in a minute`);
    if (!isUrgent) this.#inFlight += 1;
    assert.ok(this.#inFlight <= this.#concurrency, `${this.#inFlight} in flight`);
    try {
      await sleep(this.#below(500), signal);
    } finally {
      if (!isUrgent) this.#inFlight -= 1;
    }
  }
}

describe("the admission, at random", () => {
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => (clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] })));
  afterEach(() => clock.restore());

  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    it(`settles every request within its limits (${seed})`, async () => {
      const trial = new Trial(seed);
      const requests: Promise<void>[] = [];
      for (let index = 0; index < REQUESTS; index += 1) {
        requests.push(trial.request());
        if (trial.chance(0.7)) await clock.tickAsync(trial.pause());
      }
      trial.repaired = true;
      await clock.tickAsync(30 * MINUTE);
      assert.equal(trial.settled, REQUESTS);
      await Promise.all(requests);
      const { inFlight, waiting, pause } = trial.admission.state;
      assert.deepEqual([inFlight, waiting, pause], [0, 0, undefined]);
      // What is sent now succeeds: nothing holds a healthy account.
      const last = trial.request();
      await clock.tickAsync(2 * MINUTE);
      assert.equal(trial.settled, REQUESTS + 1);
      await last;
      assert.equal(clock.countTimers(), 0);
    });
  }
});
