// What the energy of a part of a period cost, earned and saved, as sums that add up over parts.
import type { TracedInterval, Tariff } from "./trace";

/** Over how long import and export are offset against each other: minutes, or a local day, month or year. */
export type Netting = "none" | 15 | 30 | 60 | "day" | "month" | "year";

export interface MoneyRule {
  /** Prices in money per kWh; undefined = not set. */
  readonly importPrice: Tariff["importPrice"] | undefined;
  readonly exportPrice: Tariff["exportPrice"] | undefined;
  /** Money a day, or a month. */
  readonly fixed: number;
  readonly fixedPer: "day" | "month";
  readonly netting: Netting;
  /** Money per kWh of import, on top, however it is netted. */
  readonly delivery: number;
}

/** Import and export of a time, priced: Wh and money. */
export interface Exchange {
  imported: number;
  exported: number;
  cost: number;
  worth: number;
}

/** Plain data; money in the currency, energy in Wh. */
export interface MoneySums {
  /** Energy used, and the part of it that has a price. */
  used: number;
  priced: number;
  /** How long prices are known for intervals that are, in milliseconds. */
  pricedTime: number;
  /** Before netting. */
  gross: Exchange;
  /** After netting within the blocks of a day; equals `gross` without. */
  cost: number;
  worth: number;
  delivery: number;
  /** What all energy used would have cost. */
  baseline: number;
  solarSaving: number;
  batterySaving: number;
  /** What the energy used is worth: from the grid at its price, from the sun at what export would have earned. */
  effective: number;
  /** By how much the value of the battery's content changed. */
  valueChange: number;
}

const WH_PER_KWH = 1000;

export function noMoney(): MoneySums {
  const gross = { imported: 0, exported: 0, cost: 0, worth: 0 };
  const [used, priced, pricedTime, cost, worth, delivery, baseline] = [0, 0, 0, 0, 0, 0, 0];
  const [solarSaving, batterySaving, effective, valueChange] = [0, 0, 0, 0];
  return {
    used,
    priced,
    pricedTime,
    gross,
    cost,
    worth,
    delivery,
    baseline,
    solarSaving,
    batterySaving,
    effective,
    valueChange,
  };
}

/** Adds the part of an interval from `start` to `end`, without netting. Returns what was exchanged at each price. */
export function addMoney(
  sums: MoneySums,
  interval: TracedInterval,
  { start, end }: { start: number; end: number },
  rule: MoneyRule,
): (Exchange & { start: number })[] {
  if (Object.values(interval.energies).every((energy) => energy === null)) return [];
  const length = interval.end - interval.start;
  sums.valueChange += interval.valueChange * ((end - start) / length);
  const exchanges: (Exchange & { start: number })[] = [];
  for (const part of pricedParts(rule, start, end)) {
    const share = (part.end - part.start) / length / WH_PER_KWH;
    const { imported, exported, consumed, discharged } = interval.energies;
    const used = (consumed ?? 0) * share;
    sums.used += used * WH_PER_KWH;
    if (!part.isPriced) continue;
    const { importPrice = 0, exportPrice = 0 } = part;
    sums.priced += used * WH_PER_KWH;
    sums.pricedTime += part.end - part.start;
    sums.baseline += used * (importPrice + rule.delivery);
    sums.delivery += (imported ?? 0) * share * rule.delivery;
    const exchange = {
      start: part.start,
      imported: (imported ?? 0) * share * WH_PER_KWH,
      exported: (exported ?? 0) * share * WH_PER_KWH,
      cost: (imported ?? 0) * share * importPrice,
      worth: (exported ?? 0) * share * exportPrice,
    };
    exchanges.push(exchange);
    addExchange(sums.gross, exchange);
    const { flows, valueOut } = interval;
    if (!flows) continue;
    const { solarToHome, solarToGrid, solarToBattery, batteryToHome, batteryToGrid, gridToHome } = flows;
    const out = valueOut * share * WH_PER_KWH;
    sums.solarSaving += share * (solarToHome * importPrice + (solarToGrid + solarToBattery) * exportPrice);
    sums.batterySaving += share * (batteryToHome * importPrice + batteryToGrid * exportPrice) - out;
    const fromBattery = discharged ? (out * batteryToHome) / discharged : 0;
    sums.effective += share * (gridToHome * importPrice + solarToHome * exportPrice) + fromBattery;
  }
  return exchanges;
}

export function addExchange(sum: Exchange, { imported, exported, cost, worth }: Exchange): void {
  sum.imported += imported;
  sum.exported += exported;
  sum.cost += cost;
  sum.worth += worth;
}

/** What remains to pay, or is earned, once import and export are offset: at the mean price of the energy exchanged. */
export function netted({ imported, exported, cost, worth }: Exchange): { cost: number; worth: number } {
  const rest = imported - exported;
  if (rest > 0) return { cost: (cost / imported) * rest, worth: 0 };
  return { cost: 0, worth: exported > 0 ? (worth / exported) * -rest : 0 };
}

interface PricedPart {
  start: number;
  end: number;
  importPrice: number | undefined;
  exportPrice: number | undefined;
  /** Whether every price that is set is known. */
  isPriced: boolean;
}

function pricedParts({ importPrice, exportPrice }: MoneyRule, start: number, end: number): PricedPart[] {
  const whole = [{ start, end, price: undefined }];
  return (importPrice?.parts(start, end) ?? whole).flatMap((bought) =>
    (exportPrice?.parts(bought.start, bought.end) ?? [{ ...bought, price: undefined }]).map((sold) => ({
      start: sold.start,
      end: sold.end,
      importPrice: bought.price,
      exportPrice: sold.price,
      isPriced:
        (importPrice === undefined || bought.price !== undefined) &&
        (exportPrice === undefined || sold.price !== undefined),
    })),
  );
}
