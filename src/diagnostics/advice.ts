// What the user can do: the texts of errors say so.
import { type ErrorText, errorText } from "../errors";
import { durationText } from "./markdown";
import type { AccountPart, NodePart, ReportParts } from "./parts";
import { type Hash, safeText } from "./privacy";

/** Each advice once; never empty. */
export function adviceFor({ node, account }: ReportParts, hash: Hash): string[] {
  const all = [
    ...(node ? ofNode(node, hash) : []),
    ...(account ? ofAccount(account, hash, node !== undefined) : ofNoAccount(hash, node)),
  ];
  return all.length > 0 ? [...new Set(all)] : ["Nothing looks wrong at this moment."];
}

/** Nodes that decide on messages or write them. */
const WITHOUT_ACCOUNT = /-(threshold|mqtt|points|statistics)$/;

function ofNoAccount(hash: Hash, { type = "" }: Partial<NodePart> = {}): string[] {
  return WITHOUT_ACCOUNT.test(type) ? [] : [safeText(errorText("accountMissing"), hash)];
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
  const { failure, noSites, limiter, clockCorrection } = client;
  const { pause, spacing } = limiter;
  const texts: ErrorText[] = [];
  if (failure && !isOfNode) texts.push(failure);
  if (noSites) texts.push(noSites);
  if (pause) texts.push(errorText("held", { seconds: Math.ceil(pause.remaining / 1000) }));
  if (clockCorrection !== undefined) {
    const duration = durationText(clockCorrection);
    texts.push(errorText(clockCorrection > 0 ? "clockBehind" : "clockAhead", { duration }));
  }
  const advice = texts.map((text) => safeText(text, hash));
  if (spacing > 0) advice.push("The service gets too many requests. Poll less often, or set a rate limit.");
  return advice;
}
