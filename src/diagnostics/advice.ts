// What the user can do, derived from codes and states.
import type { ErrorCode, ErrorKey } from "../errors";
import { ownText } from "./privacy";
import { durationText } from "./markdown";
import type { AccountPart, FailurePart, NodePart, ReportParts } from "./parts";

const BY_CODE: Readonly<Record<ErrorCode, string>> = {
  ENERGY_CONFIG: "A setting is missing or not valid. Correct what the error names, then deploy.",
  ENERGY_AUTH:
    "The service rejects the credentials or the token. Enter client ID and client secret again in the account, and ask your provider whether they are active and may read these sites.",
  ENERGY_INPUT:
    "A message to the node lacks something or holds a value that cannot be used. Look at it with a debug node in front of the node.",
  ENERGY_SYSTEM_REQUIRED: "The site has several systems. Choose one in the node.",
  ENERGY_RANGE: "The time range cannot be requested. Check its start and end, or make it shorter.",
  ENERGY_HTTP: "The service refuses the request. Check the settings of node and account.",
  ENERGY_RATE_LIMIT:
    "The service gets too many requests. Poll less often, use fewer nodes with *, or set a rate limit in the account.",
  ENERGY_TIMEOUT:
    "The service does not respond in time. Check the network; if the service is slow, increase the timeout of the account.",
  ENERGY_NETWORK:
    "The service cannot be reached. From the machine or container in which Node-RED runs, check base URL, DNS, firewall, proxy and TLS.",
  ENERGY_RESPONSE:
    "The response is not what the interface describes. Check that the base URL leads to the API; if it does, open an issue.",
  ENERGY_STORE:
    "The state of the node cannot be kept. Check free space and permissions of the user directory.",
  ENERGY_INTERNAL: "This is a bug. Open an issue with this text.",
};

const BY_STATUS: Readonly<Record<number, string>> = {
  401: BY_CODE.ENERGY_AUTH,
  403: "The credentials do not allow this request. Ask your provider for the permission.",
  429: BY_CODE.ENERGY_RATE_LIMIT,
};

const NO_SITE = "The service does not know the site. Check its id, and that the credentials may read it.";
const NO_SITE_WITHOUT_PC1 = `${NO_SITE} For a site with PC1 systems, set Systems in the account to PC1 and PC2 (preview API).`;
const NO_ENDPOINT =
  "The service does not know the address. Check the base URL: it ends before /v1, and is not that of a web page.";

/** What errors are about that name a site. */
const SITE_TEXTS: readonly ErrorKey[] = ["whatSite", "whatTelemetry", "whatRgm", "whatSiteAlerts"];

/** Each advice once; never empty. */
export function adviceFor({ node, account }: ReportParts): string[] {
  const isPc1Off = account?.isPc1Off === true;
  const all = [
    ...(node ? ofNode(node, isPc1Off) : []),
    ...(account ? ofAccount(account) : ["The node has no account. Choose one in the node, then deploy."]),
  ];
  return all.length > 0 ? [...new Set(all)] : ["Nothing looks wrong at this moment."];
}

/** Only what has failed since the last success still matters. */
function ofNode({ runs, series, failing, nextRun }: NodePart, isPc1Off: boolean): string[] {
  const failures = runs.failures.filter(({ at }) => at >= (runs.lastSuccess ?? 0));
  const advice = failures.map((failure) => ofFailure(failure, isPc1Off));
  if (runs.count === 0 && nextRun === undefined)
    advice.push(
      "The node has not run since it was started, and has no schedule. Send it a message, or set Repeat every.",
    );
  if (failing.length > 0)
    advice.push(
      "Some sites fail while others are read: see Failing. They are asked for less often until they respond again.",
    );
  if (series.some(({ summary }) => (summary?.unconfirmed ?? 0) > 0))
    advice.push("Records wait for confirmation. Check the broker or database that the flow writes to.");
  if (series.some(({ summary }) => (summary?.givenUp.length ?? 0) > 0))
    advice.push("Gaps were given up. If the service has the records by now, read them with a history node.");
  return advice;
}

function ofFailure({ code, statusCode, text }: FailurePart, isPc1Off: boolean): string {
  if (code !== "ENERGY_HTTP" || statusCode === undefined) return BY_CODE[code];
  const { what } = ownText(text).values;
  const isAboutSite = typeof what === "object" && "key" in what && SITE_TEXTS.includes(what.key);
  return ofStatus(statusCode, isAboutSite, isPc1Off);
}

function ofStatus(status: number, isAboutSite: boolean, isPc1Off: boolean): string {
  if (status === 404 && !isAboutSite) return NO_ENDPOINT;
  if (status === 404) return isPc1Off ? NO_SITE_WITHOUT_PC1 : NO_SITE;
  if (status >= 500)
    return "The service has a fault of its own. Wait; scheduled nodes try again by themselves.";
  if (status >= 300 && status < 400)
    return "The service redirects the request, which is not followed. Enter the final address as base URL.";
  return BY_STATUS[status] ?? BY_CODE.ENERGY_HTTP;
}

function ofAccount({ problem, client, isPc1Off }: AccountPart): string[] {
  if (problem) return [ofFailure(problem, isPc1Off)];
  if (!client) return [];
  const { requests, lastSuccess = 0, token, limiter, clockCorrection } = client;
  const advice = requests.flatMap(({ at, outcome, path }) => {
    if (at <= lastSuccess || outcome === "aborted") return [];
    if (typeof outcome === "string") return [BY_CODE[outcome]];
    return outcome >= 300 ? [ofStatus(outcome, path.includes("{siteId}"), isPc1Off)] : [];
  });
  if (token.rejection) advice.push(BY_CODE.ENERGY_AUTH);
  if (limiter.breaker)
    advice.push(
      "The service fails for all sites. One request at a time tries it again; everything goes on by itself when it responds.",
    );
  if (limiter.pause || limiter.spacing > 0) advice.push(BY_CODE.ENERGY_RATE_LIMIT);
  if (clockCorrection !== undefined)
    advice.push(`The clock of this machine is wrong by ${durationText(clockCorrection)}. Set it (NTP).`);
  return advice;
}
