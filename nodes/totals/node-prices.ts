// The prices of a node: those that messages bring are kept, so that a day can be priced again, and those that an
// expression of the time gives, such as `$hour < 6 ? 0.21 : 0.34`, are evaluated for each quarter of an hour.
import { isDeepStrictEqual } from "node:util";
import type { Node, NodeAPI } from "node-red";
import { sharedClock } from "../../src/clock";
import { InputError } from "../../src/errors";
import { loopTurns } from "../../src/loop-turns";
import type { SettingValues } from "../../src/settings/table";
import { QUARTER, type SiteCalendar } from "../../src/site-calendar";
import { cachedPromise } from "../../src/single-flight";
import type { StateGroup } from "../../src/stored-state";
import { commonPart, DAY, type TimeWindow } from "../../src/time-units";
import {
  constantPrice,
  CURVE_FORM,
  isPriceList,
  MAX_PRICE,
  type PriceCurve,
  type PriceStep,
  readPrices,
  withPrices,
} from "../../src/totals/prices";
import { expressionValue, preparedExpression, propertyValue } from "../shared/runtime/base/property";
import type { Run } from "../shared/runtime/service/service-node";
import { fileGroup } from "../shared/runtime/state/storage";
import type { TOTALS } from "./settings";
import { decimalOf } from "../../src/settings/rules";

type Direction = "import" | "export";

export type TotalsSettings = SettingValues<typeof TOTALS>;

/** Where the prices come from. */
export function pricesIn(settings: TotalsSettings) {
  return {
    import: { text: settings.importPrice, type: settings.importPriceType },
    export: { text: settings.exportPrice, type: settings.exportPriceType },
  };
}

interface KnownPrices {
  /** Rejects with InputError. */
  curveIn(span: TimeWindow): Promise<PriceCurve>;
  /** Whether they came with their times, so that other ones are a correction. */
  readonly isDated: boolean;
}

/** Prices are stored together by so long a time, counted from the epoch. */
const MONTH = 31 * DAY;
/** For how long prices are kept, which bounds the months: one without an end applies for as long as no one corrects it. */
const MAX_PAST = 10 * 366 * DAY;
const MAX_FUTURE = 366 * DAY;
/** What makes the value of an expression depend on the time that it is for. */
const TIME_NAMES = /\$(?:hour|weekday|month|millis|now)\b/;

export class NodePrices {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #settings: TotalsSettings;
  /** Systems of one zone share the prices of a run. */
  readonly #byRun = new WeakMap<Run, Map<string, Promise<KnownPrices | undefined>>>();
  /** By direction and month. */
  readonly #months = new Map<string, PriceCurve>();
  /** Prices that came while the store could not be read correct what it has. Rejects with StoreError; the next call tries again. */
  readonly #load = cachedPromise(async () => {
    const stored = fileGroup(this.#RED, this.#node, { prices: "kept" }, CURVE_FORM);
    const known = (await stored?.load()) ?? [];
    const early = [...this.#months];
    this.#months.clear();
    for (const [name, prices] of known) this.#months.set(name, prices);
    for (const [name, prices] of early) this.#keep(name, prices, stored);
    return stored;
  });

  constructor(RED: NodeAPI, node: Node, settings: TotalsSettings) {
    this.#RED = RED;
    this.#node = node;
    this.#settings = settings;
  }

  /** Adds the prices of a payload, which correct what they overlap. Returns them. Throws InputError for what is no list of prices. */
  add(direction: Direction, payload: unknown): readonly PriceStep[] {
    const steps = stepsIn(readPrices(payload), keptPart({ start: -Infinity, end: Infinity }));
    const [first] = steps;
    if (!first) throw new InputError("pricesUnreadable");
    const end = Math.max(...steps.map((step) => step.end));
    // One message after the other: each corrects what those before it have brought.
    const keep = (stored?: StateGroup<PriceCurve>): void => {
      for (const index of partsOf({ start: first.start, end }, MONTH)) {
        const part = stepsIn(steps, { start: index * MONTH, end: (index + 1) * MONTH });
        this.#keep(`${direction} ${index}`, part, stored);
      }
    };
    void this.#load().then(keep, () => keep());
    return steps;
  }

