// Shows numbers to people: rounded, and with the unit in which people say them. Nothing else uses them.

const PREFIXES = ["", "k", "M", "G"];
/** The units that are written with a prefix. */
const SCALED = ["W", "Wh"];

/** Such as "18 %", "850 W", "3.2 kW"; without a unit, the number rounded. */
export function shownMeasurement(value: number, unit?: string): string {
  if (unit === undefined) return shownNumber(value);
  if (!SCALED.includes(unit)) return `${Math.round(value)} ${unit}`;
  let scaled = Math.round(value) || 0;
  let prefix = 0;
  // A number that rounds up to 1000 is the next unit.
  while (Math.abs(Math.round(scaled)) >= 1000 && prefix < PREFIXES.length - 1) {
    scaled /= 1000;
    prefix += 1;
  }
  return `${prefix === 0 ? scaled : withDecimals(scaled)} ${PREFIXES[prefix]}${unit}`;
}

/** Three digits are as many as people read: 3.2, 12.4, 230. */
function withDecimals(value: number): string {
  return Math.abs(value) < 99.95 ? value.toFixed(1) : String(Math.round(value));
}

/** At most one decimal, or two digits for numbers below 1. */
export function shownNumber(value: number): string {
  const rounded = Math.abs(value) < 1 ? Number(value.toPrecision(2)) : Math.round(value * 10) / 10;
  return String(rounded);
}
