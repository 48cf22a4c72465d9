// Authors of other packages get the types of the messages with the package.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { installedPackage, MODULE, packedPackage, ROOT } from "../support/package";

const run = promisify(execFile);
const COMPILER = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");

const CONSUMER = `
import { createServiceClient, type TelemetryMessage } from "@energy-sites/node-red";

export const make = createServiceClient;

export function newestEnd({ energy }: TelemetryMessage): string | undefined {
  return "records" in energy ? energy.records.at(-1)?.endTime : energy.endTime;
}
`;

/** What the compiler prints: errors, or with `--listFilesOnly` the files that it reads. */
async function compile(source: string, ...options: string[]): Promise<string> {
  const folder = await installedPackage();
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "node20",
    target: "ES2023",
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules", "@types")],
  };
  writeFileSync(join(folder, "consumer.ts"), source);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
  const compiling = run(process.execPath, [COMPILER, "-p", folder, ...options]);
  return compiling.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

describe("the types of the package", () => {
  it("compile under strict rules where another package imports them", async () => {
    assert.equal(await compile(CONSUMER), "");
  });

  it("refuse a property that no message has", async () => {
    assert.match(
      await compile(CONSUMER.replace("energy.endTime", "energy.endTimes")),
      /'endTimes' does not exist/,
    );
  });

  it("are all that is shipped of types", async () => {
    const { files } = await packedPackage();
    const read = (await compile(CONSUMER, "--listFilesOnly")).split("\n");
    const own = read.flatMap((path) => path.split(`node_modules/${MODULE}/`).slice(1));
    assert.deepEqual(files.filter((path) => path.endsWith(".d.ts")).toSorted(), own.toSorted());
  });
});
