// What the energy of a system depends on: the sun, clouds, and the habits of a household. The same in every run.
import { DAY } from "../time-units";

const RADIANS = Math.PI / 180;
/** Tilt of the panels toward the equator, in degrees. */
const TILT = 30;
/** Half-months between the solstices: fine enough for the sun's height, few enough to cache the totals of a day. */
const SEASONS = 12;
const YEAR = 365.25 * DAY;
const WINTER_SOLSTICE = Date.UTC(2023, 11, 22);

/** From a clear day to a dark one: the share of light left, and how much of that drifting clouds take at most. */
const WEATHERS = [
  { light: 1, drift: 0.03 },
  { light: 0.95, drift: 0.35 },
  { light: 0.8, drift: 0.7 },
  { light: 0.5, drift: 0.6 },
  { light: 0.25, drift: 0.5 },
] as const;

/** A pseudorandom number in [0, 1), from two whole numbers. */
export function noise(seed: number, position: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ position;
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Like `noise`, interpolated between whole values of `position`. */
function smoothNoise(seed: number, position: number): number {
  const before = Math.floor(position);
  const share = position - before;
  return noise(seed, before) * (1 - share) + noise(seed, before + 1) * share;
}

/** Half-months before or after the northern winter solstice, since the sun's path is the same on both sides of it. */
export function seasonOf(time: number): number {
  const share = ((time - WINTER_SOLSTICE) / YEAR) % 1;
  return Math.floor(2 * SEASONS * Math.min(share, 1 - share));
}

/** The weather of a place on a day, as an index. */
export function weatherOf(seed: number, day: number): number {
  return Math.floor(noise(seed, day) * WEATHERS.length);
}

/** Share of light, 0 to 1, that the weather lets through in a 5-minute slot of the day. */
export function clearness(weather: number, slot: number): number {
  const { light, drift } = WEATHERS[weather] ?? WEATHERS[0];
  return light * (1 - drift * smoothNoise(weather, slot / 4));
}

/**
 * The output of an array under a clear sky as a share of its peak power, 0 to 1.
 * `solarHour` is 12 when the sun is highest; latitude in degrees, south negative.
 */
export function clearSkyShare(latitude: number, season: number, solarHour: number): number {
  const declination = -23.44 * RADIANS * Math.cos(((season + 0.5) * Math.PI) / SEASONS);
  const hourAngle = (solarHour - 12) * 15 * RADIANS;
  const height = sineOfHeight(latitude * RADIANS, declination, hourAngle);
  if (height <= 0) return 0;
  const onPanel = sineOfHeight((latitude - Math.sign(latitude) * TILT) * RADIANS, declination, hourAngle);
  // Light left after passing through the air, of which there is more the lower the sun is.
  const throughAir = 0.7 ** ((1 / (height + 0.01)) ** 0.678);
  return Math.min(1, 1.3 * throughAir * Math.max(onPanel, 0.1 * height));
}

function sineOfHeight(latitude: number, declination: number, hourAngle: number): number {
  return (
    Math.sin(latitude) * Math.sin(declination) +
    Math.cos(latitude) * Math.cos(declination) * Math.cos(hourAngle)
  );
}

/** The load of a household in W: a base load, a peak in the morning, a larger one in the evening. */
export interface Load {
  base: number;
  morning: number;
  evening: number;
}

/** W at an hour of solar time, 0 to 24; `seed` varies by day, `slot` within a day. */
export function loadPower(load: Load, clockHour: number, seed: number, slot: number): number {
  const mean = load.base + load.morning * peak(clockHour, 7.5, 1.2) + load.evening * peak(clockHour, 19.5, 2);
  return mean * (0.8 + 0.4 * noise(seed, slot));
}

function peak(hour: number, at: number, width: number): number {
  return Math.exp(-(((hour - at) / width) ** 2));
}
