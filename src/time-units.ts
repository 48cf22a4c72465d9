// Durations in milliseconds, and as a text.
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A day of 24 hours; local days may be shorter or longer. */
export const DAY = 24 * HOUR;

const UNITS = [
  { name: "d", minutes: 24 * 60 },
  { name: "h", minutes: 60 },
  { name: "min", minutes: 1 },
] as const;

/** Two units at most, such as `3 h 12 min`: these abbreviations are the same in all languages of the package. */
export function durationText(milliseconds: number): string {
  const minutes = Math.round(Math.abs(milliseconds) / MINUTE);
  const first = Math.max(
    UNITS.findIndex((unit) => minutes >= unit.minutes),
    0,
  );
  let rest = minutes;
  const parts = UNITS.slice(first, first + 2).map(({ name, minutes: size }) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count > 0 ? `${count} ${name}` : "";
  });
  return parts.filter((part) => part !== "").join(" ");
}
