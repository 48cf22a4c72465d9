// How long and how large a soak is: the whole one, or a short form of it, from the environment.
import { HOUR } from "../../src/time-units";

export interface SoakPlan {
  form: "short" | "whole";
  seed: number;
  hours: number;
  sites: number;
  /** When virtual time begins and ends, in milliseconds since the epoch. */
  start: number;
  end: number;
  /** Milliseconds between two disturbances of the whole service. */
  episodeEvery: number;
  /** Milliseconds between two redeploys. */
  deployEvery: number;
  /** Milliseconds between two samples of the process, and when the first one counts. */
  sampleEvery: number;
  sampleFrom: number;
  /** A folder for heap snapshots, one for each sample; undefined = none. */
  snapshots: string | undefined;
}

const START = Date.UTC(2026, 5, 10, 22, 3);
const WHOLE_HOURS = 24;

/** `SOAK_HOURS`, `SOAK_SITES`, `SOAK_SEED` and `SOAK_SNAPSHOTS`; by default a day, 200 sites and a random seed. */
export function planFrom(env: NodeJS.ProcessEnv): SoakPlan {
  const hours = Number(env["SOAK_HOURS"] ?? WHOLE_HOURS);
  const sites = Number(env["SOAK_SITES"] ?? 200);
  const seed = Number(env["SOAK_SEED"] ?? Math.floor(Math.random() * 1e6));
  const isWhole = hours >= WHOLE_HOURS;
  return {
    form: isWhole ? "whole" : "short",
    seed,
    hours,
    sites,
    start: START,
    end: START + hours * HOUR,
    episodeEvery: isWhole ? HOUR / 2 : HOUR / 6,
    deployEvery: isWhole ? HOUR : HOUR / 3,
    sampleEvery: isWhole ? HOUR : HOUR / 6,
    sampleFrom: START + (isWhole ? 2 : 1) * HOUR,
    snapshots: env["SOAK_SNAPSHOTS"],
  };
}
