// Runs scripts of package.json, two at a time, and prints what each of them says when it has ended: `side-by-side.mjs SCRIPT ...`.
// To be started by npm, which lets all of them find the tools in node_modules: npm itself starts as slowly as some of them.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));

// The compiler and the linter are written in Go: they take a third less time if they seldom collect garbage.
const env = { GOGC: "800", ...process.env };

async function passes(name) {
  const child = spawn(scripts[name], { env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  process.stdout.write(`> ${name}\n${output}${errors}`);
  return code === 0;
}

const waiting = process.argv.slice(2).values();

async function runWaiting() {
  for (const name of waiting) if (!(await passes(name))) process.exitCode = 1;
}

await Promise.all([runWaiting(), runWaiting()]);
