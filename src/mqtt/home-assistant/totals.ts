// Totals in Home Assistant: energy, percentages and money of today, yesterday and so on, as entities of the device of the readings.
import { addressOf, type FlowMessage } from "../../messages/reader";
import { isServiceObject, type ServiceObject } from "../../models/service-object";
import { parseServiceTime } from "../../models/time";
import type { SeriesAddress } from "../../series/identity";
import { isId } from "../../settings/rules";
import { shownName } from "../../shown-text";
import { DAY, HOUR } from "../../time-units";
import { type Publication, type PublishRule, seriesTopic, topicLevel } from "../publications";
import { availabilityOf, type Component } from "./discovery";
import { PERCENTAGE } from "./entities";
import { NAMES } from "./names";

/** The longest that each period can be, in days; `message` can be any, so it has no entities. */
const PERIODS = {
  today: 1,
  yesterday: 1,
  week: 7,
  lastWeek: 7,
  month: 31,
  lastMonth: 31,
  year: 366,
  lastYear: 366,
} as const;

type PeriodName = keyof typeof PERIODS;

/** Where clocks change, a day is an hour longer; and the next totals may come a little later. */
const TOLERANCE = 2 * HOUR;

const ENERGY = { device_class: "energy", state_class: "total" };
const MONEY = { device_class: "monetary", state_class: "total", suggested_display_precision: 2 };

/** By entity: the group of the payload, the field there if it has another name, and fields of the discovery message. */
const FIELDS = {
  solar: { group: "energy", traits: { ...ENERGY, icon: "mdi:solar-power" } },
  imported: { group: "energy", traits: { ...ENERGY, icon: "mdi:transmission-tower-export" } },
  exported: { group: "energy", traits: { ...ENERGY, icon: "mdi:transmission-tower-import" } },
  charged: { group: "energy", traits: { ...ENERGY, icon: "mdi:battery-arrow-up" } },
  discharged: { group: "energy", traits: { ...ENERGY, icon: "mdi:battery-arrow-down" } },
  consumed: { group: "energy", traits: { ...ENERGY, icon: "mdi:home-lightning-bolt" } },
  selfSufficiency: { group: "share", traits: { ...PERCENTAGE, icon: "mdi:home-percent" } },
  selfConsumption: { group: "share", traits: { ...PERCENTAGE, icon: "mdi:solar-power-variant" } },
  cost: { group: "money", field: "net", traits: { ...MONEY, icon: "mdi:cash" } },
  saving: { group: "money", traits: { ...MONEY, icon: "mdi:piggy-bank" } },
} as const satisfies Record<string, { group: string; field?: string; traits: Component | object }>;

type TotalsField = keyof typeof FIELDS;

/** In the order in which Home Assistant lists them. */
export const TOTALS_FIELDS = Object.keys(FIELDS) as TotalsField[];

/** What the entities of a period depend on. */
interface PeriodProfile {
  readonly unit: "Wh" | "kWh";
  readonly currency?: string;
  /** Those that have had a value. */
  readonly fields: readonly TotalsField[];
}

/** By period. */
export type TotalsProfile = Readonly<Record<string, PeriodProfile>>;

/** The last totals of a period. Times in milliseconds. */
interface PeriodState {
  readonly start: number;
  readonly end: number;
  readonly values: Readonly<Record<string, number | null>>;
}

/** By period. */
export type TotalsStates = Readonly<Record<string, PeriodState>>;

/** Totals of a message. */
export interface IncomingTotals {
  readonly address: SeriesAddress;
  readonly period: string;
  readonly payload: ServiceObject;
  readonly unit: "Wh" | "kWh";
  readonly energy: ServiceObject;
}

/** Undefined for a message that is not from totals. Throws like `addressOf`. */
export function totalsOf(message: FlowMessage): IncomingTotals | undefined {
  const { energy, payload } = message;
  if (!isServiceObject(energy) || energy["kind"] !== "totals" || !isServiceObject(payload)) return undefined;
  const period = isId(energy["period"]) ? energy["period"] : "message";
  const unit = energy["unit"] === "Wh" ? "Wh" : "kWh";
  return { address: addressOf(message), period, payload, unit, energy };
}

/** The totals themselves. */
export function totalsPublication(
  { prefix, retain }: PublishRule,
  { address, period, payload }: IncomingTotals,
): Publication {
  const topic = `${seriesTopic(prefix, address)}/totals/${topicLevel(period)}`;
  return { topic, payload: JSON.stringify(payload), retain };
}

/**
 * The totals of their device with those of a message, and these alone; undefined if they are not of the period that its name says now: totals of an earlier day that
 * came again are no state. `now` in milliseconds.
 */
