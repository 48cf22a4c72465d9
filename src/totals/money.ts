// What the energy of a part of a period cost, earned and saved, as amounts that add up over parts.
import type { SiteCalendar } from "../site-calendar";
import { MINUTE } from "../time-units";
import type { Interval } from "./balance";
import { constantPrice, priceAt } from "./prices";
import { type Tariff, WH_PER_KWH } from "./trace";

export interface MoneyRule extends Tariff {
  /** Money a day, or a month. */
  readonly fixed: number;
  readonly fixedPer: "day" | "month";
  /** Over how long import and export are offset against each other: minutes, or a local day, month or year. */
  readonly netting: "none" | "15" | "30" | "60" | "day" | "month" | "year";
  /** Money per kWh of import, on top, however it is netted. */
  readonly delivery: number;
}

/**
 * Import and export of a time that have a price, in Wh, and what they cost and earn: once they are offset, if that is within a day.
 * Import, or export, is absent where it is unknown or nothing has a price.
 */
const EXCHANGE = ["imported", "exported", "cost", "worth"] as const;
type Exchange = Partial<Record<(typeof EXCHANGE)[number], number>>;

export const MONEY = [
  ...EXCHANGE,
  // Energy used, and the part of it that has a price, in Wh.
  "used",
  "priced",
  // What all energy used would have cost.
  "baseline",
  "solarSaving",
  "batterySaving",
  // What the energy used is worth: from the grid at its price, from the sun at what export would have earned.
  "effective",
  // By how much the value of the battery's content changed.
  "valueChange",
] as const;

/** Money in the currency. */
export type MoneyAmounts = Partial<Record<(typeof MONEY)[number], number>>;

const FREE = constantPrice(0);

/** Adds to an amount. */
export function add<Name extends string>(
  amounts: Partial<Record<Name, number>>,
  name: Name,
  value: number,
): void {
  amounts[name] = (amounts[name] ?? 0) + value;
}

export function addAll(sum: Partial<Record<string, number>>, added: Partial<Record<string, number>>): void {
  for (const [name, value = 0] of Object.entries(added)) add(sum, name, value);
}

/** The money of a part of a period that lies within a local day, interval by interval. */
export class MoneySum {
  readonly #amounts: MoneyAmounts = {};
  readonly #rule: MoneyRule;
  /** Of a block of minutes, in milliseconds; Infinity if there are none. */
  readonly #length: number;
  readonly #calendar: SiteCalendar;
  /** By their ends. */
  readonly #blocks = new Map<number, Exchange>();

  constructor(rule: MoneyRule, calendar: SiteCalendar) {
    this.#rule = rule;
    this.#calendar = calendar;
    this.#length = Number(rule.netting) * MINUTE || Infinity;
  }

  /** Adds an interval from `start` to `end`. */
  add(interval: Interval, start: number, end: number): void {
    const { energies, valueLost } = interval;
    if (Object.values(energies).every((energy) => energy === null)) return;
    // A price that is not set offsets as well; one that is not known does not.
    const { importPrice = FREE, exportPrice = FREE } = this.#rule;
    const length = interval.end - interval.start;
    add(this.#amounts, "valueChange", (-valueLost * (end - start)) / length);
    for (let from = start; from < end;) {
      const block = this.#length < Infinity ? this.#calendar.blockEnd(from, this.#length) : Infinity;
      const [bought, sold] = [priceAt(importPrice, from), priceAt(exportPrice, from)];
      const to = Math.min(end, block, bought.until, sold.until);
      const exchange = this.#blocks.get(block) ?? {};
      this.#blocks.set(block, exchange);
      this.#addPart(interval, (to - from) / length, bought.price, sold.price, exchange);
      from = to;
    }
  }

  /** Once all is added: offsets import and export within blocks of minutes or over the day; longer times are left to the period. */
  settled(): MoneyAmounts {
    const isOffset = this.#length < Infinity || this.#rule.netting === "day";
    const exchange = isOffset ? offset(this.#blocks.values()) : this.#blocks.get(Infinity);
    return { ...this.#amounts, ...exchange };
  }

  /** Adds a share of an interval that has one price for import and one for export; undefined = unknown. */
  #addPart(
    { flows, valueOut, energies }: Interval,
    time: number,
    bought: number | undefined,
    sold: number | undefined,
    exchange: Exchange,
  ): void {
    const amounts = this.#amounts;
    const { importPrice, delivery } = this.#rule;
    const share = time / WH_PER_KWH;
    const { consumed, imported, exported, discharged } = energies;
    add(amounts, "used", (consumed ?? 0) * time);
    if ((importPrice ? bought : sold) !== undefined) add(amounts, "priced", (consumed ?? 0) * time);
    if (bought !== undefined && consumed !== null)
      add(amounts, "baseline", consumed * share * (bought + delivery));
    if (bought !== undefined && imported !== null) {
      add(exchange, "imported", imported * time);
      add(exchange, "cost", imported * share * bought);
    }
    if (sold !== undefined && exported !== null) {
      add(exchange, "exported", exported * time);
      add(exchange, "worth", exported * share * sold);
    }
    const [cost, worth, out] = [bought ?? 0, sold ?? 0, valueOut * time];
    add(amounts, "valueChange", -out);
    if (!flows) return;
    const { solarToHome, solarToGrid, solarToBattery, batteryToHome, batteryToGrid } = flows;
    const { gridToHome, gridToBattery } = flows;
    add(amounts, "valueChange", share * (gridToBattery * cost + solarToBattery * worth));
    add(amounts, "solarSaving", share * (solarToHome * cost + (solarToGrid + solarToBattery) * worth));
    add(amounts, "batterySaving", share * (batteryToHome * cost + batteryToGrid * worth) - out);
    if (bought === undefined) return;
    const fromBattery = discharged ? (out * batteryToHome) / discharged : 0;
    add(amounts, "effective", share * (gridToHome * cost + solarToHome * worth) + fromBattery);
  }
}

/** The sum of blocks in each of which import and export are offset. */
export function offset(blocks: Iterable<MoneyAmounts>): MoneyAmounts {
  const sum: MoneyAmounts = {};
  for (const block of blocks) addAll(sum, { ...block, ...netted(block) });
  return sum;
}

/** What remains to pay, or is earned, once import and export are offset: at the mean price of the energy exchanged. */
function netted({ imported = 0, exported = 0, cost = 0, worth = 0 }: Exchange) {
  const rest = imported - exported;
  if (rest > 0) return { cost: (cost / imported) * rest, worth: 0 };
  return { cost: 0, worth: exported > 0 ? (worth / exported) * -rest : 0 };
}
