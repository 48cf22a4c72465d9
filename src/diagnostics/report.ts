// The diagnostics report: Markdown for an issue, in English for the maintainers of the package, without ids or secrets.
import type { SeriesAddress } from "../series/identity";
import { adviceFor } from "./advice";
import { agoText, durationText, list, section, spanText, table, timeText, wrapped } from "./markdown";
import type { AccountPart, FailurePart, Line, NodePart, ReportParts } from "./parts";
import { type Hash, ownText, safeText } from "./privacy";

/** A node with `*` may have hundreds of series. */
const MAX_SERIES = 20;
const MAX_GAPS = 10;
const MAX_FAILING = 50;

const FAILING = ["Site and system", "Code", "Since", "Failures in a row", "Next attempt"];
const SERIES = ["Site and system", "Position", "Owed", "Gaps", "Given up", "Unconfirmed"];
const STATISTICS = ["Statistic", "Complete to", "Hours waiting"];

const NOTE =
  "Contains no credentials. Ids, hosts and names are replaced by hashes such as id-1a2b3c4d; equal hashes mean equal ids.";

/** @param hash replaces ids, hosts and whatever else a user may have written */
export function report(parts: ReportParts, hash: Hash): string {
  const { at, versions, node, account } = parts;
  const lines = [
    `### Diagnostics, ${timeText(at)}`,
    "",
    ...wrapped(NOTE),
    ...section("What to do", list(adviceFor(parts, hash))),
    ...section("Versions", table(["Of", "Version"], versions)),
    ...(node ? nodeSections(node, at, hash) : []),
    ...(account ? accountSections(account, at, hash) : []),
  ];
  return `${lines.join("\n")}\n`;
}

function nodeSections(node: NodePart, now: number, hash: Hash): string[] {
  const { id, type, settings, runs, nextRun, failing, newest, statistics } = node;
  const next: Line[] = nextRun === undefined ? [] : [["next scheduled run", agoText(nextRun, now)]];
  return [
    ...section("Node", table([type, hash(id)], [...settings, ...runLines(node, now), ...next])),
    ...section("Last errors", failureTable(runs.failures, now, hash)),
    ...firstOf("Failing", failing, MAX_FAILING, FAILING, (one) => [
      addressText(one.address, hash),
      words(one.code, one.statusCode),
      agoText(one.since, now),
      String(one.count),
      one.nextAttempt === undefined ? "when a message comes" : agoText(one.nextAttempt, now),
    ]),
    ...seriesSections(node, now, hash),
    ...firstOf("Newest records", newest, MAX_SERIES, ["Site and system", "End"], ({ address, end }) => [
      addressText(address, hash),
      end === undefined ? "none" : agoText(end, now),
    ]),
    ...firstOf("Statistics", statistics, MAX_SERIES, STATISTICS, ({ id: name, completeTo, owed }) => [
      hash(name),
      completeTo === undefined ? "not written yet" : timeText(completeTo),
      String(owed),
    ]),
  ];
}

function runLines({ runs: { count, last, lastSuccess, status } }: NodePart, now: number): Line[] {
  const duration = last?.duration === undefined ? "" : ` after ${durationText(last.duration)}`;
  const run = last && `${agoText(last.startedAt, now)}, by ${last.trigger}: ${last.outcome}${duration}`;
  return [
    ["runs since the start", String(count)],
    ["last run", run ?? "none"],
    ["last success", lastSuccess === undefined ? "none" : agoText(lastSuccess, now)],
    ...(status === undefined ? [] : [["status", status] as const]),
  ];
}

function seriesSections({ series }: NodePart, now: number, hash: Hash): string[] {
  const named = series.map(({ address, summary }) => ({ name: addressText(address, hash), summary }));
  const shown = named.slice(0, MAX_SERIES);
  const gaps = shown.flatMap(({ name, summary }) =>
    (summary?.gaps ?? []).slice(0, MAX_GAPS).map((gap) => {
      const watched = (summary?.watched ?? 0) - (gap.noticed ?? 0);
      const since = gap.noticed === undefined ? "not requested yet" : `watched for ${durationText(watched)}`;
      return `${name}: ${spanText(gap)}, ${since}, next request ${agoText(gap.nextRequest, now)}`;
    }),
  );
  const givenUp = shown.flatMap(({ name, summary }) =>
    (summary?.givenUp ?? []).map((window) => `${name}: ${spanText(window)}`),
  );
  return [
    ...firstOf("Series", named, MAX_SERIES, SERIES, ({ name, summary }) => {
      if (!summary) return [name, "not loaded", "", "", "", ""];
      const { cursor, owed, gaps: open, givenUp: lost, unconfirmed } = summary;
      const position = `${timeText(cursor)}, ${agoText(cursor, now)}`;
      const counts = [open.length, lost.length, unconfirmed].map(String);
      return [name, position, owed ? spanText(owed) : "nothing", ...counts];
    }),
    ...section("Gaps", list(gaps)),
    ...section("Gaps given up", list(givenUp)),
  ];
}

