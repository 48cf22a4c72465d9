// The work of totals for one system: reads the days of the period that are not known, and puts them together.
import type { Node, NodeAPI } from "node-red";
import { Reported } from "../../src/bounded-map";
import { digestOf } from "../../src/canonical-json";
import { AbortedError } from "../../src/errors";
import { readHistoryRequest } from "../../src/history/plan";
import { siteDayWindows } from "../../src/history/site-day";
import { shownMeasurement } from "../../src/models/measurements";
import { RecordReader } from "../../src/reading/record-reader";
import { type SeriesAddress, seriesId } from "../../src/series/identity";
import type { SettingValues } from "../../src/settings/kinds";
import { DAY } from "../../src/time-units";
import type { MoneyRule, Netting } from "../../src/totals/money";
import type { TotalsPayload } from "../../src/totals/payload";
import { type LocalDay, SiteCalendar, type Span } from "../../src/totals/period";
import { KNOWN_DAYS_FORM } from "../../src/totals/stored-days";
import { type DayRule, type DayRun, type DayTotals, readDay, SystemDays } from "../../src/totals/system-days";
import { periodTotals } from "../../src/totals/totals";
import { type StatusText, warningStatus } from "../shared/runtime/base/status";
import { readerOf, recordSource } from "../shared/runtime/records/record-ports";
import { accountKey } from "../shared/runtime/service/account";
import type { Run } from "../shared/runtime/service/service-node";
import { reportUnreadable } from "../shared/runtime/service/unreadable";
import { fileStorage } from "../shared/runtime/state/storage";
import type { NodePrices } from "./node-prices";
import type { TOTALS } from "./settings";
import { SiteFactsBook } from "./site-facts";

type TotalsSettings = SettingValues<typeof TOTALS>;

/** Days before the period that a schedule looks at for late records. */
const DAYS_BACK = 4;
/** Days that are read at the same time. */
const READ_AHEAD = 4;

export class TotalsReader {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #prices: NodePrices;
  readonly #facts = new SiteFactsBook();
  readonly #reported = new Reported();

  constructor(RED: NodeAPI, node: Node, prices: NodePrices) {
    this.#RED = RED;
    this.#node = node;
    this.#prices = prices;
  }

  /**
   * Sends the totals of one system and, on a schedule, those of earlier days that have changed.
   * @param isFleet whether the run reads many systems
   */
  async read(
    run: Run,
    address: SeriesAddress,
    settings: TotalsSettings,
    isFleet: boolean,
  ): Promise<TotalsPayload> {
    const facts = await this.#facts.of(run, address, isFleet);
    const calendar = new SiteCalendar(facts.timezone);
    const now = run.clock.now();
    const span = periodOf(settings, calendar, run, now);
    const known = { start: span.start - (DAYS_BACK + 1) * DAY, end: Math.min(span.end, now + DAY) };
    const rule = await this.#ruleOf(run, settings, facts.equipment, known);
    const days = this.#daysOf(run, address);
    const dayRun = this.#dayRun(run, address, settings, now);
    const chain = new DayChain(days, rule, calendar);
    const { split, unit, currency, period } = settings;
    const { siteId, systemId } = address;
    const shown = { siteId, systemId, unit, currency: currency || "EUR" };
    const totalsRule = { ...facts, ...shown, calendar, split, money: rule.money };
    const partsOf = split === "hour" ? (day: LocalDay) => calendar.hours(day) : undefined;
    const send = async (name: string, part: Span, totals: readonly DayTotals[]): Promise<TotalsPayload> => {
      const payload = periodTotals(name, part, totals, totalsRule);
      const { startTime, endTime, quality } = payload;
      const { revision } = quality;
      const energy = { kind: "totals", period: name, split, unit, startTime, endTime, revision } as const;
      await run.reply({ payload, address, energy });
      return payload;
    };
    const isOfDay = period === "today" || period === "yesterday";
    if (!run.isByMessage && isOfDay)
      for (const totals of await chain.corrected(span.start, dayRun)) {
        // A day that is sent again is split as before.
        const [again = totals] = partsOf ? await chain.read([totals.day], { ...dayRun, partsOf }) : [];
        await send("day", totals.day, [again]);
      }
    const until = Math.min(span.end, Math.max(now, span.start + 1));
    const asked = calendar.days({ start: span.start, end: until }).map((day) => whole(day, span, calendar));
    const payload = await send(period, span, await chain.read(asked, { ...dayRun, partsOf }));
    await days.saved();
    // The run keeps one of each system.
    return { ...payload, parts: [] };
  }

