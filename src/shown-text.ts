// Prepares texts of messages, answers and foreign errors to be shown: in a log, a status, an error, or by Home Assistant.
import { MAX_ERROR_LENGTH, MAX_SHOWN_NAME_LENGTH } from "./limits";
import { mapValues } from "./objects";

/** Characters that could forge a line of a log, or that cannot be shown. */
const NOT_SHOWN = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** The text in one line of at most `maxLength` characters, without control characters or half surrogate pairs. */
export function shownText(text: string, maxLength: number): string {
  // Most of a huge text is not even looked at.
  const line = text.slice(0, 2 * maxLength).replaceAll(NOT_SHOWN, " ");
  if (line.length <= maxLength && text.length <= 2 * maxLength) return line;
  // Cutting may split a pair.
  return `${line.slice(0, maxLength - 1).replace(/\p{Surrogate}$/u, "")}…`;
}

/** The name of something of others, as it leaves the package; undefined if it is no text, or nothing of it can be shown. */
export function shownName(name: unknown): string | undefined {
  return (typeof name === "string" && shownText(name, MAX_SHOWN_NAME_LENGTH).trim()) || undefined;
}

/** The name of a system, if any, after that of its site, which is cut first: two systems of a site must not share a name. */
export function systemNameWith(siteName: string, systemName = "", maxLength = MAX_SHOWN_NAME_LENGTH): string {
  const room = Math.max(Math.floor(maxLength / 2), maxLength - systemName.length - 1);
  return shownText(`${shownText(siteName, room)} ${systemName}`.trim(), maxLength);
}

/** As Home Assistant has ids: lower-case letters, digits and single underscores, none at an end. */
export function slugOf(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const slug = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
  return slug.slice(0, maxLength).replaceAll(/^_|_$/g, "");
}

/**
 * The values of a catalogue text, for `RED._`: so short that the advice after one is shown, and without `$t(`. i18next would look
 * for references to other texts with an expression that takes years for that and 50 letters.
 */
export function catalogueValues(
  values: Readonly<Record<string, string | number>>,
): Record<string, string | number> {
  const shown = (text: string): string => shownText(text, 0.6 * MAX_ERROR_LENGTH).replaceAll("$t(", "$t (");
  return mapValues(values, (value) => (typeof value === "string" ? shown(value) : value));
}
