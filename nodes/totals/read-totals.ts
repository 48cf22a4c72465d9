// The work of totals for one system: reads the days of the period that are not known, and puts them together.
import type { NodeAPI } from "node-red";
import { digestOf } from "../../src/canonical-json";
import { assertNotFuture, planDays, readHistoryRequest } from "../../src/history/plan";
import { MAX_HISTORY_DAYS, MAX_HOURLY_DAYS } from "../../src/limits";
import { loopTurns } from "../../src/loop-turns";
import { decimalsOf, shownMeasurement } from "../../src/models/measurements";
import { RecordReader } from "../../src/reading/record-reader";
import type { ResolvedSeries } from "../../src/series/series-book";
import { calendarOf, type SiteCalendar } from "../../src/site-calendar";
import { DAY, type TimeWindow } from "../../src/time-units";
import { LATEST, periodTotals, type TotalsPayload } from "../../src/totals/payload";
import { systemFacts } from "../../src/totals/energies";
import { type DayStores, KNOWN_DAYS_FORM } from "../../src/totals/stored-days";
import { type DayTotals, type PricedDayRule, SystemDays } from "../../src/totals/system-days";
import { pricesBetween } from "../../src/totals/prices";
import type { Tariff } from "../../src/totals/trace";
import { catalogueText } from "../shared/runtime/base/errors";
import { type StatusText, warningStatus } from "../shared/runtime/base/status";
import { SeriesReading } from "../shared/runtime/records/record-ports";
import { siteInTime } from "../shared/runtime/series/known-series";
import type { Run } from "../shared/runtime/service/service-node";
import type { Storage } from "../shared/runtime/state/storage";
import type { NodePrices, TotalsSettings } from "./node-prices";

/** Days of all systems of a node that are kept: ten years of twenty systems. */
const MAX_DAYS = 80_000;
/** Of each, however many systems there are: a schedule goes on from those before its period. */
const MIN_DAYS = 8;

/**
 * Sends the totals of one system and, on a schedule, those of earlier days that have changed.
 * @param systems that the run reads
 */
export async function readTotals(
  { prices, storage }: { readonly prices: NodePrices; readonly storage: Storage },
  run: Run,
  series: ResolvedSeries,
  settings: TotalsSettings,
  systems: number,
): Promise<TotalsPayload> {
  // Days that are known cost no request: thousands of systems would hold the event loop.
  await loopTurns.next(run.signal);
  const { siteId, systemId, names } = series;
  const address = { siteId, systemId };
  const site = await siteInTime(run, siteId);
  const facts = systemFacts(site, systemId);
  const calendar = calendarOf(site.timezone);
  const now = run.clock.now();
  const span = periodOf(settings, calendar, run, now);
  const rule = await ruleOf(prices, run, settings, facts.absent, calendar);
  const { split, unit, currency, period } = settings;
  // An expression that cannot be evaluated fails before anything is requested.
  const money = await rule.moneyIn({ start: span.start, end: span.start + 1 });
  const totalsRule = { ...facts, siteId, systemId, unit, currency, now, ...rule, money };
  const send = async (name: string, end: number, totals: readonly DayTotals[]): Promise<TotalsPayload> => {
    const payload = await periodTotals(name, end, totals, totalsRule);
    const { startTime, endTime, quality } = payload;
    const about = { period: name, split, unit, startTime, endTime, revision: quality.revision };
    const counters = split === "hour" && totals.flatMap(({ parts }) => parts.map(({ readings }) => readings));
    const energy = { kind: "totals", ...about, ...names, ...(counters && { counters }) } as const;
    await run.reply({ payload, address, energy });
    return payload;
  };
  const isResent = period === "today" || period === "yesterday";
  const reading = new SeriesReading(run, series, { source: "telemetry" });
  const records = new RecordReader(reading, run.clock, run.signal, Number.POSITIVE_INFINITY);
  const { accountId } = run.account();
  const kept = Math.max(MIN_DAYS, Math.floor(MAX_DAYS / systems));
  const begun = calendar.days(span).filter(({ start }) => start <= now);
  // What is stored counts as sent, and of days before the period a schedule sends what is new.
  const isForSchedule = run.isByMessage && isResent && settings.repeat > 0;
  const stores: DayStores = {
    of: (month) => storage({ accountId, totals: reading.id, month }, KNOWN_DAYS_FORM),
    since: new Date(now - kept * DAY).toISOString().slice(0, 10),
    writtenFrom: isForSchedule ? begun[0]?.date : undefined,
  };
  const days = new SystemDays(stores, rule, {
    now,
    isByMessage: run.isByMessage,
    async read(window) {
      const found = await records.read(window);
      reading.report(found.unreadable);
      return found;
    },
    earlier:
      isResent && !run.isByMessage
        ? { withSkipped: period === "yesterday", send: (one) => send("day", one.day.end, [one]) }
        : undefined,
  });
  const payload = await send(period, span.end, await days.read(begun));
  await days.saved();
  return payload;
}

