// Totals in Home Assistant: energy, percentages and money of today, yesterday and so on, as entities of the device of the readings.
import { addressIn, energyOf, type FlowMessage, namesIn, totalsIn } from "../../messages/reader";
import { finiteOf } from "../../models/measurements";
import { objectOf, type ServiceObject } from "../../models/service-object";
import { parseServiceTime } from "../../models/time";
import { byName } from "../../objects";
import { isId } from "../../settings/rules";
import { shownName } from "../../shown-text";
import { isPeriodName, PERIOD_NAMES, type PeriodName, PERIODS } from "../../site-calendar";
import { DAY, HOUR, isoTime } from "../../time-units";
import { type Publication, type PublishRule, seriesTopic } from "../publications";
import type { Find, Found, State } from "./device";
import { type Entity, fieldEntity, PERCENTAGE, type Traits } from "./entities";
import { STATE } from "./readings";

/** What the names of their states begin with. */
const TOTALS_STATE = `${STATE}totals/`;

/** The longest that each period can be, in days. */
const DAYS = { day: 1, week: 7, month: 31, year: 366 };

/** Where clocks change, a day is an hour longer; and the next totals may come a little later. */
const TOLERANCE = 2 * HOUR;

/** How long totals of a period are shown at most, in milliseconds: by then, it is certainly another day. */
function longest(period: PeriodName): number {
  const [unit] = PERIODS[period];
  return DAYS[unit] * DAY + TOLERANCE;
}

/** The same for one that is over: until the one that began with this local day, YYYY-MM-DD, is over, too. */
function longestFrom(day: string, period: PeriodName): number {
  const [unit] = PERIODS[period];
  const [start, end] = [new Date(day), new Date(day)];
  if (unit === "month") end.setUTCMonth(start.getUTCMonth() + 1);
  else if (unit === "year") end.setUTCFullYear(start.getUTCFullYear() + 1);
  else return longest(period);
  return end.getTime() - start.getTime() + TOLERANCE;
}

/** It begins anew with each period. Home Assistant refuses that for a percentage. */
const SUM = { state_class: "total", last_reset_value_template: "{{ value_json.startTime }}" };
const ENERGY = { device_class: "energy", ...SUM };
const MONEY = { device_class: "monetary", ...SUM };

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
} as const satisfies Record<string, { group: string; field?: string; traits: Traits }>;

type FieldName = keyof typeof FIELDS;

const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** They are available while Node-RED publishes, whether or not there are fresh records. */
export const TOTALS: readonly Entity[] = PERIOD_NAMES.flatMap((period) =>
  FIELD_NAMES.map((field): Entity => {
    const { group, traits: own } = FIELDS[field];
    const traits = { ...own, expire_after: longest(period) / 1000 };
    return {
      ...fieldEntity(`totals_${field}`, TOTALS_STATE + period, field, traits),
      key: entityKey(period, field),
      period: `period_${period}`,
      ...(group !== "share" && { unit: unitKey(period, group) }),
    };
  }),
);

function entityKey(period: string, field: FieldName): string {
  return `totals_${period}_${field}`;
}

function unitKey(period: string, group: "energy" | "money"): string {
  return `${group}_${period}`;
}

export type IncomingTotals = NonNullable<ReturnType<typeof incomingTotals>>;

/** Undefined for a message that is not from totals. Throws like `addressIn`. */
export function incomingTotals(message: FlowMessage) {
  const payload = totalsIn(message);
  if (!payload) return undefined;
  const energy = energyOf(message);
  const period = isId(energy["period"]) ? energy["period"] : "message";
  return { address: addressIn(message), period, payload, energy };
}

export function totalsPublication({ prefix, retain }: PublishRule, totals: IncomingTotals): Publication {
  const { address, period, payload, energy } = totals;
  const topic = `${seriesTopic(prefix, address)}/totals/${encodeURIComponent(period)}`;
  return { topic, payload: JSON.stringify(payload), retain, energy };
}

/** What totals reveal of their device: nothing if they are no entities, or not newer than the last. `now` in milliseconds. */
export function totalsFound(find: Find, totals: IncomingTotals, now: number): Found[] {
  const { address, period, payload, energy } = totals;
  const name = TOTALS_STATE + period;
  const last = find(address)?.states[name];
  // Those of a period of one's own, and of an earlier day that a schedule sends again, have no entities.
  const state = isPeriodName(period) ? stateOf(period, payload, now, last?.until) : undefined;
  if (!state) return [];
  const currency = shownName(objectOf(payload["money"])["currency"]);
  const units = {
    [unitKey(period, "energy")]: energy["unit"] === "Wh" ? "Wh" : "kWh",
    ...(currency !== undefined && { [unitKey(period, "money")]: currency }),
  };
  const entities = FIELD_NAMES.filter((field) => typeof state.payload[field] === "number").map((field) =>
    entityKey(period, field),
  );
  return [{ profile: { ...address, ...namesIn(energy), entities, units }, states: { [name]: state } }];
}

/** Undefined for totals that are not of the period that its name says now: those of an earlier day may come again. */
function stateOf(period: PeriodName, payload: ServiceObject, now: number, shownUntil = 0) {
  const start = parseServiceTime(payload["startTime"]);
  const end = parseServiceTime(payload["endTime"]);
  if (start === undefined || end === undefined) return undefined;
  const isRunning = PERIODS[period][1] === 0;
  const day = String(payload["endTime"]).slice(0, 10);
  const [from, until] = isRunning ? [start, end] : [end, end + longestFrom(day, period)];
  // Of those that run, only one is of now: the zone of the site was corrected, or a clock that was ahead.
  const isOlder = !isRunning && until < shownUntil && shownUntil <= now + longest(period);
  if (now < from || now >= until || isOlder) return undefined;
  return {
    payload: { startTime: isoTime(start), ...valuesOf(payload) },
    until,
    // Home Assistant restores the last value when it starts, for it has not expired.
    afterwards: byName(FIELD_NAMES, () => null),
  } satisfies State;
}

/** Null where the totals have no number. */
function valuesOf(payload: ServiceObject): Record<FieldName, number | null> {
  return byName(FIELD_NAMES, (name) => {
    const { group, field = name }: { group: string; field?: string } = FIELDS[name];
    return finiteOf(objectOf(payload[group])[field]);
  });
}
