// The part of a report about a node: its settings and runs, the last errors, and where each series stands.
import type { Gap } from "../ledger/gaps";
import { addressText, FAILURE_HEADER, failureRows } from "./failure-rows";
import type { Hash } from "./hash";
import { list, section, table } from "./markdown";
import type { FailingPart, Line, NodePart, RunsPart, SeriesPart } from "./parts";
import { agoText, durationText, spanText, timeText } from "./time-text";

/** A node with `*` may have hundreds of series. */
const MAX_SERIES = 20;
const MAX_GAPS = 10;
const MAX_FAILING = 50;

export function nodeSection(node: NodePart, now: number, hash: Hash): string[] {
  const { id, type, settings, runs, nextRun, series, failing, newest } = node;
  const next: Line[] = nextRun === undefined ? [] : [["next scheduled run", agoText(nextRun, now)]];
  const lines = [...settings, ...runLines(runs, now), ...next];
  return [
    ...section("Node", table([type, hash(id)], lines)),
    ...section("Last errors", table(FAILURE_HEADER, failureRows(runs.failures, now, hash))),
    ...failingSection(failing, now, hash),
    ...seriesSection(series, now, hash),
    ...section(
      "Newest records",
      table(
        ["Site and system", "End"],
        newest
          .slice(0, MAX_SERIES)
          .map(({ address, end }) => [
            addressText(address, hash),
            end === undefined ? "none" : agoText(end, now),
          ]),
      ),
    ),
  ];
}

function runLines({ count, last, lastSuccess, status }: RunsPart, now: number): Line[] {
  const duration = last?.duration === undefined ? "" : ` after ${durationText(last.duration)}`;
  const run = last && `${agoText(last.startedAt, now)}, by ${last.trigger}: ${last.outcome}${duration}`;
  return [
    ["runs since the start", String(count)],
    ["last run", run ?? "none"],
    ["last success", lastSuccess === undefined ? "none" : agoText(lastSuccess, now)],
    ...(status === undefined ? [] : [["status", status] as const]),
  ];
}

function failingSection(failing: readonly FailingPart[], now: number, hash: Hash): string[] {
  const rows = failing
    .slice(0, MAX_FAILING)
    .map(({ address, since, code, statusCode, count, nextAttempt }) => [
      addressText(address, hash),
      [code, statusCode].filter((part) => part !== undefined).join(" "),
      agoText(since, now),
      String(count),
      nextAttempt === undefined ? "when a message comes" : agoText(nextAttempt, now),
    ]);
  const more = failing.length - rows.length;
  const header = ["Site and system", "Code", "Since", "Failures in a row", "Next attempt"];
  return section("Failing", [
    ...table(header, rows),
    ...(more > 0 ? ["", `${more} more are not shown.`] : []),
  ]);
}

function seriesSection(series: readonly SeriesPart[], now: number, hash: Hash): string[] {
  const shown = series.slice(0, MAX_SERIES);
  const header = ["Site and system", "Position", "Owed", "Gaps", "Given up", "Unconfirmed"];
  const rows = shown.map(({ address, summary }) => {
    const name = addressText(address, hash);
    if (!summary) return [name, "not loaded", "", "", "", ""];
    const { cursor, owed, gaps, givenUp, unconfirmed } = summary;
    return [
      name,
      `${timeText(cursor)}, ${agoText(cursor, now)}`,
      owed ? spanText(owed) : "nothing",
      ...[gaps.length, givenUp.length, unconfirmed].map(String),
    ];
  });
  const more = series.length > MAX_SERIES ? ["", `${series.length - MAX_SERIES} more are not shown.`] : [];
  const gaps = shown.flatMap(({ address, summary }) =>
    (summary?.gaps ?? []).slice(0, MAX_GAPS).map((gap) => {
      return `${addressText(address, hash)}: ${gapText(gap, summary?.watched ?? 0, now)}`;
    }),
  );
  const givenUp = shown.flatMap(({ address, summary }) =>
    (summary?.givenUp ?? []).map((window) => `${addressText(address, hash)}: ${spanText(window)}`),
  );
  return [
    ...section("Series", [...table(header, rows), ...more]),
    ...section("Gaps", list(gaps)),
    ...section("Gaps given up", list(givenUp)),
  ];
}

function gapText(gap: Gap, watched: number, now: number): string {
  const since =
    gap.noticed === undefined ? "not asked for yet" : `watched for ${durationText(watched - gap.noticed)}`;
  return `${spanText(gap)}, ${since}, next request ${agoText(gap.nextAsk, now)}`;
}
