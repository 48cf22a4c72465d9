// The diagnostics report: Markdown for an issue, in English for the maintainers of the package, without ids or secrets.
import type { ClientDiagnostics } from "../client/service-client";
import { type ErrorCode, type ErrorText, errorText } from "../errors";
import { isServiceObject } from "../models/service-object";
import type { SeriesSummary } from "../polling/series-poller";
import type { SeriesAddress } from "../series/identity";
import type { StatisticPart } from "../statistics/keeper";
import { correctionText, durationText, isoTime } from "../time-units";
import { hash, ownText, safeText, type Texts } from "./privacy";

/** What a report is made of, with plain ids. All times in milliseconds by the local clock. */
export interface ReportParts {
  at: number;
  versions: Texts;
  /** Absent if the report is about an account. */
  node?: NodePart | undefined;
  /** Absent if a node has none. */
  account?: AccountPart | undefined;
}

export interface AccountPart {
  id: string;
  settings: Texts;
  /** Why there is no connection. */
  problem?: FailurePart | undefined;
  client?: ClientDiagnostics;
}

export interface NodePart {
  id: string;
  /** Such as `energy-telemetry-poll`. */
  type: string;
  settings: Texts;
  /** When the next scheduled run is due. */
  nextRun?: number | undefined;
  runs: RunsPart;
  series: readonly SeriesPart[];
  /** Of the node statistics. */
  statistics: readonly StatisticPart[];
}

export interface RunsPart {
  /** Since the node was started. */
  count: number;
  last?: {
    at: number;
    trigger: "message" | "schedule or timer";
    outcome: "running" | "succeeded" | "failed";
    /** Milliseconds; absent while it is running. */
    duration?: number;
  };
  lastSuccess?: number;
  /** The last failures, oldest first. */
  failures: readonly FailurePart[];
  /** The key of the last status: its texts may name anything. */
  status?: string;
}

export interface FailurePart {
  at: number;
  code: ErrorCode;
  text: ErrorText;
  statusCode?: number | undefined;
  address?: SeriesAddress | undefined;
  /** For an unexpected error: its class, and the places in this package where it came from. */
  origin?: readonly string[];
}

export interface SeriesPart {
  address: SeriesAddress;
  /** Undefined before its stored position was loaded. */
  summary: SeriesSummary | undefined;
}

/** A node with `*` may have thousands of series. */
const MAX_ITEMS = 50;

const NOTE =
  "Contains no credentials. Ids, hosts and names are replaced by hashes such as id-1a2b3c4d; until Node-RED restarts, equal hashes mean equal ids.";

export function report(parts: ReportParts): string {
  const { at, versions, node, account } = parts;
  /** A line for each item of a list, or for each property. */
  const facts = (value: object): string[] =>
    Array.isArray(value) ? itemTexts("", value, at) : propertyTexts(value, ": ", at);
  const sections: [title: string, lines: readonly string[]][] = [
    ["What to do", adviceFor(parts)],
    ["Versions", textLines(versions)],
  ];
  if (node) {
    const { id, type, settings, nextRun, runs, series, statistics } = node;
    const { failures, ...others } = runs;
    sections.push(
      ["Node", [...facts({ type, id, ...others, nextRun }), ...textLines(settings)]],
      ["Last errors", facts(failures.toReversed())],
      ["Series", facts(series)],
      ["Statistics", facts(statistics)],
    );
  }
  if (account) {
    const { id, settings, problem, client } = account;
    const { requests = [], ...state } = client ?? {};
    sections.push(
      ["Account", [...facts({ id, problem, ...state }), ...textLines(settings)]],
      ["Last requests", facts(requests.toReversed())],
    );
  }
  const lines = sections.flatMap(([title, items]) =>
    items.length === 0 ? [] : ["", `#### ${title}`, "", ...items.map((item) => `- ${item}`)],
  );
  return [`### Diagnostics, ${isoTime(at)}`, "", NOTE, ...lines, ""].join("\n");
}

/** Of texts that may be shown as they are. */
function textLines(texts: Texts): string[] {
  return Object.entries(texts).map(([name, text]) => `${name}: ${text}`);
}

/** The properties whose texts identify no one; any other text is replaced. */
const PLAIN = new Set(["type", "trigger", "outcome", "status", "code", "mode", "origin"]);
const DURATIONS = /^(duration|age|remaining|spacing|since|nextProbe|clockCorrection|watched|noticed|pause)$/;
/** Any number between them is a time, in milliseconds since the epoch. */
const [FIRST_TIME, LAST_TIME] = [1e12, 8.64e15];