  #keep(name: string, added: PriceCurve, stored: StateGroup<PriceCurve> | undefined): void {
    const known = this.#months.get(name) ?? [];
    const prices = withPrices(known, added);
    if (isDeepStrictEqual(prices, known)) return;
    this.#months.set(name, prices);
    // What cannot be stored lasts as long as the node.
    stored?.save(name, prices).catch(() => undefined);
  }

  /** The prices of a setting; undefined if none is set. Rejects with InputError, and StoreError. */
  of(run: Run, direction: Direction, calendar: SiteCalendar): Promise<KnownPrices | undefined> {
    const known = this.#byRun.get(run) ?? new Map<string, Promise<KnownPrices | undefined>>();
    this.#byRun.set(run, known);
    const key = `${direction} ${calendar.zone}`;
    const prices = known.get(key) ?? this.#find(run, direction, calendar);
    known.set(key, prices);
    return prices;
  }

  async #find(run: Run, direction: Direction, calendar: SiteCalendar): Promise<KnownPrices | undefined> {
    const { text, type } = pricesIn(this.#settings)[direction];
    if (type !== "prices") {
      if (text === "") return undefined;
      if (type === "jsonata" && TIME_NAMES.test(text)) return this.#byTime(run, text, calendar);
      const value =
        type === "num" ? text : (await propertyValue(this.#RED, this.#node, text, type, run.message)).value;
      if (isPriceList(value)) this.add(direction, value);
      else {
        const price = priceOf(value, nameOf(type, text));
        // A property that has lost its list, as after a restart, takes no prices from days that had them.
        const isLost = price === undefined && (await this.#hasKept(direction));
        const curve = constantPrice(price);
        if (!isLost) return { curveIn: () => Promise.resolve(curve), isDated: false };
      }
    }
    // As they are now: prices that come meanwhile must not be the key of numbers that they have not priced.
    await this.#load();
    const months = new Map(this.#months);
    const curveIn = async (span: TimeWindow): Promise<PriceCurve> =>
      joined(partsOf(keptPart(span), MONTH).map((index) => months.get(`${direction} ${index}`) ?? []));
    return { curveIn, isDated: true };
  }

  async #hasKept(direction: Direction): Promise<boolean> {
    await this.#load();
    return [...this.#months.keys()].some((name) => name.startsWith(direction));
  }

  /** Evaluates an expression for the days (UTC) that are read alone: it may take seconds for a year. */
  #byTime(run: Run, text: string, calendar: SiteCalendar): KnownPrices {
    const byDay = new Map<number, Promise<PriceCurve>>();
    return {
      curveIn: async (span) => {
        const days = partsOf(span, DAY).map((day) => {
          const prices = byDay.get(day) ?? this.#ofDay(run, text, calendar, day * DAY);
          byDay.set(day, prices);
          return prices;
        });
        return joined(await Promise.all(days));
      },
      isDated: false,
    };
  }

  /**
   * Evaluates an expression with `$hour` (0 to 23.75), `$weekday` (1 = Monday) and `$month` by the clock of the site; `$now()` and
   * `$millis()` are the time that a price is for.
   */
  async #ofDay(
    { message, signal }: Run,
    text: string,
    calendar: SiteCalendar,
    start: number,
  ): Promise<PriceCurve> {
    await loopTurns.next(signal);
    const expression = preparedExpression(this.#RED, this.#node, text);
    const steps: { start: number; end: number; price: number }[] = [];
    for (let time = start; time < start + DAY; time += QUARTER) {
      const local = calendar.iso(time);
      const [date = "", hour, minute] = local.split(/[T:]/);
      expression.assign("hour", Number(hour) + Number(minute) / 60);
      expression.assign("weekday", new Date(date).getUTCDay() || 7);
      expression.assign("month", Number(date.slice(5, 7)));
      expression.assign("millis", () => time);
      expression.assign("now", () => local);
      const { value } = await expressionValue(this.#RED, text, expression, message);
      const price = priceOf(value, `jsonata ${text}`);
      const last = steps.at(-1);
      if (price === undefined) continue;
      if (last?.end === time && last.price === price) last.end += QUARTER;
      else steps.push({ start: time, end: time + QUARTER, price });
    }
    return steps;
  }
}

/** As people write it: `msg.price`, but `env PRICE`. */
function nameOf(type: string, text: string): string {
  return ["msg", "flow", "global"].includes(type) ? `${type}.${text}` : `${type} ${text}`;
}

/** A price that is missing is unknown; anything else than a number is a mistake. */
function priceOf(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const price = decimalOf(value);
  if (price === null || Math.abs(price) > MAX_PRICE) throw new InputError("priceInvalid", { name });
  return price;
}

/** Curves in order as one. A single one is not copied: it may have thousands of steps, and each day of each system looks into it. */
function joined(curves: readonly PriceCurve[]): PriceCurve {
  const [first = []] = curves;
  return curves.length > 1 ? curves.flat() : first;
}

/** Of the parts of a length that time since the epoch has, which ones a span reaches into. */
function partsOf({ start, end }: TimeWindow, length: number): number[] {
  const [first, last] = [Math.floor(start / length), Math.floor((end - 1) / length)];
  return Array.from({ length: last - first + 1 }, (_none, index) => first + index);
}

function keptPart(span: TimeWindow): TimeWindow {
  const now = sharedClock.now();
  return commonPart(span, { start: now - MAX_PAST, end: now + MAX_FUTURE });
}

/** The parts of steps that lie in a span. */
function stepsIn(steps: readonly PriceStep[], span: TimeWindow): PriceStep[] {
  return steps
    .map((step) => ({ ...step, ...commonPart(step, span) }))
    .filter(({ start, end }) => start < end);
}
