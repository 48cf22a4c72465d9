// What the user can do: the texts of errors say so.
import { statusError } from "../client/http/response";
import type { RequestEntry } from "../client/http/request-log";
import { EnergyError, type ErrorText, errorText } from "../errors";
import { durationText } from "./markdown";
import type { AccountPart, NodePart, ReportParts } from "./parts";
import { type Hash, safeText } from "./privacy";

/** Each advice once; never empty. */
export function adviceFor({ node, account }: ReportParts, hash: Hash): string[] {
  const all = [
    ...(node ? ofNode(node, hash) : []),
    ...(account ? ofAccount(account, hash, node !== undefined) : ofNoAccount(node)),
  ];
  return all.length > 0 ? [...new Set(all)] : ["Nothing looks wrong at this moment."];
}

/** Nodes that decide on messages or write them. */
const WITHOUT_ACCOUNT = /-(threshold|mqtt|points|statistics)$/;

function ofNoAccount({ type = "" }: Partial<NodePart> = {}): string[] {
  return WITHOUT_ACCOUNT.test(type) ? [] : [textOf(errorText("accountMissing"))];
}

/** Only what has failed since the last success still matters. */
function ofNode({ runs, series, failing, nextRun }: NodePart, hash: Hash): string[] {
  const failures = runs.failures.filter(({ at }) => at >= (runs.lastSuccess ?? 0));
  const advice = failures.map(({ text }) => safeText(text, hash));
  if (runs.count === 0 && nextRun === undefined)
    advice.push(
      "The node has not run since it was started, and has no schedule. Send it a message, or set Repeat every.",
    );
  if (runs.status === "threshold:record")
    advice.push(
      "The value is a whole record. Open the node, and choose one of the record's values under Value.",
    );
  if (failing.length > 0)
    advice.push(
      "Some sites fail while others are read: see Failing. They are requested less often until they respond again.",
    );
  if (series.some(({ summary }) => (summary?.unconfirmed ?? 0) > 0))
    advice.push("Records wait for confirmation. Check the broker or database that the flow writes to.");
  if (series.some(({ summary }) => (summary?.givenUp.length ?? 0) > 0))
    advice.push("Gaps were given up. If the service has the records by now, read them with a history node.");
  return advice;
}

/** @param isOfNode whether the failures of a node say already how its requests failed */
function ofAccount({ problem, client }: AccountPart, hash: Hash, isOfNode: boolean): string[] {
  if (problem) return [safeText(problem.text, hash)];
  if (!client) return [];
  const { requests, lastSuccess = 0, token, limiter, clockCorrection } = client;
  const { breaker, pause, spacing } = limiter;
  const failed = isOfNode ? [] : requests.filter(({ at }) => at > lastSuccess);
  const texts = failed.flatMap((entry) => requestError(entry) ?? []);
  if (token.rejection) {
    const { status, remaining } = token.rejection;
    texts.push(errorText("credentialsRejected", { status, seconds: seconds(remaining) }));
  }
  if (breaker) {
    const { status, nextProbe } = breaker;
    const text = status === undefined ? errorText("failedConnection") : errorText("lastStatus", { status });
    texts.push(errorText("serviceDown", { seconds: seconds(nextProbe), text }));
  }
  if (pause) texts.push(errorText("held", { seconds: seconds(pause.remaining) }));
  if (clockCorrection !== undefined) {
    const duration = durationText(clockCorrection);
    texts.push(errorText(clockCorrection > 0 ? "clockBehind" : "clockAhead", { duration }));
  }
  const advice = texts.map(textOf);
  if (spacing > 0) advice.push("The service gets too many requests. Poll less often, or set a rate limit.");
  return advice;
}

/** Undefined for a request that succeeded or was aborted. */
function requestError({ outcome, path, duration }: RequestEntry): ErrorText | undefined {
  if (outcome === "aborted" || (typeof outcome === "number" && outcome < 300)) return undefined;
  if (outcome === "ENERGY_TIMEOUT") return errorText("noAnswer", { seconds: seconds(duration) });
  if (typeof outcome === "string")
    return errorText("noConnection", { route: path, reason: errorText("failedConnection") });
  const hasId = path.includes("{siteId}");
  const known = path.endsWith("/auth") ? "whatToken" : "whatSites";
  const what = hasId ? errorText("whatSite", { siteId: "{siteId}" }) : errorText(known);
  const response = { status: outcome, text: "", contentType: "", link: "", retryAfter: undefined };
  return statusError(response, what, { hasId }).text;
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/** For a text that names nothing private. */
function textOf(text: ErrorText): string {
  return new EnergyError("ENERGY_INTERNAL", text).message;
}
