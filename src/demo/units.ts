// The units of demo records: 5-minute slots, and fractions of a watt-hour that add up exactly.

export const SLOT_MS = 300_000;
export const SLOTS_PER_HOUR = 12;
export const SLOTS_PER_DAY = 288;

/** Quarters of a watt-hour are exact in binary, so differences of counters equal the interval's energy exactly. */
export const toQuarter = (energy: number): number => Math.round(energy * 4) / 4;
export const downToQuarter = (energy: number): number => Math.floor(energy * 4) / 4;
/** The meter has a finer resolution than the inverter (service interface 2.5 rule 6). */
export const toSixtyFourth = (energy: number): number => Math.round(energy * 64) / 64;
