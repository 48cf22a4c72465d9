// Keeps many states in one file: each change appends a line, and now and then the file is rewritten without old lines.
import { cachedPromise } from "../../../../src/single-flight";
import { systemClock } from "../../../../src/clock";
import { sleep } from "../../../../src/abort";
import { inTurns } from "../base/in-turns";
import { append, keepAside, readIfExists, removeLeftovers, replaceFile, sizeOf } from "./log-file";
import { headerLine, type LoggedState, type LogLine, logLine, readLine } from "./log-lines";

/** The file is rewritten when it is this many times as large as what is alive in it. */
const GROWTH = 4;
/** Smaller files are not rewritten. */
const MIN_REWRITE = 16 * 1024;
/** How long a state that need not be written now waits for others, in milliseconds. */
const GATHERING = 100;
/** So many states wait no longer. */
const ENOUGH = 256;
const NEWLINE = 0x0a;

export interface StateLogOptions {
  path: string;
  /** Whose states these are. */
  owner: object;
  /** Tells of lines that could not be read, and where they are kept. */
  onDamaged: (aside: string) => void;
}

/** Lines to write together, the newest of each state. */
type Batch = Map<string, LoggedState | undefined>;

export class StateLog {
  readonly #options: StateLogOptions;
  readonly #states = new Map<string, LoggedState>();
  /** Reads the file once. */
  readonly #load = cachedPromise(() => this.#read());
  /** Of the file, as far as this object has read and written it. */
  #size = 0;
  /** What a file without old lines would have, about. */
  #alive = 0;
  #mustRewrite = false;
  #next: Batch = new Map();
  /** The batch under way. */
  #writing: Batch = new Map();
  /** The write of the next batch, while it waits for the one before. */
  #following: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  /** Aborts when the next batch need not wait any longer. */
  #hurry = new AbortController();

  constructor(options: StateLogOptions) {
    this.#options = options;
  }

  /**
   * The stored state, or undefined; once it is written, if it is about to be. Throws StoreError if the file cannot be read; the
   * next call tries again.
   */
  async get(id: string): Promise<unknown> {
    await this.#load();
    await this.#written((batch) => batch.has(id));
    const logged = this.#states.get(id);
    return logged && (JSON.parse(logged.state) as unknown);
  }

  /** All states, and the ids of those that `read` cannot read. Throws StoreError as `get` does. */
  async all<State>(
    read: (stored: unknown) => State | undefined,
  ): Promise<{ states: State[]; unreadable: string[] }> {
    await this.#load();
    await this.#written((batch) => batch.size > 0);
    const states: State[] = [];
    const unreadable: string[] = [];
    await inTurns([...this.#states], ([id, logged]) => {
      const state = read(JSON.parse(logged.state));
      if (state === undefined) unreadable.push(id);
      else states.push(state);
    });
    return { states, unreadable };
  }

  /**
   * Resolves once the state survives a crash. States that are saved while others are written go together. Throws StoreError.
   * @param isGathered whether the state waits a moment for others, until `hurry` is called
   */
  save(id: string, key: object, state: unknown, isGathered = false): Promise<void> {
    return this.#write(id, { key: JSON.stringify(key), state: JSON.stringify(state) }, isGathered);
  }

  /** Writes now what waits for more. */
  hurry(): void {
    this.#hurry.abort();
  }

  /** Resolves if there is none, too. Throws StoreError. */
  remove(id: string): Promise<void> {
    return this.#write(id, undefined);
  }

  /** Keeps a state that its owner cannot read for inspection, and forgets it. Throws StoreError. */
  async setAside(id: string): Promise<void> {
    const logged = this.#states.get(id);
    if (!logged) return;
    await this.#keepAside([logLine({ id, ...logged })]);
    await this.#write(id, undefined);
  }