async function ruleOf(
  prices: NodePrices,
  run: Run,
  settings: TotalsSettings,
  absent: PricedDayRule["absent"],
  calendar: SiteCalendar,
): Promise<PricedDayRule> {
  const { priority, split, fixed, fixedPer, delivery, netting } = settings;
  const bought = await prices.of(run, "import", calendar);
  const sold = await prices.of(run, "export", calendar);
  const isPriced = bought !== undefined || sold !== undefined;
  const tariffIn = async (span: TimeWindow): Promise<Tariff> => ({
    importPrice: await bought?.curveIn(span),
    exportPrice: await sold?.curveIn(span),
  });
  return {
    calendar,
    absent,
    priority,
    split,
    moneyIn: async (span) =>
      isPriced ? { ...(await tariffIn(span)), fixed, fixedPer, netting, delivery } : undefined,
    async keyOf(span) {
      const curves = Object.values(await tariffIn(span));
      const priced = curves.map((curve) => curve && pricesBetween(curve, span.start, span.end));
      const of = [priority, [...absent], isPriced && [netting, delivery], ...priced];
      return digestOf(of, "base64url").slice(0, 16);
    },
    hasDatedPrices: Boolean(bought?.isDated || sold?.isDated),
  };
}

function periodOf(
  { period, split }: TotalsSettings,
  calendar: SiteCalendar,
  run: Run,
  now: number,
): TimeWindow {
  if (period !== "message") return calendar.period(period, now);
  const maxDays = split === "hour" ? MAX_HOURLY_DAYS : MAX_HISTORY_DAYS;
  const request = readHistoryRequest(run.message.payload, maxDays);
  if ("start" in request) {
    assertNotFuture(request.start, "msg.payload.startTime", now);
    return request;
  }
  const windows = planDays(request, calendar.zone, now);
  return { start: windows[0]?.start ?? now, end: windows.at(-1)?.end ?? now };
}

/** `Yesterday: 12.4 kWh used, 71 % self-sufficient, saved 2.31 EUR`; of several systems, or none, how many they are. */
export function totalsStatus(
  RED: NodeAPI,
  settings: Pick<TotalsSettings, "unit" | "period">,
  payloads: readonly TotalsPayload[],
  now: number,
): StatusText {
  const { unit } = settings;
  const period = catalogueText(RED, `totals:option.period.${settings.period}`);
  const systemsRead: StatusText = { key: "totals:systems", values: { period, count: payloads.length } };
  const [payload, another] = payloads;
  if (!payload || another) return systemsRead;
  const { energy, share, money, quality, startTime, until } = payload;
  const isAwaited = until === startTime && now - Date.parse(startTime) < LATEST;
  if (quality.coverage < 1 && !isAwaited)
    return warningStatus("totals:covered", { period, percent: Math.floor(quality.coverage * 100) });
  // Unknown is not 0.
  if (energy.consumed === null) return systemsRead;
  const used = shownMeasurement(energy.consumed * (unit === "kWh" ? 1000 : 1), "Wh");
  if (share.selfSufficiency === null) return { key: "totals:energy", values: { period, used } };
  const own = Math.round(share.selfSufficiency);
  if (!money || money.saving === null) return { key: "totals:own", values: { period, used, own } };
  const saved = `${money.saving.toFixed(decimalsOf(money.currency))} ${money.currency}`;
  return { key: "totals:saved", values: { period, used, own, saved } };
}
