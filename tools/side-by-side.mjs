// Runs npm scripts at the same time, and prints what each of them says when it has ended: `side-by-side.mjs SCRIPT ...`.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

async function passes(script) {
  const child = spawn(`npm run --silent ${script}`, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  process.stdout.write(`> ${script}\n${output}${errors}`);
  return code === 0;
}

const results = await Promise.all(process.argv.slice(2).map(passes));
process.exitCode = results.every(Boolean) ? 0 : 1;