/** Data in words: of any shape, because what is named nowhere here is hidden. */
function itemTexts(name: string, items: readonly unknown[], now: number): string[] {
  const texts = items.slice(0, MAX_ITEMS).map((item) => factText(name, item, now));
  return items.length > MAX_ITEMS ? [...texts, `${items.length - MAX_ITEMS} more`] : texts;
}

function propertyTexts(value: object, separator: string, now: number): string[] {
  return Object.entries(value)
    .filter(([, one]) => one !== undefined && !(Array.isArray(one) && one.length === 0))
    .map(([name, one]) => {
      const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      return words + separator + factText(name, one, now);
    });
}

function factText(name: string, value: unknown, now: number): string {
  if (typeof value === "string") return PLAIN.has(name) ? value : hash(value);
  if (typeof value === "number") return numberText(name, value, now);
  if (Array.isArray(value)) return `(${itemTexts(name, value, now).join("; ")})`;
  if (isText(value)) return `${safeText(value)} [${ownText(value).key}]`;
  if (!isServiceObject(value)) return String(value);
  const text = propertyTexts(value, " ", now).join(", ");
  return name === "" ? text : `(${text})`;
}

function numberText(name: string, value: number, now: number): string {
  if (value > FIRST_TIME && value < LAST_TIME) {
    const distance = lengthText(value - now);
    return `${isoTime(value)}, ${value > now ? `in ${distance}` : `${distance} ago`}`;
  }
  if (!DURATIONS.test(name)) return String(value);
  return value < 0 ? `-${lengthText(value)}` : lengthText(value);
}

function lengthText(milliseconds: number): string {
  const length = Math.abs(milliseconds);
  return length < 1000 ? `${Math.round(length)} ms` : durationText(length, "s");
}

function isText(value: unknown): value is ErrorText {
  return isServiceObject(value) && typeof value["key"] === "string" && isServiceObject(value["values"]);
}

/** What the user can do, each advice once: the texts of errors say so. Never empty. */
function adviceFor({ node, account }: ReportParts): string[] {
  const all = [
    ...(node ? ofNode(node) : []),
    ...(account ? ofAccount(account, node !== undefined) : []),
    ...(node && !account && needsAccount(node) ? [safeText(errorText("accountMissing"))] : []),
  ];
  return all.length > 0 ? [...new Set(all)] : ["Nothing looks wrong at this moment."];
}

/** Whether a node calls the service: those that decide on messages or write them have no account, and no schedule. */
function needsAccount({ settings }: NodePart): boolean {
  return "account" in settings;
}

/** Only what has failed since the last success still matters. */
function ofNode(node: NodePart): string[] {
  const { runs, series, nextRun } = node;
  const failures = runs.failures.filter(({ at }) => at >= (runs.lastSuccess ?? 0));
  const advice = failures.map(({ text }) => safeText(text));
  if (runs.count === 0 && nextRun === undefined)
    advice.push(
      needsAccount(node)
        ? "The node has not run since it was started, and has no schedule. Send it a message, or set Repeat every."
        : "The node has not run since it was started. Send it a message.",
    );
  if (runs.status === "threshold:record")
    advice.push(
      "The value is a whole record. Open the node, and choose one of the record's values under Value.",
    );
  if (series.some(({ summary }) => (summary?.unconfirmed ?? 0) > 0))
    advice.push("Records wait for confirmation. Check the broker or database that the flow writes to.");
  if (series.some(({ summary }) => (summary?.givenUp.length ?? 0) > 0))
    advice.push("Gaps were given up. If the service has the records by now, read them with a history node.");
  return advice;
}

/** @param isOfNode whether the failures of a node say already how its requests failed */
function ofAccount({ problem, client }: AccountPart, isOfNode: boolean): string[] {
  if (problem) return [safeText(problem.text)];
  if (!client) return [];
  const { failure, noSites, limiter, clockCorrection } = client;
  const { pause, spacing } = limiter;
  const texts: ErrorText[] = [];
  if (failure && !isOfNode) texts.push(failure);
  if (noSites) texts.push(noSites);
  if (pause) texts.push(errorText("held", { seconds: Math.ceil(pause.remaining / 1000) }));
  if (clockCorrection !== undefined) texts.push(correctionText(clockCorrection));
  const advice = texts.map(safeText);
  if (spacing > 0) advice.push("The service gets too many requests. Poll less often, or set a rate limit.");
  return advice;
}
