// The stored form of days that are over: a few hundred bytes each, so that no day is read twice.
import type { TimedRecord } from "../models/telemetry";
import { isServiceObject } from "../models/service-object";
import { matches, number, optional, readerOf, text } from "../models/shape";
import type { StateForm } from "../stored-state";
import type { BatteryAccount } from "./battery-account";
import { energiesBy, type Peaks, QUANTITIES, type Quantity } from "./balance";
import { FLOWS, flowsBy } from "./flows";
import type { MoneySums } from "./money";
import type { Sums } from "./sums";

/** A local day that is over or, so that the next one goes on from it, has begun. Times in milliseconds. */
export interface KnownDay {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly sums: Sums;
  /** The battery's account before and after the day. */
  readonly before: BatteryAccount | undefined;
  readonly after: BatteryAccount | undefined;
  /** The last record of the day: the next day goes on from its counters. */
  readonly last: TimedRecord | undefined;
  readonly peaks: Peaks;
  /** What else the numbers depend on: prices, priority, equipment. */
  readonly rule: string;
  readonly revision: number;
  /** When the day was first read, when it is to be read again because it has holes, and the pause until then. */
  readonly readAt: number;
  readonly nextRead: number;
  readonly pause: number;
}

export type KnownDays = readonly KnownDay[];

const GROUPS = ["grid", "solar", "storage", "consumption", "any"] as const;
const MONEY = [
  "used",
  "priced",
  "pricedTime",
  "cost",
  "worth",
  "delivery",
  "baseline",
  "solarSaving",
  "batterySaving",
  "effective",
  "valueChange",
] as const satisfies readonly (keyof MoneySums)[];
const EXCHANGE = ["imported", "exported", "cost", "worth"] as const;
/** Wh and money: a millionth matters to no one. */
const DECIMALS = 1e6;

type Numbers = readonly (number | null)[];

interface StoredDay {
  date: string;
  span: Numbers;
  energy: Numbers;
  own: Numbers;
  flows?: Numbers;
  shares: Numbers;
  covered: Numbers;
  money?: Numbers;
  missing?: Numbers[];
  estimated?: Record<string, number>;
  resets?: (readonly [quantity: string, at: number])[];
  before?: Numbers;
  after?: Numbers;
  last?: { record: TimedRecord["record"]; start: number; end: number };
  peaks?: Numbers;
  rule: string;
  read: Numbers;
}

