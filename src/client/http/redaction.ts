// Shows of the service's own message what cannot be a secret: plain words, short numbers and the ids of the request.
import { parsedJson } from "../../canonical-json";
import { arrayOf, firstText, isServiceObject, objectOf } from "../../models/service-object";
import { shownText } from "../../shown-text";

const MAX_TEXT_LENGTH = 300;
/** No more is looked at: the rest would not be shown. */
const MAX_READ_LENGTH = 1000;
/** More numbers or abbreviations may be a secret spelled out. */
const MAX_NUMBERS = 3;
/** This many letters of a secret reveal it. */
const REVEALING_LENGTH = 8;
/** Shorter words occur in a long token by chance. */
const REVEALING_WORD = 4;

const MASK = "***";
const MESSAGE_FIELDS = ["message", "error_description", "detail", "title", "description", "error"];

/** A word of two to twenty letters, perhaps with an apostrophe; a name such as `startTime`; the words of one letter. */
const WORD =
  /^(?:[A-ZÀ-ÖØ-Þa-zß-öø-ÿ][a-zß-öø-ÿ]{1,19}(?:['’][a-z]{1,2})?|[a-z]{2,}(?:[A-Z][a-z]+){1,3}|[aAI])$/;
/** What joins words, as in `start_time`. */
const JOINTS = /[-_/]/;
/** A short number, perhaps with a unit as in `24-hour`; an abbreviation. */
const NUMBER = /^(?:[-+]?\d{1,6}(?:[.,]\d{1,3})?[%°]?(?:-[a-z]{1,10})?|[A-Z]{2,5})$/;
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[-+]\d\d:\d\d)?)?$/;
/** A word with the punctuation around it. */
const PUNCTUATED = /^(["'“”‘’([]*)(.*?)(["'“”‘’)\].,;:!?…]*)$/u;

/** What is not shown of a response to a request, and what is. */
export interface Confidential {
  /** Secrets and tokens; must not be shown in any form. */
  secrets: readonly string[];
  /** Ids of the request, which are shown however long they are. */
  ids: readonly string[];
}

/** A word of a message. */
interface Piece {
  /** With its punctuation; the mask in place of what is not shown. */
  readonly text: string;
  readonly kind: "word" | "number" | "id" | "masked";
}

/**
 * The service's message, or undefined if none can be shown.
 * @param body text of the response
 */
export function serviceTextOf(body: string, { secrets, ids }: Confidential): string | undefined {
  const message = messageOf(body);
  if (message === undefined || message.includes("<")) return undefined;
  const letters = secrets.map(lettersOf);
  const forms = [...letters, ...letters.map((form) => Array.from(form).toReversed().join(""))];
  const words = oneLine(message).split(" ");
  const pieces = words.map((word, index) =>
    /^(Bearer|Basic):?$/i.test(words[index - 1] ?? "") ? masked(word) : pieceOf(word, forms, ids),
  );
  const isSpelledOut = pieces.filter(({ kind }) => kind === "number").length > MAX_NUMBERS;
  const isHidden = ({ text, kind }: Piece, index: number): boolean =>
    (kind === "number" && isSpelledOut) ||
    (lettersOf(text).length < 2 && [index - 1, index + 1].some((next) => pieces[next]?.kind === "masked"));
  const shown = pieces.map((piece, index) => (isHidden(piece, index) ? masked(piece.text) : piece));
  const visible = lettersOf(shown.map(({ text, kind }) => (kind === "id" ? "" : text)).join(""));
  const short = words.map(lettersOf).filter((word) => word.length < REVEALING_WORD);
  /** Perhaps with other words between its pieces. */
  const isSpelled = (form: string): boolean =>
    isPartIn(short.filter((word) => form.includes(word)).join(""), form);
  if (visible === "" || forms.some((form) => isPartIn(visible, form) || isSpelled(form))) return undefined;
  const text = shown
    .map((piece) => piece.text)
    .join(" ")
    .replaceAll(/\*\*\*(?:[^\p{L}\p{N}]*\*\*\*)+/gu, MASK);
  return shownText(text, MAX_TEXT_LENGTH);
}

function messageOf(text: string): string | undefined {
  const body = parsedJson(text);
  // JSON that was cut off is no message.
  if (body === undefined) return /^\s*[[{"]/.test(text) ? undefined : text;
  if (typeof body === "string") return body;
  if (!isServiceObject(body)) return undefined;
  const [firstError] = arrayOf(body["errors"]);
  for (const holder of [body["error"], firstError, body]) {
    const message = firstText(objectOf(holder), MESSAGE_FIELDS);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** @param forms letters of secrets */
function pieceOf(text: string, forms: readonly string[], ids: readonly string[]): Piece {
  const [, , word = ""] = PUNCTUATED.exec(text) ?? [];
  // As in a path.
  const parts = ids.includes(word) ? [word] : word.split("/").filter((part) => part !== "");
  const others = parts.filter((part) => !ids.includes(part));
  if (others.length < parts.length && isPlain(others)) return { text, kind: "id" };
  const letters = lettersOf(word);
  const isSecret = (form: string): boolean =>
    form === letters || (letters.length >= REVEALING_WORD && form.includes(letters));
  if (/^[-–—]$/.test(text)) return { text, kind: "word" };
  if (forms.some(isSecret)) return masked(text);
  if (NUMBER.test(word) || TIME.test(word)) return { text, kind: "number" };
  return isPlain(word.split(JOINTS)) ? { text, kind: "word" } : masked(text);
}

function isPlain(words: readonly string[]): boolean {
  return words.every((word) => WORD.test(word));
}

/** Punctuation around a word belongs to the sentence. */
function masked(text: string): Piece {
  return { text: text.replace(PUNCTUATED, `$1${MASK}$3`), kind: "masked" };
}

/** Whether a text holds part of a secret that reveals it. */
function isPartIn(text: string, secret: string): boolean {
  const length = Math.min(REVEALING_LENGTH, secret.length);
  if (length < REVEALING_WORD) return false;
  for (let start = 0; start + length <= secret.length; start += 1)
    if (text.includes(secret.slice(start, start + length))) return true;
  return false;
}

/** Letters and digits only, in lower case. */
function lettersOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Without control characters, nor invisible ones. */
function oneLine(text: string): string {
  return text
    .slice(0, MAX_READ_LENGTH)
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .trim();
}
