// When a response was sent, from its headers.

/** Caches keep no response of ours for longer; a larger Age is no age. */
const MAX_AGE_SECONDS = 86_400;

/**
 * The service's time in milliseconds, from the Date header of a response and the seconds that it has spent in caches. Undefined
 * if it is missing or not valid.
 */
export function serviceTimeOf(date: string | undefined, age: string | undefined): number | undefined {
  const time = httpDate(date);
  if (time === undefined || age === undefined) return time;
  const seconds = /^\d+$/.test(age.trim()) ? Number(age) : Number.NaN;
  return seconds <= MAX_AGE_SECONDS ? time + seconds * 1000 : undefined;
}

/** Accepts only HTTP dates, with weekday and time: Date.parse would also accept `-5` or `1.5`. */
export function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
