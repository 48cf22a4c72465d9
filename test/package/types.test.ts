// Tests that the package ships its message types for use in other packages.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { installedPackage, MODULE, newUserDirectory, packedFiles, ROOT } from "../support/package";

const run = promisify(execFile);
const COMPILER = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");

const CONSUMER = `
import {
  createServiceClient,
  type MqttMessage,
  type StatisticsWrittenMessage,
  type TelemetryMessage,
} from "@energy-sites/node-red";

export const make = createServiceClient;

export function newestEnd({ energy }: TelemetryMessage): string | undefined {
  return "records" in energy ? energy.records.at(-1)?.endTime : energy.endTime;
}

export function ageOf({ energy }: MqttMessage): number | undefined {
  return energy.period === undefined && energy.hasRgm === true ? energy.ageSeconds : undefined;
}

export function sourcesIn({ payload }: StatisticsWrittenMessage): number {
  if ("saved" in payload) return Object.keys(payload.validation).length;
  return "sources" in payload ? payload.sources.length : payload.hours;
}
`;

/** Returns the compiler output: the files that it reads, after the errors. */
async function compile(sources: Record<string, string>): Promise<string[]> {
  const folder = await newUserDirectory();
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "node20",
    target: "ES2023",
    lib: ["ES2023"],
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules", "@types")],
  };
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source);
  const files = Object.keys(sources);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const compiling = run(process.execPath, [COMPILER, "-p", folder, "--listFiles"]);
  const { stdout } = await compiling.catch((error: { stdout: string }) => error);
  return stdout.trim().split("\n");
}

/** The top-level declarations of a d.ts file by name, and the source file of each import. */
function declarationsIn(file: string): { texts: Map<string, string>; imports: Map<string, string> } {
  const source = readFileSync(file, "utf8");
  const declaration =
    /^(?:export )?(?:declare )?(?:interface|type|class) (\w+)[^]*?(?=^(?:export|import|interface|type|declare)\b|(?![^]))/gm;
  const texts = new Map([...source.matchAll(declaration)].map(([text, name = ""]) => [name, text]));
  const imports = new Map<string, string>();
  for (const [, names = "", from = ""] of source.matchAll(/^import (?:type )?\{([^}]*)\} from "(.+?)";/gm))
    for (const name of names.match(/\w+/g) ?? []) imports.set(name, join(dirname(file), `${from}.d.ts`));
  return { texts, imports };
}

/** The types of a file and all types they refer to, wherever declared. */
function typesIn(file: string, names?: string[], found = new Set<string>()): Set<string> {
  const { texts, imports } = declarationsIn(file);
  for (const name of names ?? texts.keys()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const mentioned of texts.get(name)?.match(/\b[A-Z]\w+/g) ?? []) {
      const from = imports.get(mentioned) ?? (texts.has(mentioned) ? file : undefined);
      if (from !== undefined) typesIn(from, [mentioned], found);
    }
  }
  return found;
}

describe("the types of the package", () => {
  let read: string[];
  let names: string[];

  before(async () => {
    const messages = join(await installedPackage(), "node_modules", MODULE, "dist", "src", "messages");
    // Including every type that a message refers to.
    names = [
      ...typesIn(join(messages, "messages.d.ts")),
      ...typesIn(join(messages, "points.d.ts"), ["InfluxPoint", "Row", "ChartPoint"]),
    ];
    read = await compile({
      "consumer.ts": `${CONSUMER}export type { ${[...new Set(names)].join(", ")} } from "${MODULE}";`,
      "mistaken.ts": CONSUMER.replace("energy.endTime", "energy.endTimes"),
    });
  });
  const errorsOf = (file: string): string[] =>
    read.filter((line) => line.includes(": error ") && line.includes(file));

  it("compile in strict mode in another package, can all be imported, and are the only ones shipped", async () => {
    for (const name of ["ErrorCode", "RecordPhase", "Basis", "Edge", "ThresholdEnergy", "Site", "System"])
      assert.ok(names.includes(name), name);
    assert.deepEqual(
      read.filter((line) => line.includes(": error ")),
      errorsOf("mistaken.ts"),
    );
    const own = read.flatMap((path) => path.split(`node_modules/${MODULE}/`).slice(1));
    const files = await packedFiles();
    assert.deepEqual(files.filter((path) => path.endsWith(".d.ts")).toSorted(), own.toSorted());
  });

  it("reject a property that no message has", () => {
    const [error = ""] = errorsOf("mistaken.ts");
    assert.match(error, /'endTimes' does not exist/);
  });
});
