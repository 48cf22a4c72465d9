// The prices of a node: those that messages bring are kept by the month, so that a day can be priced again.
import type { Node, NodeAPI } from "node-red";
import { setNewest } from "../../src/bounded-map";
import { sharedClock } from "../../src/clock";
import { InputError } from "../../src/errors";
import { decimalOf } from "../../src/models/measurements";
import { type StateForm, StoredState } from "../../src/stored-state";
import { DAY, MINUTE } from "../../src/time-units";
import type { SiteCalendar, Span } from "../../src/totals/period";
import {
  constantPrice,
  isPriceList,
  type PriceCurve,
  priceSteps,
  type PriceStep,
  readPrices,
  withPrices,
} from "../../src/totals/prices";
import { propertyValue } from "../shared/runtime/base/property";
import type { Run } from "../shared/runtime/service/service-node";
import { fileStorage } from "../shared/runtime/state/storage";
import { isByTime, pricesByTime } from "./price-by-time";

export type Direction = "import" | "export";

/** Where a price comes from. */
export interface PriceSetting {
  text: string;
  type: "num" | "msg" | "flow" | "global" | "env" | "jsonata" | "prices";
}

/** Prices of a period, and what identifies those of a part of it. */
export interface KnownPrices {
  readonly curve: PriceCurve;
  readonly keyOf: (span: Span) => unknown;
  /** Whether they belong to times. */
  readonly isDated: boolean;
}

type Month = readonly PriceStep[];
type StoredStep = readonly [start: number, end: number, price: number];

/** How far prices are kept: a price without an end applies from long ago, for as long as no one corrects it. */
const MAX_PAST = 10 * 366 * DAY;
const MAX_FUTURE = 366 * DAY;
/** Months in memory: a year and the next month, for both directions. */
const MAX_MONTHS = 28;

const FORM: StateForm<Month> = {
  read(stored) {
    if (!Array.isArray(stored) || !stored.every(isStoredStep)) return undefined;
    return stored.map(([start, end, price]) => ({ start, end, price }));
  },
  toStored: (steps) => steps.map(({ start, end, price }): StoredStep => [start, end, price]),
};

function isStoredStep(step: unknown): step is StoredStep {
  return Array.isArray(step) && step.length === 3 && step.every((part) => Number.isFinite(part));
}

export class NodePrices {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  /** What was added last: every run, and each system of it, finds the same list in a property. */
  readonly #added = new Map<Direction, string>();
  /** By direction and UTC month. */
  readonly #months = new Map<string, StoredState<Month>>();

  /** What expressions of the time say in a run. */
  readonly #byRun = new WeakMap<Run, Map<string, Promise<PriceStep[]>>>();
  #adding: Promise<unknown> = Promise.resolve();

  constructor(RED: NodeAPI, node: Node) {
    this.#RED = RED;
    this.#node = node;
  }

  /** Adds the prices of a payload, which correct what they overlap. Returns them. Throws InputError for what is no list of prices. */
  add(direction: Direction, payload: unknown): readonly PriceStep[] {
    const [earliest, latest] = [sharedClock.now() - MAX_PAST, sharedClock.now() + MAX_FUTURE];
    const steps = readPrices(payload).flatMap((step) => {
      const [start, end] = [Math.max(step.start, earliest), Math.min(step.end, latest)];
      return start < end ? [{ ...step, start, end }] : [];
    });
    const [first] = steps;
    if (!first) throw new InputError("pricesUnreadable");
    const text = JSON.stringify(steps);
    if (this.#added.get(direction) === text) return steps;
    this.#added.set(direction, text);
    const end = Math.max(...steps.map((step) => step.end));
    const changes = monthsOf({ start: first.start, end }).map(async (name) => {
      const month = this.#month(`${direction} ${name}`);
      await load(month);
      // What cannot be stored lasts as long as the node.
      month.set(withPrices(month.current ?? [], stepsIn(name, steps))).catch(() => undefined);
    });
    this.#adding = Promise.all([this.#adding, ...changes]);
    return steps;
  }

  /** The prices of a setting over a period; undefined if none is set. Rejects with InputError. */
  async of(
    run: Run,
    direction: Direction,
    { text, type }: PriceSetting,
    span: Span & { calendar: SiteCalendar },
  ): Promise<KnownPrices | undefined> {
    if (type === "num") {
      const price = decimalOf(text);
      return price === null ? undefined : constant(price);
    }
    if (type !== "prices") {
      if (text === "") return undefined;
      if (type === "jsonata" && isByTime(text)) return this.#byTime(run, text, span);
      const { value } = await propertyValue(this.#RED, this.#node, text, type, run.message);
      if (!isPriceList(value)) return constant(priceOf(value, type, text));
      this.add(direction, value);
    }
    await this.#adding;
    const names = monthsOf(span).map((name) => `${direction} ${name}`);
    const months = await Promise.all(names.map((name) => load(this.#month(name))));
    return { ...stepped(months.flat()), isDated: true };
  }

  /** Systems of one zone share what an expression says in a run. */
  async #byTime(run: Run, text: string, span: Span & { calendar: SiteCalendar }): Promise<KnownPrices> {
    const known = this.#byRun.get(run) ?? new Map<string, Promise<PriceStep[]>>();
    this.#byRun.set(run, known);
    const key = JSON.stringify([text, span.calendar.zone, span.start, Math.floor(span.end / MINUTE)]);
    const steps =
      known.get(key) ??
      pricesByTime(this.#RED, this.#node, run, text, span, (value) => priceOf(value, "jsonata", text));
    known.set(key, steps);
    return { ...stepped(await steps), isDated: false };
  }

  #month(key: string): StoredState<Month> {
    const month =
      this.#months.get(key) ?? new StoredState(fileStorage(this.#RED, this.#node)({ prices: key }, FORM));
    setNewest(this.#months, key, month, MAX_MONTHS);
    return month;
  }
}

function stepped(steps: readonly PriceStep[]): Pick<KnownPrices, "curve" | "keyOf"> {
  const curve = priceSteps(steps);
  const keyOf = ({ start, end }: Span): unknown =>
    curve.parts(start, end).map((part) => [part.start, part.price ?? null]);
  return { curve, keyOf };
}

/** What cannot be read is not known. */
async function load(month: StoredState<Month>): Promise<Month> {
  await month.load().catch(() => undefined);
  return month.current ?? [];
}

function constant(price: number | undefined): KnownPrices {
  return { curve: constantPrice(price), keyOf: () => price ?? null, isDated: false };
}

/** A price that is missing is unknown; anything else than a number is a mistake. */
function priceOf(value: unknown, type: string, text: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const price = decimalOf(value);
  if (price === null) throw new InputError("priceInvalid", { name: `${type} ${text}` });
  return price;
}

function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

/** The UTC months of a span. */
function monthsOf({ start, end }: Span): string[] {
  const months = new Set<string>();
  for (let time = start; time < end; time += DAY) months.add(monthOf(time));
  months.add(monthOf(end - 1));
  return [...months];
}

/** The parts of steps that lie in a month. */
function stepsIn(month: string, steps: readonly PriceStep[]): PriceStep[] {
  const first = new Date(`${month}-01`);
  const [from, to] = [first.getTime(), Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1)];
  return steps.flatMap((step) => {
    const [start, end] = [Math.max(step.start, from), Math.min(step.end, to)];
    return start < end ? [{ ...step, start, end }] : [];
  });
}
