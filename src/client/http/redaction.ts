// Extracts the service's own message from an error response: without secrets, shortened, never HTML.
import { firstText, isServiceObject } from "../../models/service-object";

const MAX_TEXT_LENGTH = 300;

/** This many consecutive characters of a secret count as revealing it, or all of a shorter one. */
const MIN_REVEALING_LENGTH = 12;

const MESSAGE_FIELDS = ["message", "error_description", "detail", "title", "description", "error"];

/**
 * The service's message, or undefined if none can be shown.
 * @param body text of the response
 */
export function serviceTextOf(body: string, secrets: readonly string[]): string | undefined {
  const message = messageOf(body)
    ?.replaceAll(/[\s\p{C}]+/gu, " ")
    .trim();
  if (message === undefined || message === "" || message.includes("<")) return undefined;
  const clean = withoutSecrets(message, secrets);
  return clean.length <= MAX_TEXT_LENGTH ? clean : `${clean.slice(0, MAX_TEXT_LENGTH - 1)}…`;
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

/** Must run before the text is shortened, because part of a secret would not be recognized. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text.replaceAll(/\b(Bearer|Basic)[\s:]+\S+/gi, "$1 ***");
  for (const secret of secrets) clean = clean.replaceAll(secret, "***");
  return reveals(clean, secrets) ? "(not shown: the service repeats a secret)" : clean;
}

/** Also finds part of a secret, or one with its case changed, spaced out or percent-encoded. */
function reveals(text: string, secrets: readonly string[]): boolean {
  const plain = simplified(text);
  return secrets.some((secret) => {
    const wanted = simplified(secret);
    const length = Math.min(MIN_REVEALING_LENGTH, wanted.length);
    for (let start = 0; start + length <= wanted.length; start++) {
      if (plain.includes(wanted.slice(start, start + length))) return true;
    }
    return false;
  });
}

/** Letters and digits only, in lower case, percent-decoded. */
function simplified(text: string): string {
  const decoded = text.replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