  /** A node that starts anew must not read what the one before it is about to replace. Never rejects. */
  async #written(isMeant: (batch: Batch) => boolean): Promise<void> {
    if (isMeant(this.#next)) this.hurry();
    else if (!isMeant(this.#writing)) return;
    await this.#last.catch(() => undefined);
  }

  #write(id: string, logged: LoggedState | undefined, isGathered = false): Promise<void> {
    this.#next.set(id, logged);
    this.#following ??= this.#last = this.#writeAfter(this.#last);
    if (!isGathered || this.#next.size >= ENOUGH) this.hurry();
    return this.#following;
  }

  async #writeAfter(last: Promise<void>): Promise<void> {
    const hurry = (this.#hurry = new AbortController());
    await Promise.allSettled([last, sleep(GATHERING, hurry.signal)]);
    const batch = (this.#writing = this.#next);
    this.#next = new Map();
    this.#following = undefined;
    await this.#writeBatch(batch).finally(() => (this.#writing = new Map()));
  }

  async #writeBatch(batch: Batch): Promise<void> {
    await this.#load();
    const lines = this.#linesOf(batch);
    if (lines.length === 0) return;
    const isTooLarge = this.#size + lines.length > Math.max(MIN_REWRITE, GROWTH * this.#alive);
    if (this.#mustRewrite || isTooLarge || !(await this.#append(lines))) return this.#rewrite(batch);
    this.#size += lines.length;
    this.#apply(batch);
  }

  /** Resolves to false if the file must be rewritten instead. */
  async #append(lines: Buffer): Promise<boolean> {
    try {
      return await append(this.#options.path, lines);
    } catch (error) {
      // Part of a line at the end would spoil the next one.
      const size = await sizeOf(this.#options.path).catch(() => undefined);
      this.#mustRewrite = size !== this.#size;
      throw error;
    }
  }

  #linesOf(batch: Batch): Buffer {
    let lines = "";
    for (const [id, logged] of batch) {
      const isKnown = this.#states.has(id);
      if (logged) lines += logLine({ id, state: logged.state, ...(!isKnown && { key: logged.key }) });
      else if (isKnown) lines += logLine({ id });
    }
    return Buffer.from(lines);
  }

  #apply(batch: Batch): void {
    for (const [id, logged] of batch) this.#set(id, logged);
  }

  #set(id: string, logged: LoggedState | undefined): void {
    const before = this.#states.get(id);
    this.#alive += lengthOf(logged) - lengthOf(before);
    if (logged) this.#states.set(id, logged);
    else this.#states.delete(id);
  }

  /** Replaces the file by one without old lines. */
  async #rewrite(batch: Batch = new Map()): Promise<void> {
    const { path, owner } = this.#options;
    // A second Node-RED may have written into the file: its lines are kept.
    if ((await sizeOf(path)) !== this.#size) await this.#read();
    this.#apply(batch);
    // Until this succeeds, the file lacks what `#states` has.
    this.#mustRewrite = true;
    const lines = [...this.#states].map(([id, logged]) => logLine({ id, ...logged }));
    const content = Buffer.from(headerLine(owner) + lines.join(""));
    await replaceFile(path, content);
    this.#size = this.#alive = content.length;
    this.#mustRewrite = false;
  }

  /** Lines count in their order, on top of what is known. */
  async #read(): Promise<void> {
    const content = await readIfExists(this.#options.path);
    this.#mustRewrite = content === undefined;
    this.#size = content?.length ?? 0;
    if (content === undefined) return;
    await removeLeftovers(this.#options.path);
    const damaged: string[] = [];
    const lines = linesIn(content);
    // Decoded one by one, so that no state keeps the whole file in memory.
    await inTurns(lines, ({ start, end }) => {
      const line = content.toString("utf8", start, end);
      const read = readLine(line);
      if (read === undefined) damaged.push(`${line}\n`);
      else if (read !== "header") this.#set(read.id, this.#logged(read));
    });
    const rest = content.toString("utf8", (lines.at(-1)?.end ?? -1) + 1);
    const last = readLine(rest);
    // A person who edits the file may leave out the last line end.
    if (last !== undefined && last !== "header") this.#set(last.id, this.#logged(last));
    // A write that was interrupted leaves part of a line at the end, but a file always begins with whole ones.
    else if (lines.length === 0 && rest !== "") damaged.push(`${rest}\n`);
    if (lines.length === 0 || rest !== "") this.#mustRewrite = true;
    if (damaged.length === 0) return;
    await this.#keepAside(damaged);
    await this.#rewrite();
  }

  #logged({ id, key = this.#states.get(id)?.key ?? "{}", state }: LogLine): LoggedState | undefined {
    return state === undefined ? undefined : { key, state };
  }

  async #keepAside(lines: readonly string[]): Promise<void> {
    const aside = `${this.#options.path}.damaged-${systemClock.now()}`;
    await keepAside(aside, lines.join(""));
    this.#options.onDamaged(aside);
  }
}

function lengthOf(logged: LoggedState | undefined): number {
  return logged ? logged.key.length + logged.state.length + 20 : 0;
}

/** Without their line ends. What follows the last line end is no line. */
function linesIn(content: Buffer): { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = [];
  let start = 0;
  for (let end = content.indexOf(NEWLINE); end !== -1; end = content.indexOf(NEWLINE, start)) {
    lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}
