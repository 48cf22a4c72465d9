// Prints whether a goal is reached; a missed one fails the benchmark.

export function goal(text: string, isReached: boolean): void {
  console.log(`${isReached ? "reached" : "MISSED "}  ${text}`);
  if (!isReached) process.exitCode = 1;
}
