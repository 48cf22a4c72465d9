// The part of a report about an account: its settings, token, limiter and clock, and the last requests.
import type { ClientDiagnostics } from "../client/service-client";
import type { BreakerState } from "../client/http/breaker";
import type { RequestEntry } from "../client/http/request-log";
import { failureRows, FAILURE_HEADER } from "./failure-rows";
import type { Hash } from "./hash";
import { section, table } from "./markdown";
import type { AccountPart, Line } from "./parts";
import { agoText, durationText, timeText } from "./time-text";

export function accountSection(
  { id, settings, problem, client }: AccountPart,
  now: number,
  hash: Hash,
): string[] {
  const state = client ? clientLines(client, now) : [];
  const problems = problem ? failureRows([problem], now, hash) : [];
  return [
    ...section("Account", table(["Account", hash(id)], [...settings, ...state])),
    ...section("Why the account has no connection", table(FAILURE_HEADER, problems)),
    ...section("Last requests", table(REQUEST_HEADER, client ? requestRows(client.requests, now) : [])),
  ];
}

function clientLines(client: ClientDiagnostics, now: number): Line[] {
  const { token, lastSuccess, newestRecord, limiter, clockCorrection, isClockSet } = client;
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
    ["clock", clockText(clockCorrection, isClockSet)],
  ];
}

function tokenText({ token, rejection }: ClientDiagnostics["token"]): string {
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

function limiterText({ inFlight, waiting, spacing, pause, breaker }: ClientDiagnostics["limiter"]): string {
  const parts = [`${inFlight} in flight`, `${waiting} waiting`];
  if (spacing > 0) parts.push(`slowed down to one request in ${durationText(spacing)}`);
  if (pause)
    parts.push(`paused by Retry-After (${pause.status}) for another ${durationText(pause.remaining)}`);
  if (breaker) parts.push(breakerText(breaker));
  return parts.join(", ");
}

function breakerText({ mode, since, nextProbe, probes, code, status }: BreakerState): string {
  const failure = [code, status].filter((part) => part !== undefined).join(" ");
  const what = mode === "open" ? "requests fail at once" : "one request is retried for all";
  const next = nextProbe > 0 ? `next one in ${durationText(nextProbe)}` : "next one with the next request";
  return `the service fails for all sites (${failure}) since ${durationText(since)}: ${what}, ${probes} attempts failed, ${next}`;
}

function clockText(correction: number | undefined, isSet: boolean): string {
  if (!isSet) return "unknown: no response yet";
  if (correction === undefined) return "agrees with the service";
  return `${durationText(correction)} ${correction > 0 ? "behind" : "ahead of"} the service`;
}

const REQUEST_HEADER = ["When", "Request", "Outcome", "Duration", "Attempt"];

function requestRows(requests: readonly RequestEntry[], now: number): string[][] {
  return requests
    .toSorted((one, other) => other.at - one.at)
    .map(({ at, method, path, outcome, duration, attempt }) => [
      `${timeText(at)}, ${agoText(at, now)}`,
      `${method} ${path}`,
      String(outcome),
      durationText(duration),
      String(attempt),
    ]);
}
