// Extracts the service's own message from an error response: without secrets, shortened, never HTML.
import { firstText, isServiceObject } from "../../models/service-object";
import { SecretFinder } from "./secret-finder";
import { decodingStages } from "./text-decoding";

const MAX_TEXT_LENGTH = 300;

/** A word of this length may be a token that is not known here, because the service has just issued it. */
const LONG_RUN = 16;

const MASK = "***";
const NOT_SHOWN = "(not shown: the service repeats a secret)";

const MESSAGE_FIELDS = ["message", "error_description", "detail", "title", "description", "error"];

/** What is not shown of a response to a request, and what is. */
export interface Confidential {
  /** Secrets and tokens; must not be shown in any form. */
  secrets: readonly string[];
  /** Ids of the request, which are shown however long they are. */
  ids: readonly string[];
}

/**
 * The service's message, or undefined if none can be shown.
 * @param body text of the response
 */
export function serviceTextOf(body: string, confidential: Confidential): string | undefined {
  const message = messageOf(body);
  if (message === undefined || message.trim() === "" || message.includes("<")) return undefined;
  // Shortened last, because part of a secret would not be recognized.
  const clean = redacted(message, confidential);
  if (clean === undefined || clean.length <= MAX_TEXT_LENGTH) return clean;
  return `${clean.slice(0, MAX_TEXT_LENGTH - 1)}…`;
}

function messageOf(text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const isCutJson = /^\s*[[{"]/.test(text);
    return isCutJson ? undefined : text;
  }
  if (typeof body === "string") return body;
  if (!isServiceObject(body)) return undefined;
  const [firstError] = Array.isArray(body["errors"]) ? (body["errors"] as unknown[]) : [];
  for (const holder of [body["error"], firstError, body]) {
    const message = isServiceObject(holder) ? firstText(holder, MESSAGE_FIELDS) : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Secrets in plain text are cut out. Of a text that has them in any other form, nothing is shown. */
function redacted(message: string, { secrets, ids }: Confidential): string | undefined {
  let masked = message;
  for (const secret of secrets) if (secret !== "") masked = masked.replaceAll(secret, MASK);
  const stages = decodingStages(masked);
  if (stages === undefined) return undefined;
  const finder = new SecretFinder(secrets);
  if (stages.some((stage) => finder.isIn(stage))) return NOT_SHOWN;
  const plain = oneLine(stages.at(-1) ?? "");
  // Other credentials, such as a new token, are not known, but look like this.
  const silent = withoutLongRuns(plain.replaceAll(/\b(Bearer|Basic)[\s:]+\S+/gi, `$1 ${MASK}`), ids);
  return silent.includes("<") || silent === "" ? undefined : silent;
}

/** Masks what is as long as a token, except for the ids of the request. */
function withoutLongRuns(text: string, ids: readonly string[]): string {
  // A short id needs no exception, and would cut tokens into pieces.
  const known = ids.map(plainId).filter((id) => id.length >= LONG_RUN);
  return maskedAround(
    text,
    known.toSorted((a, b) => b.length - a.length),
  );
}

function maskedAround(text: string, [id, ...others]: readonly string[]): string {
  if (id === undefined) return text.replaceAll(/[\w\-.+/=~]{16,}/g, maskedRun);
  const parts = text.split(id);
  return parts.map((part) => maskedAround(part, others)).join(id);
}

/** An id of a URL as it looks in a decoded message. */
function plainId(id: string): string {
  return oneLine(decodingStages(id)?.at(-1) ?? "");
}

/** Punctuation around a run belongs to the sentence. */
function maskedRun(run: string): string {
  const start = run.search(/[A-Za-z0-9]/);
  if (start === -1) return run;
  let end = run.length;
  while (/[^A-Za-z0-9]/.test(run.charAt(end - 1))) end -= 1;
  return end - start < LONG_RUN ? run : `${run.slice(0, start)}${MASK}${run.slice(end)}`;
}

/** Invisible characters would hide where a secret is. */
function oneLine(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .trim();
}
