// What a run addresses: a site, one of its systems and a time range, from the settings of the node or from a message.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import type { Clock } from "../../../../src/clock";
import {
  ConfigError,
  type ErrorText,
  InputError,
  TimeoutError,
  TimeRangeError,
} from "../../../../src/errors";
import { readTime } from "../../../../src/history/plan";
import type { SeriesAddress } from "../../../../src/series/identity";
import { MAX_REQUESTS } from "../../../../src/limits";
import { kindOf } from "../../../../src/models/service-object";
import { ALL, isId, referenceName } from "../../../../src/settings/rules";
import type { SettingValues } from "../../../../src/settings/table";
import { isoTime, MAX_WINDOW, type TimeWindow } from "../../../../src/time-units";
import type { SITE, SYSTEM } from "../../settings";
import { isOfMessage, propertyValue } from "../base/property";

export type SystemSettings = SettingValues<typeof SITE & typeof SYSTEM>;

/** Some nodes address a site only. */
type SiteSettings = SettingValues<typeof SITE> & Partial<SystemSettings>;

/** The single site, or system of it, that a run addresses. Throws InputError if there is none, ConfigError if the setting is wrong. */
export async function addressOf(
  RED: NodeAPI,
  node: Node,
  settings: SiteSettings,
  message: NodeMessage,
): Promise<SeriesAddress> {
  const address = await selectionOf(RED, node, settings, message);
  const all = typedIds(settings).find(({ name }) => address[name] === ALL);
  if (all) throw new (errorClassOf(all))(all.name === "siteId" ? "oneSite" : "oneSystem");
  return address;
}

/** What the node or the message selects, where either id may be `*`. Throws like `addressOf`. */
export async function selectionOf(
  RED: NodeAPI,
  node: Node,
  settings: SiteSettings,
  message: NodeMessage,
): Promise<SeriesAddress> {
  const ids: (string | undefined)[] = [];
  for (const typed of typedIds(settings)) {
    const { name, text, type } = typed;
    // An empty text refers to the property of the message.
    const isOwn = type === "str";
    const value = isOwn ? text || message[name] : (await propertyValue(RED, node, text, type, message)).value;
    const id = idIn(typed, value);
    if (name === "siteId" && id === undefined) throw new InputError("siteMissing");
    ids.push(id);
  }
  const [siteId = "", systemId] = ids;
  return { siteId, systemId };
}

/** An id as the node's typed input has it. */
interface TypedId {
  name: "siteId" | "systemId";
  text: string;
  type: SystemSettings["siteIdType"];
}

/** Of the site and, in a node that addresses systems, of the system. */
function typedIds(settings: SiteSettings): [TypedId, ...TypedId[]] {
  const { siteId, siteIdType, systemId = "", systemIdType } = settings;
  const site: TypedId = { name: "siteId", text: siteId, type: siteIdType };
  return systemIdType ? [site, { name: "systemId", text: systemId, type: systemIdType }] : [site];
}

/** The id that a typed input refers to, or undefined. Throws InputError, ConfigError if the setting is wrong. */
function idIn(typed: TypedId, id: unknown): string | undefined {
  const { name } = typed;
  if (id === undefined || id === null) return undefined;
  if (typeof id !== "string") throw new InputError("inputText", { name, kind: kindOf(id) });
  const variable = referenceName(id);
  if (variable) throw new (errorClassOf(typed))("variableMissing", { name: variable });
  if (id.trim() === "") return undefined;
  if (!isId(id)) throw new (errorClassOf(typed))("idInvalid", { name });
  return id;
}

/** What the node itself says is a setting; everything else comes with the message. */
function errorClassOf({ type, text }: TypedId): typeof ConfigError | typeof InputError {
  return type === "str" && text !== "" ? ConfigError : InputError;
}

/**
 * Equal for messages that select the same site, or systems, and times. Undefined for values that cannot be compared: each is
 * served, or fails, in a run of its own.
 */
export function sameSelection(
  RED: NodeAPI,
  settings: SiteSettings,
  message: NodeMessage,
): string | undefined {
  const ids = typedIds(settings).map((typed) => selectedBy(RED, typed, message));
  const values = [...ids, ...RANGE_PROPERTIES.map((name) => message[name])];
  const areComparable = values.every((value) => ["undefined", "string", "boolean"].includes(typeof value));
  return areComparable ? JSON.stringify(values) : undefined;
}

/** Which series a message is of, as far as the message itself, or a fixed setting, says it: that of all others may be the same. */
export function seriesNamed(RED: NodeAPI, settings: SystemSettings, message: NodeMessage): SeriesAddress {
  const [siteId = "", systemId] = typedIds(settings).map((typed) => {
    const id = selectedBy(RED, typed, message);
    return typeof id === "string" && id.trim() !== "" ? id : undefined;
  });
  return { siteId, systemId };
}

/** What depends on more than can be compared here. */
const UNPREDICTABLE = {};

/** What a typed input reads without a lookup. Context and environment are the same for all messages: undefined. */
function selectedBy(RED: NodeAPI, { name, text, type }: TypedId, message: NodeMessage): unknown {
  if (type === "str") return text || message[name];
  if (type !== "msg") return isOfMessage(text, type) ? UNPREDICTABLE : undefined;
  try {
    return RED.util.getMessageProperty(message, text);
  } catch {
    return UNPREDICTABLE;
  }
}

/** What a node reads as a range, if it reads one. */
export const RANGE_PROPERTIES = ["startTime", "endTime"] as const;

/**
 * Throws TimeoutError for a job whose time is over, as `msg.until` says: its sender has given it to another worker. While the time is
 * not sure no job is over: a worker that drops all of them would never learn the time.
 */
export function assertInTime({ until }: NodeMessage, clock: Clock): void {
  if (until === undefined || until === null) return;
  const given = typeof until === "number" ? new Date(until) : until;
  const time = readTime(given, "msg.until");
  if (clock.isSure && time <= clock.now()) throw new TimeoutError("jobLate", { time: isoTime(time) });
}

/** For nodes that read no ranges: throws InputError if the message has one. `advice` says what to do instead. */
export function refuseRange(message: NodeMessage, advice: ErrorText): void {
  const name = RANGE_PROPERTIES.find((property) => message[property] !== undefined);
  if (name) throw new InputError("noRange", { name, advice });
}

/** `msg.startTime` in milliseconds, or undefined. Throws InputError. */
export function rangeStart({ startTime, endTime }: NodeMessage): number | undefined {
  if (endTime !== undefined) throw new InputError("noEndTime");
  return startTime === undefined ? undefined : readTime(startTime, "msg.startTime");
}

/** Requests for each series in addition to those for its windows: its site, and its newest record. */
const OTHER_REQUESTS = 2;
/** Requests at most to find out where the records of a series begin. */
export const SEARCH_REQUESTS = 12;

/**
 * Throws TimeRangeError if reading a range of this many series may take more requests than one message is worth. `search`:
 * requests for each series to find out where its records begin.
 */
export function assertFewRequests({ start, end }: TimeWindow, seriesCount: number, search = 0): void {
  const windows = Math.ceil((end - start) / MAX_WINDOW);
  // A present value of many systems is not a matter of the range.
  if (windows <= 1) return;
  if (seriesCount * (windows + OTHER_REQUESTS + search) > MAX_REQUESTS)
    throw new TimeRangeError("rangeRequests", { requests: MAX_REQUESTS });
}
