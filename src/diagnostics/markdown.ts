// Builds Markdown that reads well as plain text, too.
import { shownText } from "../shown-text";

const MAX_CELL_LENGTH = 400;
const LINE_LENGTH = 88;

/** The columns are aligned; without rows, nothing. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const cells = [header, ...rows].map((row) => row.map(cell));
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

function cell(text: string): string {
  return inline(text).replaceAll("|", "\\|");
}

/** Text in one line that Markdown does not take for markup, mentions or links. */
function inline(text: string): string {
  return shownText(text, MAX_CELL_LENGTH).replaceAll(/[<`@]/g, " ");
}
