// Measures how long code takes in CPU time, which other processes of a busy machine do not lengthen.

/** Milliseconds of work that does not wait. */
export function cpuTime(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
