// Ends the child processes of the benchmark when it exits, even after a failure.
const ends: (() => void)[] = [];

process.once("exit", () => ends.forEach((end) => end()));

export function atExit(end: () => void): void {
  ends.push(end);
}
