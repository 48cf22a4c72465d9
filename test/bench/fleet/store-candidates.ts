// The ways of storing 10,000 states that were compared: one file each, one file for all, a log, and SQLite.
import { mkdir, open, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";

export interface Counts {
  bytes: number;
  fsyncs: number;
}

/** Keeps states by name. `save` resolves once the state survives a power failure. */
export interface Candidate {
  load(): Promise<Map<string, unknown>>;
  save(name: string, state: object): Promise<void>;
}

/** How often a log grows to this many times what is alive in it before it is rewritten. */
const LOG_GROWTH = 8;
const PARALLEL_READS = 8;

/** Writes that come while others are written go together into the next write. */
function groupCommit(
  write: (entries: ReadonlyMap<string, object>) => Promise<void>,
): (name: string, state: object) => Promise<void> {
  let next = new Map<string, object>();
  let last = Promise.resolve();
  let following: Promise<void> | undefined;
  return (name, state) => {
    next.set(name, state);
    following ??= last = last.then(() => {
      const entries = next;
      next = new Map();
      following = undefined;
      return write(entries);
    });
    return following;
  };
}

async function replace(path: string, content: string): Promise<void> {
  const file = await open(`${path}.new`, "w", 0o600);
  await file.writeFile(content);
  await file.sync();
  await file.close();
  await rename(`${path}.new`, path);
}

function fileEach(folder: string, counts: Counts): Candidate {
  return {
    async load() {
      const states = new Map<string, unknown>();
      const files = (await readdir(folder)).values();
      const readOn = async (): Promise<void> => {
        for (const file of files)
          states.set(file, JSON.parse(await readFile(join(folder, file), "utf8")) as unknown);
      };
      await Promise.all(Array.from({ length: PARALLEL_READS }, readOn));
      return states;
    },
    async save(name, state) {
      const text = `${JSON.stringify({ version: 1, name, state })}\n`;
      counts.bytes += text.length;
      counts.fsyncs += 1;
      await replace(join(folder, name), text);
    },
  };
}

function wholeFile(folder: string, counts: Counts): Candidate {
  const path = join(folder, "states.json");
  const states = new Map<string, object>();
  const save = groupCommit(async (entries) => {
    for (const [name, state] of entries) states.set(name, state);
    const text = JSON.stringify([...states]);
    counts.bytes += text.length;
    counts.fsyncs += 1;
    await replace(path, text);
  });
  return {
    load: async () => new Map(JSON.parse(await readFile(path, "utf8")) as [string, unknown][]),
    save,
  };
}

function log(folder: string, counts: Counts): Candidate {
  const path = join(folder, "states.jsonl");
  const lines = new Map<string, string>();
  let size = 0;
  let alive = 0;
  const save = groupCommit(async (entries) => {
    let text = "";
    for (const [name, state] of entries) {
      const line = `${JSON.stringify([name, state])}\n`;
      alive += line.length - (lines.get(name)?.length ?? 0);
      lines.set(name, line);
      text += line;
    }
    counts.fsyncs += 1;
    if (size + text.length > LOG_GROWTH * alive) {
      const whole = [...lines.values()].join("");
      size = whole.length;
      counts.bytes += size;
      await replace(path, whole);
      return;
    }
    counts.bytes += text.length;
    size += text.length;
    const file = await open(path, "a", 0o600);
    await file.appendFile(text);
    await file.datasync();
    await file.close();
  });
  return {
    async load() {
      const text = await readFile(path, "utf8");
      return new Map(text.split("\n", -1).flatMap((line) => (line === "" ? [] : [entryOf(line)])));
    },
    save,
  };
}

function entryOf(line: string): [string, unknown] {
  return JSON.parse(line) as [string, unknown];
}

/** The part of `node:sqlite` that is used; Node.js 20 does not have it. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: string[]): void; all(): { name: string; state: string }[] };
}

function sqlite(folder: string, counts: Counts): Candidate {
  const { DatabaseSync } = require("node:sqlite") as { DatabaseSync: new (path: string) => Database };
  const database = new DatabaseSync(join(folder, "states.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  database.exec("CREATE TABLE IF NOT EXISTS states (name TEXT PRIMARY KEY, state TEXT) WITHOUT ROWID");
  const insert = database.prepare("INSERT OR REPLACE INTO states VALUES (?, ?)");
  const all = database.prepare("SELECT name, state FROM states");
  const save = groupCommit(async (entries) => {
    // Let others join: everything below is synchronous.
    await new Promise((resolve) => setImmediate(resolve));
    counts.fsyncs += 1;
    database.exec("BEGIN");
    for (const [name, state] of entries) insert.run(name, JSON.stringify(state));
    database.exec("COMMIT");
  });
  return {
    load: async () => new Map(all.all().map(({ name, state }) => [name, JSON.parse(state) as unknown])),
    save,
  };
}

/** How many states are stored. */
export const STATES = 10_000;

export const CANDIDATES = {
  "a file a state": fileEach,
  "one file, written whole": wholeFile,
  "a log with compaction": log,
  "node:sqlite (WAL)": sqlite,
} satisfies Record<string, (folder: string, counts: Counts) => Candidate>;

export type CandidateName = keyof typeof CANDIDATES;

export async function openCandidate(
  name: CandidateName,
  folder: string,
): Promise<{ candidate: Candidate; counts: Counts }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const counts = { bytes: 0, fsyncs: 0 };
  return { candidate: CANDIDATES[name](folder, counts), counts };
}
