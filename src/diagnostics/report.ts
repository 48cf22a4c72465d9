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
  const { id, type, settings, runs, nextRun, newest, statistics } = node;
  const next: Line[] = nextRun === undefined ? [] : [["next scheduled run", agoText(nextRun, now)]];
  const ends = newest
    .slice(0, MAX_SERIES)
    .map(({ address, end }) => [addressText(address, hash), end === undefined ? "none" : agoText(end, now)]);
  const hours = statistics
    .slice(0, MAX_SERIES)
    .map(({ id: name, completeTo, owed }) => [
      hash(name),
      completeTo === undefined ? "not written yet" : timeText(completeTo),
      String(owed),
    ]);
  const ofHours = table(["Statistic", "Complete to", "Hours waiting"], hours);
  return [
    ...section("Node", table([type, hash(id)], [...settings, ...runLines(node, now), ...next])),
    ...section("Last errors", failureTable(runs.failures, now, hash)),
    ...section("Failing", failingTable(node, now, hash)),
    ...seriesSections(node, now, hash),
    ...section("Newest records", table(["Site and system", "End"], ends)),
    ...section("Statistics", [...ofHours, ...moreThan(MAX_SERIES, statistics)]),
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

function failingTable({ failing }: NodePart, now: number, hash: Hash): string[] {
  const rows = failing
    .slice(0, MAX_FAILING)
    .map(({ address, since, code, statusCode, count, nextAttempt }) => [
      addressText(address, hash),
      words(code, statusCode),
      agoText(since, now),
      String(count),
      nextAttempt === undefined ? "when a message comes" : agoText(nextAttempt, now),
    ]);
  const header = ["Site and system", "Code", "Since", "Failures in a row", "Next attempt"];
  return [...table(header, rows), ...moreThan(MAX_FAILING, failing)];
}

function seriesSections({ series }: NodePart, now: number, hash: Hash): string[] {
  const shown = series
    .slice(0, MAX_SERIES)
    .map(({ address, summary }) => ({ name: addressText(address, hash), summary }));
  const header = ["Site and system", "Position", "Owed", "Gaps", "Given up", "Unconfirmed"];
  const rows = shown.map(({ name, summary }) => {
    if (!summary) return [name, "not loaded", "", "", "", ""];
    const { cursor, owed, gaps, givenUp, unconfirmed } = summary;
    return [
      name,
      `${timeText(cursor)}, ${agoText(cursor, now)}`,
      owed ? spanText(owed) : "nothing",
      ...[gaps.length, givenUp.length, unconfirmed].map(String),
    ];
  });
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
    ...section("Series", [...table(header, rows), ...moreThan(MAX_SERIES, series)]),
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

function moreThan(most: number, all: readonly unknown[]): string[] {
  return all.length > most ? ["", `${all.length - most} more are not shown.`] : [];
}
