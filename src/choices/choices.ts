// What the editor and the admin routes of an account exchange: drafts of accounts, what there is to choose from, and how it is searched.

/** What the editor has in place of a stored password, which it does not know. */
export const STORED_SECRET = "__PWRD__";

/** `GET` and `POST energy-sites/accounts/:id/sites`. */
export interface SitesAnswer {
  /** Those that match, sorted by name; the first 50. */
  sites: SiteChoice[];
  /** How many match. */
  total: number;
  /** How many sites the account has. */
  all: number;
  /** The charge of some sites is still being read: request the list again in a while. */
  pending?: true;
}

export interface SiteChoice {
  siteId: string;
  name?: string;
  /** The city; without one, the country. */
  place?: string;
  /** The distinct generations of its systems, such as PC1 and PC2. */
  generations: string[];
  systemCount: number;
  /** State of charge in %, at most 15 minutes old. Absent if unknown. */
  charge?: number;
  /** The site is hidden from the account's nodes because the account did not opt in to PC1. */
  isPc1Needed?: true;
  /** Its name, id, city, country and generations, folded. */
  searched: string;
}

/** `energy-sites/accounts/:id/systems` answers those of one site. */
export interface SystemChoice {
  systemId: string;
  generation?: string;
  /** Capacity of the storage in Wh. */
  capacity?: number;
  /** Power of the solar inverter in W; absent for PC1. */
  solarPower?: number;
  /** Absent if the details of the site do not tell. */
  hasMeter?: boolean;
}

/** `energy-sites/accounts/:id/values` answers those of the newest record of one system, and none if there is no record. */
export interface ValueNow {
  /** Such as `storage.stateOfCharge`. */
  path: string;
  value: number | string | boolean | null;
}

/** `energy-sites/accounts/:id/day`: a value of one system over the local day before. Times in milliseconds. */
export interface DayAnswer {
  /** The time zone of the site. */
  zone: string;
  start: number;
  end: number;
  /** The end of each record, and its value; null if it is no number. */
  values: (readonly [at: number, value: number | null])[];
}

/** `energy-sites/thresholds/:id/values` answers the last value of each subject of a threshold. */
export interface LastValue {
  /** The topic, or the site and system; "" if there is none. */
  subject: string;
  value: number;
}

/** The account as it stands in an open dialog: the properties of its table of settings, unchecked. */
export interface AccountDraft {
  [property: string]: unknown;
  /** `STORED_SECRET` as client secret stands for the stored one. */
  credentials?: { clientId?: unknown; clientSecret?: unknown };
}

/** `POST energy-sites/accounts/:id/test`. */
export interface TestAnswer {
  /** How many sites the credentials can see, those that need PC1 included. */
  sites: number;
  /** The names of the first ones. */
  names: string[];
  /** How many of them the account's nodes do not see, because the account did not opt in to PC1. */
  needPc1: number;
  /** Milliseconds that the service is ahead of the local clock. Absent if they differ by no more than a minute. */
  clock?: number;
}

/** Letters that have no accent to remove, but are typed as others. */
const PLAIN: Readonly<Record<string, string>> = { ß: "ss", ø: "o", ł: "l", đ: "d", æ: "ae", œ: "oe", ı: "i" };

/** The text in lower case and without accents, as people type it in a search. */
export function folded(text: string): string {
  const lower = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return lower.replaceAll(/[ßøłđæœı]/g, (letter) => PLAIN[letter] ?? letter);
}

/** Whether a folded text contains every word of the search, in any order; true for an empty search. */
export function matcher(search: string): (foldedText: string) => boolean {
  const words = folded(search).split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}
