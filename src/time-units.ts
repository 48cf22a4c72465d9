// Durations in milliseconds, and as a text; times as a text.
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A day of 24 hours; local days may be shorter or longer. */
export const DAY = 24 * HOUR;

const UNITS = [
  ["d", DAY],
  ["h", HOUR],
  ["min", MINUTE],
  ["s", 1000],
] as const;

/**
 * Two units at most, such as `3 h 12 min`: these abbreviations are the same in all languages of the package. The sign is ignored.
 * @param precision rounds to whole minutes or seconds; less than half of one is ""
 */
export function durationText(milliseconds: number, precision: "min" | "s" = "min"): string {
  const smallest = precision === "min" ? MINUTE : 1000;
  let rest = Math.round(Math.abs(milliseconds) / smallest) * smallest;
  const units = UNITS.filter(([, size]) => size >= smallest);
  const first = units.findIndex(([, size]) => rest >= size);
  const parts = units.slice(first, first < 0 ? 0 : first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count > 0 ? `${count} ${unit}` : "";
  });
  return parts.filter((part) => part !== "").join(" ");
}

/** The full hour that was written last: most times are on a full minute of the same hour or the next. */
let hour = Number.NaN;
let hourText = "";

/** A time as ISO 8601 in UTC, as `toISOString` writes it: that would be the slowest step per record. */
export function isoTime(time: number): string {
  const hourStart = Math.floor(time / HOUR) * HOUR;
  const minutes = (time - hourStart) / MINUTE;
  if (!Number.isInteger(minutes)) return new Date(time).toISOString();
  if (hourStart !== hour) {
    hourText = new Date(hourStart).toISOString().slice(0, 14);
    hour = hourStart;
  }
  return `${hourText}${minutes < 10 ? "0" : ""}${minutes}:00.000Z`;
}
