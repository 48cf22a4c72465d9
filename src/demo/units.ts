// The steps that demo readings come in: 5 minutes, and parts of a watt-hour whose sums stay exact.

export const SLOT_MS = 300_000;
export const SLOTS_PER_HOUR = 12;
export const SLOTS_PER_DAY = 288;

/** Quarters of a watt-hour are exact in binary: differences of counters equal the interval's energy to the last digit. */
export const toQuarter = (energy: number): number => Math.round(energy * 4) / 4;
export const downToQuarter = (energy: number): number => Math.floor(energy * 4) / 4;
/** The meter sees finer steps than the inverter (service interface 2.5 rule 6). */
export const toSixtyFourth = (energy: number): number => Math.round(energy * 64) / 64;
