// What the service itself says in an answer that is no success: its message, freed of secrets, cut, never HTML.
import { firstText, isServiceObject } from "../../models/service-object";
import type { HttpAnswer } from "./exchange";

const LONGEST_TEXT = 300;

/** So much of a secret in a row gives it away; a shorter one counts as a whole. */
const TELLING_LENGTH = 12;

const MESSAGE_FIELDS = ["message", "error_description", "detail", "title", "description", "error"];

/** The service's message, or undefined when it gave none that can be shown. */
export function serviceTextOf(answer: HttpAnswer, secrets: readonly string[]): string | undefined {
  const message = messageOf(answer.text)?.replaceAll(/\s+/g, " ").trim();
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

/** Before the cut, which could otherwise leave part of a secret that is no longer recognised. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text.replaceAll(/\b(Bearer|Basic)[\s:]+\S+/gi, "$1 ***");
  for (const secret of secrets) clean = clean.replaceAll(secret, "***");
  return givesAway(clean, secrets) ? "(not shown: the service repeats a secret)" : clean;
}

/** A secret may be repeated in part, in another case, with spaces or percent-encoded. */
function givesAway(text: string, secrets: readonly string[]): boolean {
  const plain = simplified(text);
  return secrets.some((secret) => {
    const wanted = simplified(secret);
    const length = Math.min(TELLING_LENGTH, wanted.length);
    for (let start = 0; start + length <= wanted.length; start++) {
      if (plain.includes(wanted.slice(start, start + length))) return true;
    }
    return false;
  });
}

/** Only letters and digits, in small letters, percent-encoding undone. */
function simplified(text: string): string {
  const decoded = text.replaceAll(/%(?:25)*([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
