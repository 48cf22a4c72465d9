// Ends the processes of the benchmark with it, also when it fails half way.
const ends: (() => void)[] = [];

process.once("exit", () => ends.forEach((end) => end()));

export function atExit(end: () => void): void {
  ends.push(end);
}
