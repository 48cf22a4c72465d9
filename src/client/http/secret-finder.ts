// Finds secrets in a text: whole or in part, spaced out, in other letters, reversed, as hex, base64 or numbers of bytes.
import { decodingStages } from "./text-decoding";

/** This many consecutive letters and digits of a secret count as revealing it, or all of a shorter one. */
const REVEALING_LENGTH = 12;

/** Shorter ones occur in ordinary words. */
const MIN_LENGTH = 4;

/** In long encoded forms, not every start is needed: a byte takes more than one character. */
const LONG_FORM = 64;

/** Looks up every part of a text in a set, so that the time does not depend on how many secrets there are. */
export class SecretFinder {
  /** Parts of secrets by length: letters and digits only. */
  readonly #parts = new Map<number, Set<string>>();
  /** Short secrets, or ones of punctuation. */
  readonly #short = new Set<string>();

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) {
      for (const plain of plainForms(secret)) {
        this.#addPlain(plain);
        for (const form of encodedForms(plain)) this.#addEncoded(form);
      }
    }
  }

  isIn(text: string): boolean {
    const [compact, simple] = [squeezed(text), simplified(text)];
    if ([...this.#short].some((secret) => compact.includes(secret))) return true;
    return [...this.#parts].some(([length, parts]) => {
      for (let start = 0; start + length <= simple.length; start += 1)
        if (parts.has(simple.slice(start, start + length))) return true;
      return false;
    });
  }

  #addPlain(plain: string): void {
    const simple = simplified(plain);
    if (simple.length >= MIN_LENGTH) this.#add(simple, 1);
    else if (squeezed(plain) !== "") this.#short.add(squeezed(plain));
  }

  #addEncoded(form: string): void {
    const simple = simplified(form);
    if (simple.length >= MIN_LENGTH) this.#add(simple, simple.length > LONG_FORM ? REVEALING_LENGTH : 1);
  }

  #add(simple: string, step: number): void {
    const length = Math.min(REVEALING_LENGTH, simple.length);
    const parts = this.#parts.get(length) ?? new Set<string>();
    this.#parts.set(length, parts);
    for (let start = 0; start + length <= simple.length; start += step)
      parts.add(simple.slice(start, start + length));
  }
}

/** The secret as it is, as it looks when decoded, and as programs garble what is not ASCII; each also reversed. */
function plainForms(secret: string): string[] {
  const decoded = decodingStages(secret) ?? [secret];
  const forms = new Set(decoded);
  if (/[^\0-\x7f]/.test(secret)) {
    forms.add(Buffer.from(secret, "utf8").toString("latin1"));
    const ascii = secret.replaceAll(/[^\0-\x7f]/g, "");
    if (ascii.length >= MIN_LENGTH) forms.add(ascii);
  }
  return [...forms].flatMap((form) => [form, reversed(form)]);
}

function encodedForms(plain: string): string[] {
  const bytes = Buffer.from(plain, "utf8");
  const forms = [bytes.toString("hex"), bytes.join(""), bytes.toString("base64"), ...shiftedBase64(bytes)];
  const wide = Buffer.from(plain, "utf16le").toString("base64");
  return [...forms, wide].flatMap((form) => [form, reversed(form)]);
}

/** How the bytes look in the base64 of a longer text: only the characters that depend on nothing else. */
function shiftedBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const end = Math.floor((padded.length * 8) / 6);
    return padded.toString("base64").slice(Math.ceil((shift * 8) / 6), end);
  });
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join("");
}

/** Without spaces and invisible characters, in lower case. */
function squeezed(text: string): string {
  return unified(text).replaceAll(/[\s\p{C}]/gu, "");
}

/** Letters and digits only, in lower case. */
function simplified(text: string): string {
  return unified(text).replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Wide, circled or composed characters are the same letters. */
function unified(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
