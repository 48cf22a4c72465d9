// The statuses of a node, such as time and count of the last records, or the error in a few words; and how they are shown.
import type { Node, NodeAPI, NodeStatus, NodeStatusFill, NodeStatusShape } from "node-red";
import { sharedClock, systemClock } from "../../../../src/clock";
import type { NoValueReason } from "../../../../src/decisions/freshness";
import type { ErrorKey, ErrorText } from "../../../../src/errors";
import { MINUTE, type TimeWindow } from "../../../../src/time-units";
import { MAX_STATUS_VALUE_LENGTH } from "../../../../src/limits";
import { mapValues } from "../../../../src/objects";
import { shownText } from "../../../../src/shown-text";
import { catalogueText, groupedNumber, PartialFailure, publicError } from "./errors";

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
  statistics: typeof import("../../../statistics/locales/en-US/statistics.json");
  totals: typeof import("../../../totals/locales/en-US/totals.json");
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

/** A catalogue text with its values, and the color and shape of the indicator. */
export interface StatusText {
  key: StatusKey;
  /** `count` is shown with its digits grouped. */
  values?: Record<string, string | number | { count: number }>;
  fill?: NodeStatusFill;
  shape?: NodeStatusShape;
}

function nodeStatus(
  RED: NodeAPI,
  { key, values = {}, fill = "green", shape = "dot" }: StatusText,
): NodeStatus {
  const [name, text] = key.includes(":") ? key.split(":") : ["account", key];
  const shown = mapValues(values, (value) => shownValue(RED, value));
  return { fill, shape, text: catalogueText(RED, `${name}:status.${text}`, shown) };
}

function shownValue(RED: NodeAPI, value: string | number | { count: number }): string | number {
  if (typeof value === "object") return groupedNumber(RED, value.count);
  return typeof value === "string" ? shownText(value, MAX_STATUS_VALUE_LENGTH) : value;
}

export const RUNNING: StatusText = { key: "reading", fill: "blue", shape: "ring" };

/** Something that people should look at, though the node works. */
export function warningStatus(key: StatusKey, values: StatusText["values"] = {}): StatusText {
  return { key, values, fill: "yellow", shape: "ring" };
}

/** What a person can mend at once has a status of its own; the code says only what kind of error it is. */
const CAUSES: Partial<Record<ErrorKey, StatusKey>> = {
  noLogin: "error.wrongUrl",
  notFoundHere: "error.wrongUrl",
  redirected: "error.wrongUrl",
  answerHtml: "error.wrongUrl",
  answerText: "error.wrongUrl",
  answerToken: "error.wrongUrl",
  tlsFailed: "error.wrongUrl",
  notHttp: "error.wrongUrl",
  unknownHost: "error.unknownHost",
  certificate: "error.certificate",
  certificateSelfSigned: "error.certificate",
  certificateName: "error.certificate",
  certificateTime: "error.certificate",
  forbidden: "error.noAccess",
  forbiddenHere: "error.ENERGY_AUTH",
  notFound: "error.idNotFound",
  notFoundPc1: "error.idNotFound",
};

/** Of an error, or of the one that it wraps. */
function causeOf({ key, values }: ErrorText): StatusKey | undefined {
  const inner = Object.values(values).flatMap((value) =>
    typeof value === "object" && "key" in value ? (causeOf(value) ?? []) : [],
  );
  return CAUSES[key] ?? inner[0];
}

export function errorStatus(error: unknown): StatusText {
  if (error instanceof PartialFailure) {
    const { failures, total, failed, fresh } = error;
    if (total === 1) return errorStatus(failures[0]?.error);
    const status =
      fresh === undefined
        ? warningStatus("partly", { time: timeOfDay(sharedClock.now()), failed, total })
        : fleetStatus(fresh, total, failed);
    return failed < total ? status : { ...status, fill: "red" };
  }
  const { code, text, details } = publicError(error);
  const { statusCode } = details;
  const isDown = code === "ENERGY_HTTP" && statusCode !== undefined && statusCode >= 500;
  const ofCode = code === "ENERGY_INTERNAL" ? "error.other" : (`error.${code}` as const);
  const key = causeOf(text) ?? (isDown ? "error.serviceDown" : ofCode);
  return { key, values: { statusCode: statusCode ?? "" }, fill: "red", shape: "ring" };
}

