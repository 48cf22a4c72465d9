// The service's own message in an error answer: without secrets, shortened, and never HTML.
import { firstText, isServiceObject } from "../../models/service-object";

const LONGEST_TEXT = 300;

/** So many consecutive characters of a secret reveal it; a shorter secret counts as a whole. */
const REVEALING_LENGTH = 12;

const MESSAGE_FIELDS = ["message", "error_description", "detail", "title", "description", "error"];

/**
 * The service's message, or undefined if there is none that can be shown.
 * @param body the answer's text
 */
export function serviceTextOf(body: string, secrets: readonly string[]): string | undefined {
  const message = messageOf(body)
    ?.replaceAll(/[\s\p{C}]+/gu, " ")
    .trim();
  if (message === undefined || message === "" || message.includes("<")) return undefined;
  const clean = withoutSecrets(message, secrets);
  return clean.length <= LONGEST_TEXT ? clean : `${clean.slice(0, LONGEST_TEXT - 1)}…`;
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

/** Applied before the text is shortened: part of a secret would no longer be recognized. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text.replaceAll(/\b(Bearer|Basic)[\s:]+\S+/gi, "$1 ***");
  for (const secret of secrets) clean = clean.replaceAll(secret, "***");
  return reveals(clean, secrets) ? "(not shown: the service repeats a secret)" : clean;
}

/** The service may repeat part of a secret, or change its case, space it out or percent-encode it. */
function reveals(text: string, secrets: readonly string[]): boolean {
  const plain = simplified(text);
  return secrets.some((secret) => {
    const wanted = simplified(secret);
    const length = Math.min(REVEALING_LENGTH, wanted.length);
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