function accountSections({ id, settings, problem, client }: AccountPart, now: number, hash: Hash): string[] {
  const state = client ? clientLines(client, now) : [];
  const requests = (client?.requests ?? [])
    .toSorted((one, other) => other.at - one.at)
    .map(({ at, what, outcome, duration, attempt }) => [
      `${timeText(at)}, ${agoText(at, now)}`,
      safeText(what, hash),
      String(outcome),
      durationText(duration),
      String(attempt),
    ]);
  return [
    ...section("Account", table(["Account", hash(id)], [...settings, ...state])),
    ...section("Why the account has no connection", failureTable(problem ? [problem] : [], now, hash)),
    ...section("Last requests", table(["When", "Request", "Outcome", "Duration", "Attempt"], requests)),
  ];
}

type Client = NonNullable<AccountPart["client"]>;

function clientLines(client: Client, now: number): Line[] {
  const { token, lastSuccess, newestRecord, limiter, clockCorrection, isClockSure } = client;
  // Records have the service's time.
  const serviceNow = now + (clockCorrection ?? 0);
  return [
    ["last success", lastSuccess === undefined ? "none since the start" : agoText(lastSuccess, now)],
    [
      "newest record read",
      newestRecord === undefined ? "none" : `ended ${agoText(newestRecord, serviceNow)}`,
    ],
    ["token", tokenText(token)],
    ["limiter", limiterText(limiter)],
    ["clock", clockText(clockCorrection, isClockSure)],
  ];
}

function tokenText({ token, rejection }: Client["token"]): string {
  const parts: string[] = [];
  if (token) {
    const { age, remaining, wasAccepted } = token;
    const renewal = remaining > 0 ? `renewed in ${durationText(remaining)}` : "expired";
    parts.push(`${durationText(age)} old`, renewal, wasAccepted ? "accepted" : "not accepted yet");
  }
  if (rejection)
    parts.push(
      `credentials rejected (${rejection.status}), next attempt in ${durationText(rejection.remaining)}`,
    );
  return parts.join(", ") || "none";
}

function limiterText({ inFlight, waiting, spacing, pause, breaker }: Client["limiter"]): string {
  const parts = [`${inFlight} in flight`, `${waiting} waiting`];
  if (spacing > 0) parts.push(`slowed down to one request in ${durationText(spacing)}`);
  if (pause)
    parts.push(`paused by Retry-After (${pause.status}) for another ${durationText(pause.remaining)}`);
  if (breaker) {
    const { mode, since, nextProbe, probes, code, status } = breaker;
    const what = mode === "open" ? "requests fail at once" : "one request is retried for all";
    const next = nextProbe > 0 ? `next one in ${durationText(nextProbe)}` : "next one with the next request";
    parts.push(
      `the service fails for all sites (${words(code, status)}) since ${durationText(since)}: ${what}, ${probes} attempts failed, ${next}`,
    );
  }
  return parts.join(", ");
}

function clockText(correction: number | undefined, isSure: boolean): string {
  if (!isSure) return "not confirmed by a response yet";
  if (correction === undefined) return "agrees with the service";
  return `${durationText(correction)} ${correction > 0 ? "behind" : "ahead of"} the service`;
}

/** Newest first. */
function failureTable(failures: readonly FailurePart[], now: number, hash: Hash): string[] {
  const rows = failures
    .toReversed()
    .map(({ at, code, statusCode, text, address, origin = [] }) => [
      agoText(at, now),
      words(code, statusCode, ownText(text).key),
      address ? addressText(address, hash) : "",
      [safeText(text, hash), ...origin].join("; "),
    ]);
  return table(["When", "Code", "Site and system", "Text"], rows);
}

function addressText({ siteId, systemId }: SeriesAddress, hash: Hash): string {
  return systemId === undefined ? hash(siteId) : `${hash(siteId)} / ${hash(systemId)}`;
}

function words(...parts: (string | number | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" ");
}

/** A section with a table of the first items. */
function firstOf<Item>(
  title: string,
  items: readonly Item[],
  most: number,
  header: readonly string[],
  rowOf: (item: Item) => string[],
): string[] {
  const rows = table(header, items.slice(0, most).map(rowOf));
  const others = items.length > most ? ["", `${items.length - most} more are not shown.`] : [];
  return section(title, [...rows, ...others]);
}
