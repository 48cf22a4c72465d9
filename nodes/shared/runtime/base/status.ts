// The status of a node: time and count of the last records, or the error in a few words.
import { sharedClock } from "../../../../src/clock";
import type { NodeAPI, NodeStatus, NodeStatusFill, NodeStatusShape } from "node-red";
import type { NoValueReason } from "../../../../src/decisions/freshness";
import type { TimeWindow } from "../../../../src/ledger/window";
import { MAX_STATUS_VALUE_LENGTH } from "../../../../src/limits";
import { catalogueValues, shownText } from "../../../../src/shown-text";
import { errorInfo, groupedNumber, PartialFailure } from "./errors";

const PACKAGE = "@energy-sites/node-red";

/** The English catalogues, of which the other languages have the same keys. */
interface Catalogues {
  account: typeof import("../../../account/locales/en-US/account.json");
  alerts: typeof import("../../../alerts/locales/en-US/alerts.json");
  history: typeof import("../../../history/locales/en-US/history.json");
  "latest-value": typeof import("../../../latest-value/locales/en-US/latest-value.json");
  mqtt: typeof import("../../../mqtt/locales/en-US/mqtt.json");
  points: typeof import("../../../points/locales/en-US/points.json");
  "rgm-read": typeof import("../../../rgm-read/locales/en-US/rgm-read.json");
  "site-info": typeof import("../../../site-info/locales/en-US/site-info.json");
  "site-list": typeof import("../../../site-list/locales/en-US/site-list.json");
  threshold: typeof import("../../../threshold/locales/en-US/threshold.json");
}

/** A text may have one form for each plural. */
type Keys<Texts> = {
  [Key in keyof Texts & string]: Texts[Key] extends string
    ? Key extends `${string}_one`
      ? never
      : Key
    : `${Key}.${Keys<Texts[Key]>}`;
}[keyof Texts & string];

type StatusKeys = { [Name in keyof Catalogues]: `${Name}:${Keys<Catalogues[Name]["status"]>}` };

/** `reading` refers to the account's catalogue, which has what several nodes share; `mqtt:devices` to that of a node. */
type StatusKey = Keys<Catalogues["account"]["status"]> | StatusKeys[Exclude<keyof Catalogues, "account">];

/** A catalogue text with its values, and the colour and shape of the indicator. */
export interface StatusText {
  key: StatusKey;
  /** `count` is shown with its digits grouped. */
  values?: Record<string, string | number | { count: number }>;
  fill?: NodeStatusFill;
  shape?: NodeStatusShape;
}

export function nodeStatus(
  RED: NodeAPI,
  { key, values, fill = "green", shape = "dot" }: StatusText,
): NodeStatus {
  const [name, text] = key.includes(":") ? key.split(":") : ["account", key];
  const shown = Object.entries(values ?? {}).map(([mark, value]) => [mark, shownValue(RED, value)] as const);
  const filled = catalogueValues(Object.fromEntries(shown));
  return { fill, shape, text: RED._(`${PACKAGE}/${name}:status.${text}`, filled) };
}

function shownValue(RED: NodeAPI, value: string | number | { count: number }): string | number {
  if (typeof value === "object") return groupedNumber(RED, value.count);
  return typeof value === "string" ? shownText(value, MAX_STATUS_VALUE_LENGTH) : value;
}

export const READING: StatusText = { key: "reading", fill: "blue", shape: "ring" };

/** The account has no site, or the site no system. */
export const NO_SITES: StatusText = { key: "noSites", fill: "yellow", shape: "ring" };

/** The list of sites could not be read. */
export const OLD_SITES: StatusText = { key: "oldSites", fill: "yellow", shape: "ring" };

export function errorStatus(error: unknown): StatusText {
  if (error instanceof PartialFailure && error.total === 1) return errorStatus(error.failures[0]?.error);
  if (error instanceof PartialFailure && error.fresh !== undefined)
    return fleetStatus(error.fresh, error.total, error.failed);
  if (error instanceof PartialFailure) {
    const values = { time: clock(sharedClock.now()), failed: error.failed, total: error.total };
    return { key: "partly", values, fill: "yellow", shape: "ring" };
  }
  const { code, statusCode } = errorInfo(error);
  const key = code === "ENERGY_INTERNAL" ? "other" : code;
  return { key: `error.${key}`, values: { statusCode: statusCode ?? "" }, fill: "red", shape: "ring" };
}

/** Of how many series the newest record is fresh, and how many could not be read. */
export function fleetStatus(fresh: number, total: number, failing = 0): StatusText {
  const values = { fresh: { count: fresh }, total: { count: total } };
  if (failing > 0)
    return {
      key: "fleetFailing",
      values: { ...values, failing: { count: failing } },
      fill: "yellow",
      shape: "ring",
    };
  return fresh === total ? { key: "fleet", values } : { key: "fleet", values, fill: "yellow", shape: "ring" };
}

/** Time and count of a run's records; `time` is the end of the newest record, in milliseconds. */
export function recordsStatus(count: number, newestEnd?: number): StatusText {
  const time = clock(newestEnd ?? sharedClock.now());
  if (count === 0) return { key: "none", values: { time }, shape: "ring" };
  return { key: "records", values: { time, count } };
}

const REASON_STATUS: Record<NoValueReason, StatusKey> = {
  "no-record": "noRecord",
  stale: "stale",
  "no-value": "noValue",
  implausible: "implausible",
  failed: "error.other",
};

/** Why there is no usable value. */
export function noValueStatus(reason: NoValueReason, ageSeconds = 0): StatusText {
  const values = { minutes: Math.round(ageSeconds / 60) };
  return { key: REASON_STATUS[reason], values, fill: "yellow", shape: "ring" };
}

/** The number of unconfirmed records that pause the poll, or of delivery ids that this node did not issue. */
export function deliveryStatus(key: "unconfirmed" | "unknownDelivery", count: number): StatusText {
  return { key, values: { count }, fill: "yellow", shape: "ring" };
}

/** Time of day in Node-RED's own time zone, such as 14:05. */
export function clock(time: number): string {
  return new Date(time).toTimeString().slice(0, 5);
}

/** Date and times in Node-RED's own time zone, such as 2026-06-10 08:00-09:30. Times in milliseconds. */
export function timeSpan({ start, end }: TimeWindow): string {
  const [first, last] = [day(start), day(end)];
  return `${first} ${clock(start)}-${first === last ? "" : `${last} `}${clock(end)}`;
}

function day(time: number): string {
  const date = new Date(time);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}
