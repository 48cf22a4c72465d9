// Runs the checks that run no tests, all at the same time, and prints what each of them says.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

const CHECKS = ["types", "lint", "format:check", "unused", "shape"];

async function passes(check) {
  const child = spawn(`npm run --silent ${check}`, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  process.stdout.write(`> ${check}\n${output}${errors}`);
  return code === 0;
}

const results = await Promise.all(CHECKS.map(passes));
process.exitCode = results.every(Boolean) ? 0 : 1;
