// The work of totals for one system: reads the days of the period that are not known, and puts them together.
import type { Node, NodeAPI } from "node-red";
import { Reported } from "../../src/bounded-map";
import { digestOf } from "../../src/canonical-json";
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
import type { KnownPrices, NodePrices } from "./node-prices";
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
    const known = { start: span.start - DAYS_BACK * DAY, end: Math.min(span.end, now + DAY) };
    const rule = await this.#ruleOf(run, settings, facts.equipment, known);
    const days = this.#daysOf(run, address);
    const dayRun = this.#dayRun(run, address, settings, now);
    const chain = new DayChain(days, rule, calendar);
    const { split, unit, currency, period } = settings;
    const totalsRule = { ...facts, calendar, split, unit, currency: currency || "EUR", money: rule.money };
    const payloadOf = (part: Span, totals: readonly DayTotals[]): TotalsPayload => ({
      ...address,
      siteId: address.siteId,
      systemId: address.systemId,
      period,
      ...periodTotals(part, totals, totalsRule),
      timezone: calendar.zone,
    });
    const partsOf = split === "hour" ? (day: LocalDay) => calendar.hours(day) : undefined;
    const isOfDay = period === "today" || period === "yesterday";
    if (!run.isByMessage && isOfDay) {
      const past = calendar
        .days({ start: span.start - DAYS_BACK * DAY, end: span.start })
        .filter(({ days: share }) => share === 1);
      const [first] = await days.daysDue(past, now);
      const changed = first ? past.filter(({ start }) => start >= first.start) : [];
      for (const totals of await chain.read(changed, dayRun))
        if (totals.isRevised) {
          // A day that is sent again is split as before.
          const [whole = totals] = partsOf ? await chain.read([totals.day], { ...dayRun, partsOf }) : [];
          await this.#send(run, address, settings, payloadOf(totals.day, [whole]));
        }
    }
    const all = await chain.read(
      calendar
        .days({ start: span.start, end: Math.min(span.end, Math.max(now, span.start + 1)) })
        .map((day) => whole(day, span, calendar)),
      { ...dayRun, partsOf },
    );
    const payload = payloadOf(span, all);
    await this.#send(run, address, settings, payload);
    return payload;
  }

  async #send(
    run: Run,
    address: SeriesAddress,
    { split, unit }: TotalsSettings,
    payload: TotalsPayload,
  ): Promise<void> {
    const { period, startTime, endTime, quality } = payload;
    const energy = {
      kind: "totals",
      period,
      split,
      unit,
      startTime,
      endTime,
      revision: quality.revision,
    } as const;
    await run.reply({ payload, address, energy });
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
    const keyOfPrices = (prices: KnownPrices | undefined, day: Span): unknown => prices?.keyOf(day);
    const keyOf = (day: Span): string =>
      digestOf(
        [
          priority,
          [...equipment.absent],
          equipment.isSolarUnmeasured,
          money && [netting, delivery],
          keyOfPrices(bought, day),
          keyOfPrices(sold, day),
        ],
        "base64url",
      ).slice(0, 16);
    return { equipment, priority, money, keyOf };
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

  async read(days: readonly LocalDay[], run: DayRun): Promise<DayTotals[]> {
    const [first] = days;
    if (!first) return [];
    const [before] = this.#calendar.days({ start: first.start - 1, end: first.start });
    let begin = before && (await this.#days.beginning(before.date));
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
