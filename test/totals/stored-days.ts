// Keeps the days of totals as a file would.
import type { StateStore } from "../../src/stored-state";
import { type KnownDays, KNOWN_DAYS_FORM } from "../../src/totals/stored-days";

/** Months as JSON, as a file would have them. */
export class StoredDays {
  readonly months = new Map<string, string>();
  readonly since: string;

  constructor(since = "2000-01-01") {
    this.since = since;
  }

  readonly of = (month: string): StateStore<KnownDays> => ({
    load: () => {
      const text = this.months.get(month);
      return Promise.resolve(text === undefined ? undefined : KNOWN_DAYS_FORM.read(JSON.parse(text)));
    },
    save: (days) => {
      if (days) this.months.set(month, JSON.stringify(days));
      else this.months.delete(month);
      return Promise.resolve();
    },
  });
}
