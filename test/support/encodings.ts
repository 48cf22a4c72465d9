// Encodings in which a hostile or careless service may repeat a secret.

const bytesOf = (text: string): number[] => [...Buffer.from(text)];
const hex = (value: number, width = 2): string => value.toString(16).padStart(width, "0");
const units = (text: string): number[] => text.split("").map((_unit, index) => text.charCodeAt(index));

export const ENCODINGS: Record<string, (text: string) => string> = {
  "plain text": (text) => text,
  "upper case": (text) => text.toUpperCase(),
  reversed: (text) => Array.from(text).toReversed().join(""),
  "spaced out": (text) => Array.from(text).join(" "),
  "percent-encoded": (text) => encodeURIComponent(text),
  "percent-encoded twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "percent-encoded bytes": (text) =>
    bytesOf(text)
      .map((byte) => `%${hex(byte)}`)
      .join(""),
  "decimal entities": (text) =>
    Array.from(text)
      .map((character) => `&#${character.codePointAt(0)};`)
      .join(""),
  "escaped entities": (text) =>
    Array.from(text)
      .map((character) => `&amp;#x${hex(character.codePointAt(0) ?? 0)};`)
      .join(""),
  "named entities": (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll("#", "&num;")
      .replaceAll("$", "&dollar;"),
  "unicode escapes": (text) =>
    units(text)
      .map((unit) => `\\u${hex(unit, 4)}`)
      .join(""),
  "byte escapes": (text) =>
    bytesOf(text)
      .map((byte) => `\\x${hex(byte)}`)
      .join(""),
  "JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)),
  hex: (text) => Buffer.from(text).toString("hex"),
  "hex in groups": (text) =>
    bytesOf(text)
      .map((byte) => hex(byte).toUpperCase())
      .join(":"),
  "a list of bytes": (text) => bytesOf(text).join(", "),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "base64 of more": (text) => Buffer.from(`{"the secret":"${text}"}`).toString("base64"),
  "reversed base64": (text) => Array.from(Buffer.from(text).toString("base64")).toReversed().join(""),
  "wide letters": (text) =>
    text.replaceAll(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0)),
  "wrong bytes": (text) => Buffer.from(text).toString("latin1"),
};