export function notedTotals(
  known: { profile: { totals?: TotalsProfile }; totals?: TotalsStates } | undefined,
  { period, payload, unit }: IncomingTotals,
  now: number,
): { profile: TotalsProfile; states: TotalsStates; added: TotalsStates } | undefined {
  const start = parseServiceTime(payload["startTime"]);
  const end = parseServiceTime(payload["endTime"]);
  if (!isPeriod(period) || start === undefined || end === undefined) return undefined;
  const state = { start, end, values: valuesOf(payload) };
  const last = known?.totals?.[period];
  if (!isPresent(period, state, now) || (last && start < last.start)) return undefined;
  const before = known?.profile.totals?.[period];
  const money = payload["money"];
  const given = isServiceObject(money) ? money["currency"] : undefined;
  const currency = (typeof given === "string" && shownName(given)) || before?.currency;
  const fields = TOTALS_FIELDS.filter(
    (field) => state.values[field] !== null || before?.fields.includes(field),
  );
  const profile = { unit, ...(currency !== undefined && { currency }), fields };
  return {
    profile: { ...known?.profile.totals, [period]: profile },
    states: { ...known?.totals, [period]: state },
    added: { [period]: state },
  };
}

/** The entities, by key. They are available while Node-RED publishes, whether or not there are fresh records. */
export function totalsComponents(
  rule: PublishRule,
  address: SeriesAddress,
  totals: TotalsProfile = {},
): [string, Component][] {
  return Object.entries(totals).flatMap(([period, profile]) =>
    isPeriod(period)
      ? profile.fields.map((field): [string, Component] => [
          `totals_${period}_${field}`,
          sensor(rule, address, period, profile, field),
        ])
      : [],
  );
}

function sensor(
  rule: PublishRule,
  address: SeriesAddress,
  period: PeriodName,
  { unit, currency }: PeriodProfile,
  field: TotalsField,
): Component {
  const { group, traits } = FIELDS[field];
  const names = NAMES[rule.language];
  return {
    platform: "sensor",
    name: names.totals_name
      .replace("{quantity}", names[`totals_${field}`])
      .replace("{period}", names[`period_${period}`]),
    ...traits,
    ...(group === "energy" && {
      unit_of_measurement: unit,
      suggested_display_precision: unit === "Wh" ? 0 : 2,
    }),
    ...(group === "money" && { unit_of_measurement: currency }),
    ...availabilityOf(rule),
    state_topic: stateTopic(rule, address, period),
    value_template: `{{ value_json.${field} }}`,
    // The sum begins anew with each period. Home Assistant refuses it for a percentage.
    ...(group !== "share" && { last_reset_value_template: "{{ value_json.startTime }}" }),
    // By then, it is certainly another day.
    expire_after: (PERIODS[period] * DAY + TOLERANCE) / 1000,
  };
}

/** The states of one period, or of all, that are still what their names say. Never retained. `now` in milliseconds. */
export function totalsStates(
  rule: PublishRule,
  { profile: address, totals = {} }: { profile: SeriesAddress; totals?: TotalsStates },
  now: number,
): Publication[] {
  return Object.entries(totals).flatMap(([period, state]) => {
    if (!isPeriod(period) || !isPresent(period, state, now)) return [];
    const payload = { startTime: new Date(state.start).toISOString(), ...state.values };
    return [{ topic: stateTopic(rule, address, period), payload: JSON.stringify(payload), retain: false }];
  });
}

function stateTopic({ prefix }: PublishRule, address: SeriesAddress, period: PeriodName): string {
  return `${seriesTopic(prefix, address)}/state/totals/${period}`;
}

function isPeriod(period: string): period is PeriodName {
  return Object.hasOwn(PERIODS, period);
}

/** Whether the period is today, yesterday, and so on, as its name says. */
function isPresent(period: PeriodName, { start, end }: PeriodState, now: number): boolean {
  const isRunning = ["today", "week", "month", "year"].includes(period);
  if (isRunning) return start <= now && now < end;
  return end <= now && now < end + PERIODS[period] * DAY + TOLERANCE;
}

/** Null where the totals have no number. */
function valuesOf(payload: ServiceObject): PeriodState["values"] {
  return Object.fromEntries(
    TOTALS_FIELDS.map((name) => {
      const { group, field = name }: { group: string; field?: string } = FIELDS[name];
      const fields = payload[group];
      const value = isServiceObject(fields) ? fields[field] : null;
      return [name, typeof value === "number" && Number.isFinite(value) ? value : null];
    }),
  );
}
