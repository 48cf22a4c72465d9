// When and how the simulated service fails: short faults of single requests, and episodes that affect all of them or one site.
import { HOUR, MINUTE } from "../../src/time-units";
import { Chance, numberOf } from "./chance";
import type { SoakPlan } from "./plan";

const SECOND = 1000;

export type Fault =
  | { kind: "status"; status: number; retryAfter?: number }
  | { kind: "reset" }
  /** No response, until the client gives up. */
  | { kind: "silence" }
  | { kind: "text"; body: string; contentType: string };

interface Episode {
  name: string;
  from: number;
  to: number;
  path: RegExp;
  faults: readonly Fault[];
  /** The share of requests that it affects; 1 by default. */
  share?: number;
}

/** Something that happens once: the tokens are revoked, or the machine's clock is set. */
export interface Event {
  at: number;
  name: string;
  act: "revoke" | { setClock: number };
}

const CUT: Fault = {
  kind: "text",
  body: '{"data": [{"startTime": "2026-01-0',
  contentType: "application/json",
};
const HTML: Fault = { kind: "text", body: "<html><body>Maintenance</body></html>", contentType: "text/html" };
const WRONG: Fault = { kind: "text", body: '{"data": "none"}', contentType: "application/json" };
const status = (code: number, retryAfter?: number): Fault => ({
  kind: "status",
  status: code,
  ...(retryAfter !== undefined && { retryAfter }),
});

/** Of single requests. */
const SHORT: readonly Fault[] = [
  status(500),
  status(502),
  status(503),
  status(504),
  status(503, 4),
  status(429),
  status(429, 3),
  status(401),
  { kind: "reset" },
  { kind: "reset" },
  { kind: "silence" },
  CUT,
  HTML,
  WRONG,
];
const SHORT_SHARE = 1 / 300;

const ANY = /./;
const DATA = /\/v1\/(?!auth)/;
const AUTH = /\/v1\/auth$/;

type Template = Omit<Episode, "from" | "to"> & { minutes: number; revokes?: true };

/** Of the whole service; each has its turn. */
const TEMPLATES: readonly Template[] = [
  { name: "service down", minutes: 6, path: ANY, faults: [status(503), status(500)] },
  { name: "429 with a pause of two minutes", minutes: 3, path: DATA, faults: [status(429, 120)] },
  { name: "network down", minutes: 5, path: ANY, faults: [{ kind: "reset" }] },
  { name: "429 without Retry-After", minutes: 3, path: DATA, faults: [status(429)], share: 0.6 },
  { name: "service silent", minutes: 3, path: DATA, faults: [{ kind: "silence" }] },
  { name: "tokens revoked, none issued", minutes: 3, path: AUTH, faults: [status(503)], revokes: true },
  { name: "malformed answers", minutes: 7, path: /telemetry$/, faults: [CUT, HTML, WRONG] },
  {
    name: "tokens revoked, credentials refused",
    minutes: 2,
    path: AUTH,
    faults: [status(401)],
    revokes: true,
  },
  {
    name: "service half down",
    minutes: 8,
    path: DATA,
    faults: [status(500), status(504), { kind: "reset" }],
    share: 0.5,
  },
  { name: "tokens revoked", minutes: 0, path: AUTH, faults: [], revokes: true },
  { name: "503 with a pause of 20 s", minutes: 2, path: DATA, faults: [status(503, 20)] },
  { name: "site list down", minutes: 12, path: /\/v1\/sites$/, faults: [status(500), HTML] },
];

/** How one site fails alone. */
const ALONE: readonly (readonly Fault[])[] = [
  [status(500)],
  [status(404)],
  [CUT, WRONG],
  [{ kind: "reset" }],
];
/** Local time minus true time. */
const CLOCK_STEPS: readonly number[] = [HOUR, 0, -HOUR, -8 * MINUTE, 0, 20 * MINUTE, 0];

const [TEMPLATE_AT, SITE, SITE_AT, CLOCK_AT, HAPPENS, WHICH] = [101, 102, 103, 104, 105, 106] as const;

export class Faults {
  readonly episodes: Episode[] = [];
  readonly events: Event[] = [];
  /** From when on there are none. */
  readonly end: number;
  readonly #chance: Chance;

  constructor(plan: SoakPlan) {
    this.#chance = new Chance(plan.seed ^ 0x5eed);
    this.end = plan.end - 20 * MINUTE;
    this.#planEpisodes(plan);
    this.#planSites(plan);
    this.#planClock(plan);
    this.events.sort((one, other) => one.at - other.at);
  }

  #planEpisodes({ start, episodeEvery, seed }: SoakPlan): void {
    for (let turn = 0; ; turn += 1) {
      const template = TEMPLATES[(turn + seed) % TEMPLATES.length];
      const from = start + (turn + this.#chance.between(0.3, 0.6, TEMPLATE_AT, turn)) * episodeEvery;
      if (!template || from + template.minutes * MINUTE > this.end) return;
      this.episodes.push({ ...template, from, to: from + template.minutes * MINUTE });
      if (template.revokes) this.events.push({ at: from, name: template.name, act: "revoke" });
    }
  }

  /** Every hour and a half another site fails alone, for an hour. */
  #planSites({ start, sites }: SoakPlan): void {
    for (let turn = 0; ; turn += 1) {
      const from = start + (turn * 1.5 + this.#chance.between(0.2, 0.5, SITE_AT, turn)) * HOUR;
      if (from + HOUR > this.end) return;
      const site = Math.floor(this.#chance.between(0, sites, SITE, turn));
      const faults = ALONE[turn % ALONE.length] ?? [];
      const path = new RegExp(`/sites/site-${site}/`);
      this.episodes.push({ name: `site-${site} fails alone`, from, to: from + HOUR, path, faults });
    }
  }

  #planClock({ start, hours }: SoakPlan): void {
    for (const [index, offset] of CLOCK_STEPS.entries()) {
      const at =
        start +
        ((index + this.#chance.between(0.2, 0.8, CLOCK_AT, index)) * (hours - 1) * HOUR) / CLOCK_STEPS.length;
      this.events.push({ at, name: `clock set to ${offset / MINUTE} min`, act: { setClock: offset } });
    }
  }

  /** How the service fails a request, if it does. Requests with the same path fail alike within a second. */
  of(path: string, now: number): Fault | undefined {
    if (now >= this.end) return undefined;
    const question = [numberOf(path), Math.floor(now / SECOND), Math.floor(now / HOUR)];
    const happens = this.#chance.of(HAPPENS, ...question);
    const episode = this.episodes.find(
      ({ from, to, path: affected, share = 1 }) =>
        from <= now && now < to && affected.test(path) && happens < share,
    );
    const faults = episode?.faults ?? (happens < SHORT_SHARE ? SHORT : []);
    return faults[Math.floor(this.#chance.of(WHICH, ...question) * faults.length)];
  }

  running(now: number): string {
    return this.episodes
      .filter(({ from, to }) => from <= now && now < to)
      .map(({ name }) => name)
      .join(", ");
  }
}