  async #ruleOf(
    run: Run,
    settings: TotalsSettings,
    equipment: DayRule["equipment"],
    span: Span,
  ): Promise<DayRule> {
    const {
      priority,
      fixed,
      fixedPer,
      delivery,
      importPrice,
      importPriceType,
      exportPrice,
      exportPriceType,
    } = settings;
    const bought = await this.#prices.of(run, "import", { text: importPrice, type: importPriceType }, span);
    const sold = await this.#prices.of(run, "export", { text: exportPrice, type: exportPriceType }, span);
    const netting = nettingOf(settings.netting);
    const money: MoneyRule | undefined =
      bought || sold
        ? { importPrice: bought?.curve, exportPrice: sold?.curve, fixed, fixedPer, netting, delivery }
        : undefined;
    const keyOf = (day: Span): string =>
      digestOf(
        [
          priority,
          [...equipment.absent],
          equipment.isSolarUnmeasured,
          money && [netting, delivery],
          bought?.keyOf(day),
          sold?.keyOf(day),
        ],
        "base64url",
      ).slice(0, 16);
    const hasDatedPrices = Boolean(bought?.isDated || sold?.isDated);
    return { equipment, priority, money, keyOf, hasDatedPrices };
  }

  #dayRun(run: Run, address: SeriesAddress, settings: TotalsSettings, now: number): DayRun {
    const reader = readerOf(this.#node, settings);
    const source = recordSource(run, address, { source: "telemetry", isPastBacklog: true, reader });
    const records = new RecordReader(source, run.clock, run.signal, Number.POSITIVE_INFINITY);
    return {
      now,
      isByMessage: run.isByMessage,
      read: async (span) => {
        const { missing, unreadable, ...found } = await records.read(span);
        reportUnreadable(run, this.#reported, unreadable, address);
        const [failing] = missing;
        if (failing) throw failing.error;
        return found.records;
      },
    };
  }

  #daysOf(run: Run, address: SeriesAddress): SystemDays {
    if (!this.#RED.settings.userDir) return new SystemDays(() => undefined);
    const storage = fileStorage(this.#RED, this.#node);
    const accountId = accountKey(run.account());
    const series = seriesId(address, "telemetry");
    return new SystemDays((month) => storage({ accountId, totals: series, month }, KNOWN_DAYS_FORM));
  }
}

/** Reads days in order, each from the battery's account of the day before, and ahead of that where it has to. */
class DayChain {
  readonly #days: SystemDays;
  readonly #rule: DayRule;
  readonly #calendar: SiteCalendar;

  constructor(days: SystemDays, rule: DayRule, calendar: SiteCalendar) {
    this.#days = days;
    this.#rule = rule;
    this.#calendar = calendar;
  }

  /** The days before a time that now have other numbers than when they were sent, and those after them. */
  async corrected(time: number, run: DayRun): Promise<DayTotals[]> {
    const past = this.#daysBefore(time);
    let first = 0;
    for (const day of past) {
      if (await this.#days.isDue(day, this.#rule, run.now)) break;
      first += 1;
    }
    return (await this.read(past.slice(first), run)).filter(({ isRevised }) => isRevised);
  }

  async read(days: readonly LocalDay[], run: DayRun): Promise<DayTotals[]> {
    const [first] = days;
    if (!first) return [];
    const before = this.#daysBefore(first.start);
    const unfinished = await this.#days.unfinished(before);
    // The battery's account goes on over days that no one asked for; without them, it begins anew.
    if (unfinished.length > 0 && !this.#rule.equipment.absent.has("storage"))
      await this.#readAll(unfinished, { ...run, partsOf: undefined }).catch((error: unknown) => {
        if (error instanceof AbortedError) throw error;
      });
    return this.#readAll(days, run);
  }

  #daysBefore(time: number): LocalDay[] {
    const start = this.#calendar.period("today", time - DAYS_BACK * DAY).start;
    return this.#calendar.days({ start, end: time }).filter((day) => day.days === 1);
  }

  async #readAll(days: readonly LocalDay[], run: DayRun): Promise<DayTotals[]> {
    const [first] = days;
    const before = first && this.#daysBefore(first.start).at(-1);
    let begin = before && (await this.#days.beginning(before));
    const ahead = new Map<string, ReturnType<typeof readDay>>();
    const all: DayTotals[] = [];
    for (const [index, day] of days.entries()) {
      for (const next of days.slice(index, index + READ_AHEAD)) {
        if (ahead.has(next.date) || !(await this.#days.isUnread(next, this.#rule, run))) continue;
        const reading = readDay(next, run);
        // Awaited in its turn: until then a failure must not count as unhandled.
        reading.catch(() => undefined);
        ahead.set(next.date, reading);
      }
      const records = await ahead.get(day.date);
      ahead.delete(day.date);
      const { totals, next } = await this.#days.totals(day, begin, this.#rule, run, records);
      begin = next;
      all.push(totals);
    }
    return all;
  }
}

/** A day as long as it will be, even while it runs. */
function whole(day: LocalDay, span: Span, calendar: SiteCalendar): LocalDay {
  if (day.end >= span.end) return day;
  const [one = day] = calendar.days({
    start: day.start,
    end: Math.min(calendar.period("today", day.start).end, span.end),
  });
  return one;
}

function periodOf({ period }: TotalsSettings, calendar: SiteCalendar, run: Run, now: number): Span {
  if (period !== "message") return calendar.period(period, now);
  const request = readHistoryRequest(run.message.payload, now);
  if ("start" in request) return request;
  const windows = siteDayWindows(calendar.zone, request.day, request.days);
  return { start: windows[0]?.start ?? now, end: windows.at(-1)?.end ?? now };
}

function nettingOf(netting: TotalsSettings["netting"]): Netting {
  switch (netting) {
    case "15":
      return 15;
    case "30":
      return 30;
    case "60":
      return 60;
    default:
      return netting;
  }
}

/** `yesterday: 12.4 kWh, 71 % own, saved 2.31 EUR` */
export function totalsStatus(
  RED: NodeAPI,
  payloads: readonly TotalsPayload[],
  { unit }: Pick<TotalsSettings, "unit">,
): StatusText {
  const [payload] = payloads;
  if (!payload) return warningStatus("noSites");
  const period = RED._(`@energy-sites/node-red/totals:option.period.${payload.period}`);
  if (payloads.length > 1) return { key: "totals:systems", values: { period, count: payloads.length } };
  const { energy, share, money, quality } = payload;
  if (quality.coverage < 1)
    return warningStatus("totals:covered", { period, percent: Math.floor(quality.coverage * 100) });
  const used = shownMeasurement((energy.consumed ?? 0) * (unit === "kWh" ? 1000 : 1), "Wh");
  if (share.selfSufficiency === null) return { key: "totals:energy", values: { period, used } };
  const own = Math.round(share.selfSufficiency);
  if (!money || money.saving === null) return { key: "totals:own", values: { period, used, own } };
  return {
    key: "totals:saved",
    values: { period, used, own, saved: `${money.saving.toFixed(2)} ${money.currency}` },
  };
}