const numbers = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => one === null || Number.isFinite(one));
const list =
  (item: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(item);

const isStoredDays = (stored: unknown): stored is StoredDay[] =>
  matches(stored, [
    {
      date: text,
      span: numbers,
      energy: numbers,
      own: numbers,
      flows: optional(numbers),
      shares: numbers,
      covered: numbers,
      money: optional(numbers),
      missing: optional(list(numbers)),
      estimated: optional((value) => isServiceObject(value) && Object.values(value).every(Number.isFinite)),
      resets: optional(list((value) => Array.isArray(value) && value.length === 2)),
      before: optional(numbers),
      after: optional(numbers),
      last: optional({ record: isServiceObject, start: number, end: number }),
      peaks: optional(numbers),
      rule: text,
      read: numbers,
    },
  ]);

const readStored = readerOf(isStoredDays);

export const KNOWN_DAYS_FORM: StateForm<KnownDays> = {
  read: (stored) => readStored(stored)?.map(dayFrom),
  toStored: (days) => days.map(storedDay),
};

type StoredSums = Omit<StoredDay, "date" | "before" | "after" | "last" | "peaks" | "rule" | "read">;

function storedDay({
  date,
  sums,
  before,
  after,
  last,
  peaks,
  rule,
  revision,
  readAt,
  nextRead,
  pause,
}: KnownDay): StoredDay {
  return {
    date,
    ...storedSums(sums),
    ...(before && { before: storedAccount(before) }),
    ...(after && { after: storedAccount(after) }),
    ...(last && { last }),
    ...(peaks.size > 0 && { peaks: QUANTITIES.map((quantity) => rounded(peaks.get(quantity))) }),
    rule,
    read: [revision, readAt, nextRead, pause],
  };
}

function storedSums(sums: Sums): StoredSums {
  const { energy, ownEnergy, flows, covered, money, missing, estimated, resets, peak } = sums;
  const shares = [
    sums.solar,
    sums.used,
    sums.ownUsed,
    sums.derived,
    sums.thirdPartySolar,
    peak?.power,
    peak?.start,
  ];
  const { gross } = money ?? {};
  const amounts = [...MONEY.map((name) => money?.[name]), ...EXCHANGE.map((name) => gross?.[name])];
  return {
    span: [sums.start, sums.end, sums.until, sums.days, sums.months],
    energy: QUANTITIES.map((quantity) => rounded(energy[quantity])),
    own: QUANTITIES.map((quantity) => rounded(ownEnergy[quantity])),
    ...(flows && { flows: FLOWS.map((name) => rounded(flows[name])) }),
    shares: shares.map(rounded),
    covered: GROUPS.map((group) => covered[group] ?? null),
    ...(money && { money: amounts.map(rounded) }),
    ...(missing.length > 0 && { missing: missing.map(({ start, end }) => [start, end]) }),
    ...(Object.keys(estimated).length > 0 && { estimated: roundedAll(estimated) }),
    ...(resets.length > 0 && { resets: resets.map(({ quantity, at }) => [quantity, at] as const) }),
  };
}

/** Whether two sums are the same once they are stored. */
export function areSame(one: Sums, other: Sums): boolean {
  return JSON.stringify(storedSums(one)) === JSON.stringify(storedSums(other));
}

function dayFrom(stored: StoredDay): KnownDay {
  const {
    date,
    span,
    energy,
    own,
    flows,
    shares,
    covered,
    money,
    missing = [],
    estimated = {},
    resets = [],
    rule,
  } = stored;
  const [start = 0, end = 0, until = 0, days = 0, months = 0] = known(span);
  const [solar = 0, used = 0, ownUsed = 0, derived = 0] = known(shares);
  const [thirdPartySolar = null, power = null, peakStart = null] = shares.slice(4);
  const [revision = 1, readAt = 0, nextRead = 0, pause = 0] = known(stored.read);
  const valueOf = (values: Numbers) => (quantity: Quantity) => values[QUANTITIES.indexOf(quantity)] ?? null;
  const sums: Sums = {
    start,
    end,
    until,
    days,
    months,
    energy: energiesBy(valueOf(energy)),
    ownEnergy: energiesBy(valueOf(own)),
    flows: flows ? flowsBy((name) => flows[FLOWS.indexOf(name)] ?? 0) : null,
    solar,
    used,
    ownUsed,
    derived,
    thirdPartySolar,
    peak: power === null || peakStart === null ? null : { power, start: peakStart },
    covered: Object.fromEntries(
      GROUPS.flatMap((group, index) => {
        const time = covered[index];
        return typeof time === "number" ? [[group, time]] : [];
      }),
    ),
    missing: missing.map(known).map(([from = 0, to = 0]) => ({ start: from, end: to })),
    estimated,
    resets: resets.flatMap(([name, at]) => {
      const quantity = QUANTITIES.find((one) => one === name);
      return quantity ? [{ quantity, at }] : [];
    }),
    money: money ? moneyFrom(known(money)) : null,
  };
  const { before, after, last } = stored;
  return {
    date,
    sums,
    before: before && accountFrom(known(before)),
    after: after && accountFrom(known(after)),
    last,
    peaks: new Map(
      QUANTITIES.flatMap((quantity, index) => {
        const power = stored.peaks?.[index];
        return typeof power === "number" ? [[quantity, power] as const] : [];
      }),
    ),
    rule,
    revision,
    readAt,
    nextRead,
    pause,
  };
}

function moneyFrom(values: readonly number[]): MoneySums {
  const at = (name: (typeof MONEY)[number]): number => values[MONEY.indexOf(name)] ?? 0;
  const [imported = 0, exported = 0, cost = 0, worth = 0] = values.slice(MONEY.length);
  return {
    gross: { imported, exported, cost, worth },
    used: at("used"),
    priced: at("priced"),
    pricedTime: at("pricedTime"),
    cost: at("cost"),
    worth: at("worth"),
    delivery: at("delivery"),
    baseline: at("baseline"),
    solarSaving: at("solarSaving"),
    batterySaving: at("batterySaving"),
    effective: at("effective"),
    valueChange: at("valueChange"),
  };
}

/** Not rounded: whether the next day went on from this account is decided by equality. */
function storedAccount({ solar, grid, unknown, value, emptySince }: BatteryAccount): Numbers {
  return [solar, grid, unknown, value, ...(emptySince === undefined ? [] : [emptySince])];
}

function accountFrom([
  solar = 0,
  grid = 0,
  unknown = 0,
  value = 0,
  emptySince,
]: readonly number[]): BatteryAccount {
  return { solar, grid, unknown, value, ...(emptySince !== undefined && { emptySince }) };
}

/** Null counts as 0 where there is always a number. */
function known(values: Numbers): number[] {
  return values.map((value) => value ?? 0);
}

function rounded(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Math.round(value * DECIMALS) / DECIMALS;
}

function roundedAll(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, rounded(value) ?? 0]));
}
