// Writes lists, tables and times as Markdown that reads well as plain text, too, in English.
import { shownText } from "../shown-text";
import { durationText as roundedText } from "../time-units";

const MAX_CELL_LENGTH = 400;
const LINE_LENGTH = 88;

/** The columns are aligned; without rows, nothing. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const cells = [header, ...rows].map((row) => row.map((text) => inline(text).replaceAll("|", "\\|")));
  const widths = header.map((_name, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [first = [], ...others] = cells;
  return [line(first), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...others.map(line)];
}

export function list(items: readonly string[]): string[] {
  return items.flatMap((item) =>
    wrapped(inline(item)).map((line, index) => (index === 0 ? "- " : "  ") + line),
  );
}

/** In lines that fit a dialog. */
export function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A heading and what belongs to it; nothing without content. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `#### ${title}`, "", ...lines];
}

/** Text in one line that Markdown does not take for markup, mentions or links. */
function inline(text: string): string {
  return shownText(text, MAX_CELL_LENGTH).replaceAll(/[<`@]/g, " ");
}

const SECOND = 1000;

/** Two units at most, such as `3 h 12 min` or `2 min 5 s`; short ones as `3.2 s` or `240 ms`. The sign is ignored. */
export function durationText(milliseconds: number): string {
  const length = Math.round(Math.abs(milliseconds));
  if (length < SECOND) return `${length} ms`;
  return length < 10 * SECOND ? `${(length / SECOND).toFixed(1)} s` : roundedText(length, "s");
}

/** Such as `5 min ago` or `in 3 h`. */
export function agoText(time: number, now: number): string {
  return time > now ? `in ${durationText(time - now)}` : `${durationText(now - time)} ago`;
}

/** In UTC, to the second. */
export function timeText(time: number): string {
  // A ledger may hold any number.
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "unknown" : date.toISOString().replace(/\.\d+Z$/, "Z");
}

export function spanText({ start, end }: { start: number; end: number }): string {
  return `${timeText(start)} to ${timeText(end)}`;
}
