// What a series book reads and writes in tests: a service with two sites, and a store.
import { RuntimeClock, systemClock } from "../../src/clock";
import { type EnergyError, errorText, HttpError } from "../../src/errors";
import type { RecordAnswer } from "../../src/models/responses";
import type { Site } from "../../src/models/site";
import { SITES_FORM, type StoredAnswer } from "../../src/series/site-memory";
import type { StateGroup } from "../../src/stored-state";

export const HOUSE: Site = { siteId: "house", systems: [{ systemId: "a", systemGeneration: "PC2" }] };
export const TWIN: Site = {
  siteId: "twin",
  systems: [
    { systemId: "a", systemGeneration: "PC1" },
    { systemId: "b", systemGeneration: "PC2" },
  ],
};
export function refusal(statusCode: number): EnergyError {
  return new HttpError(errorText("whatSites"), { statusCode });
}

/** The service as a test has it: each answer is a value, or an error. */
export class Service {
  list: Site[] | Error = [HOUSE, TWIN];
  details: Site | Error = refusal(404);
  records: RecordAnswer | Error = refusal(404);
  readonly asked: string[] = [];

  readonly client = {
    clock: new RuntimeClock({ ...systemClock, now: () => performance.now() }),
    sites: (): Promise<Site[]> => this.#answer("sites", this.list),
    site: (): Promise<Site> => this.#answer("site", this.details),
    telemetry: (): Promise<RecordAnswer> => this.#answer("records", this.records),
  };

  async #answer<T>(what: string, answer: T | Error): Promise<T> {
    this.asked.push(what);
    await Promise.resolve();
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

/** A store that survives the book, as JSON. */
export function memory(): { sites: () => string[]; group: StateGroup<StoredAnswer> } {
  const states = new Map<string, string>();
  return {
    sites: () => [...states.keys()].filter((name) => name !== ""),
    group: {
      flush: () => Promise.resolve(),
      load: () => {
        const readable = [...states].flatMap(([name, stored]) => {
          const state = SITES_FORM.read(JSON.parse(stored));
          return state ? [[name, state] as const] : [];
        });
        return Promise.resolve(new Map(readable));
      },
      save(name, state) {
        if (state === undefined) states.delete(name);
        else states.set(name, JSON.stringify(state));
        return Promise.resolve();
      },
    },
  };
}