/** Of how many series the newest record is fresh, and how many could not be read. */
export function fleetStatus(fresh: number, total: number, failing = 0): StatusText {
  const values = { fresh: { count: fresh }, total: { count: total } };
  if (failing > 0) return warningStatus("fleetFailing", { ...values, failing: { count: failing } });
  return fresh === total ? { key: "fleet", values } : warningStatus("fleet", values);
}

/** How many jobs are running or waiting, and when that was. */
export function jobsStatus(count: number): StatusText {
  return { ...RUNNING, key: "jobs", values: { time: timeOfDay(sharedClock.now()), count } };
}

/** Time and count of a run's records; `time` is the end of the newest record, in milliseconds. */
export function recordsStatus(count: number, newestEnd?: number): StatusText {
  const time = timeOfDay(newestEnd ?? sharedClock.now());
  if (count === 0) return { key: "none", values: { time }, shape: "ring" };
  return { key: "records", values: { time, count } };
}

export function noValueStatus(reason: NoValueReason, ageSeconds = 0): StatusText {
  const key = reason === "failed" ? "error.other" : reason;
  return warningStatus(key, { minutes: Math.round(ageSeconds / 60) });
}

/** Time of day in Node-RED's own time zone, such as 14:05. */
export function timeOfDay(time: number): string {
  return new Date(time).toTimeString().slice(0, 5);
}

/** The date in Node-RED's own time zone, such as 2026-06-10. */
export function dateOf(time: number): string {
  const offset = new Date(time).getTimezoneOffset() * MINUTE;
  return new Date(time - offset).toISOString().slice(0, 10);
}

/** Date and times in Node-RED's own time zone, such as 2026-06-10 08:00-09:30. Times in milliseconds. */
export function timeSpan({ start, end }: TimeWindow): string {
  const [first, last] = [dateOf(start), dateOf(end)];
  return `${first} ${timeOfDay(start)}-${first === last ? "" : `${last} `}${timeOfDay(end)}`;
}

const MAX_SHOWN = 5;
/** In milliseconds. */
const PERIOD = 1000;

/** Shows at most five statuses a second, because each one is translated and sent to every open editor. */
export class StatusDisplay {
  readonly #show: (status: StatusText) => void;
  /** When the last statuses were shown, oldest first, by the monotonic clock. */
  #shownAt: number[] = [];
  /** The status to show when the timer fires: only the last one counts. */
  #next: StatusText | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(show: (status: StatusText) => void) {
    this.#show = show;
  }

  /** Shows an error at once, and any other status as soon as fewer than five were shown within a second. */
  show(status: StatusText): void {
    if (this.#isClosed) return;
    this.#next = status;
    if (status.fill === "red") this.#showNext();
    else if (!this.#timer) {
      const oldest = this.#shownAt.length < MAX_SHOWN ? undefined : this.#shownAt[0];
      const wait = oldest === undefined ? 0 : oldest + PERIOD - systemClock.monotonic();
      if (wait <= 0) this.#showNext();
      else this.#timer = setTimeout(() => this.#showNext(), wait);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #showNext(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shownAt = [...this.#shownAt, systemClock.monotonic()].slice(-MAX_SHOWN);
    if (this.#next) this.#show(this.#next);
  }
}

const displays = new WeakMap<Node, StatusDisplay>();

/** Shows a status of a node: of many within a second, the last one in any case. */
export function showStatus(RED: NodeAPI, node: Node, status: StatusText): void {
  displayOf(RED, node).show(status);
}

/** Must be closed when the node closes. */
export function displayOf(RED: NodeAPI, node: Node): StatusDisplay {
  const display = displays.get(node) ?? new StatusDisplay((status) => node.status(nodeStatus(RED, status)));
  displays.set(node, display);
  return display;
}
