// Keeps many states in one file: each change appends a line, and the file is rewritten without old lines when it has grown.
import { parsedJson } from "../../../../src/canonical-json";
import { cachedPromise } from "../../../../src/single-flight";
import { systemClock } from "../../../../src/clock";
import { isServiceObject } from "../../../../src/models/service-object";
import { inTurns } from "../../../../src/loop-turns";
import type { StateForm, StateGroup, StateStore } from "../../../../src/stored-state";
import { append, copyAside, readIfExists, replaceFile, sizeOf } from "./log-file";
import { type Entry, entryOf, WriteQueue } from "./write-queue";

const VERSION = 1;
/** The file is rewritten when it is this many times as large as without old lines. */
const GROWTH = 8;
/** Smaller files are not rewritten. */
const MIN_REWRITE = 16 * 1024;

export interface StateLogOptions {
  path: string;
  owner: object;
  /** Reports that a part could not be read, and where the file is kept as it was. */
  onDamaged: (aside: string) => void;
}

export class StateLog {
  readonly #options: StateLogOptions;
  readonly #queue = new WriteQueue((batch) => this.#writeBatch(batch));
  readonly #states = new Map<string, string>();
  /** Reads the file once. */
  readonly #load = cachedPromise(() => this.#read());
  /** Of the file, as far as this object has read and written it. */
  #size = 0;
  /** Of the file without old lines, about. */
  #compactSize = 0;
  #mustRewrite = false;
  /** Whether the file has a part that cannot be read: it is copied before it is replaced. */
  #isDamaged = false;
  /** States as JSON that have not been written yet, or could not be: the next write does. Undefined for one that is removed. */
  readonly #unwritten = new Map<string, string | undefined>();
  /** Keeps the file as it is, before what cannot be read is left out. What is found later is in the first copy, too. */
  readonly #keepCopy = cachedPromise(async () => {
    const { path, onDamaged } = this.#options;
    const aside = `${path}.damaged-${systemClock.now()}`;
    await copyAside(path, aside);
    onDamaged(aside);
  });

  constructor(options: StateLogOptions) {
    this.#options = options;
  }

  /** All states, which have one form. Loading fails if the file cannot be read; the next call tries again. */
  group<State>(form: StateForm<State>): StateGroup<State> {
    return {
      load: () => this.#readable(form),
      save: (id, state, within = 0) => this.#queue.add(id, entryOf(form, state), within),
      flush: () => this.#queue.settled(),
    };
  }

  /** One state, by an id that people can read. */
  state<State>(id: string, form: StateForm<State>): StateStore<State> {
    const group = this.group(form);
    return {
      load: async () => (await this.#readable(form, id)).get(id),
      save: (state, within) => group.save(id, state, within),
    };
  }

  /** Whether nothing is to be written. */
  get isIdle(): boolean {
    return this.#queue.isIdle && this.#unwritten.size === 0;
  }

  /**
   * All states or, with an id, that one, once what is about to be written is: a node that restarts must not read what the one
   * before it is about to replace. Removes those that their owner cannot read. Throws StoreError.
   */
  async #readable<State>({ read }: StateForm<State>, only?: string): Promise<Map<string, State>> {
    await this.#load();
    await this.#queue.settled(only);
    const states = new Map<string, State>();
    const unreadable: string[] = [];
    await inTurns(only === undefined ? [...this.#states.keys()] : [only], (id) => {
      const stored = this.#states.get(id);
      if (stored === undefined) return;
      const state = read(JSON.parse(stored));
      if (state === undefined) unreadable.push(id);
      else states.set(id, state);
    });
    if (unreadable.length > 0) this.#isDamaged = this.#mustRewrite = true;
    const removed = unreadable.map((id) => this.#queue.add(id, entryOf({ read }, undefined), 0));
    // What can be read goes on while the disk takes no copy: it takes no other write, either, and that is reported.
    await Promise.allSettled(removed);
    return states;
  }

  async #writeBatch(entries: ReadonlyMap<string, Entry>): Promise<void> {
    await this.#load();
    for (const [id, { stored }] of entries) {
      const state = JSON.stringify(stored());
      if (state === undefined && !this.#states.has(id)) continue;
      this.#unwritten.set(id, state);
      this.#set(id, state);
    }
    if (this.#unwritten.size === 0) return;
    const added = Buffer.from([...this.#unwritten].map(lineOf).join(""));
    const isTooLarge = this.#size + added.length > Math.max(MIN_REWRITE, GROWTH * this.#compactSize);
    // What a write that fails leaves at the end would spoil the next line.
    const mustRewrite = this.#mustRewrite || isTooLarge;
    this.#mustRewrite = true;
    if (mustRewrite || !(await append(this.#options.path, added))) return this.#rewrite();
    this.#mustRewrite = false;
    this.#size += added.length;
    this.#unwritten.clear();
  }

  #set(id: string, stored: string | undefined): void {
    const known = this.#states.get(id);
    if (known !== undefined) this.#compactSize -= id.length + known.length;
    if (stored !== undefined) this.#compactSize += id.length + stored.length;
    if (stored === undefined) this.#states.delete(id);
    else this.#states.set(id, stored);
  }

  /** Replaces the file by one without old lines. */
  async #rewrite(): Promise<void> {
    const { path, owner } = this.#options;
    // A second Node-RED may have written into the file: its lines are kept.
    if ((await sizeOf(path)) !== this.#size) await this.#read();
    for (const [id, stored] of this.#unwritten) this.#set(id, stored);
    // Until this succeeds, the file lacks what `#states` has.
    this.#mustRewrite = true;
    if (this.#isDamaged) await this.#keepCopy();
    const header = `${JSON.stringify({ version: VERSION, ...owner })}\n`;
    const content = Buffer.from(header + [...this.#states].map(lineOf).join(""));
    await replaceFile(path, content);
    this.#size = this.#compactSize = content.length;
    this.#mustRewrite = false;
    this.#unwritten.clear();
  }

  /** Lines count in their order, on top of what is known. */
  async #read(): Promise<void> {
    const content = await readIfExists(this.#options.path);
    this.#mustRewrite = content === undefined;
    this.#size = content?.length ?? 0;
    this.#isDamaged = false;
    if (content === undefined) return;
    const lines = content.toString("utf8").split("\n");
    // A person who edits the file may leave out the last line end.
    const rest = lines.pop() ?? "";
    await inTurns(lines, (line) => {
      if (!this.#take(line)) this.#isDamaged = true;
    });
    // A write that was interrupted leaves part of a line at the end, but a file always begins with whole ones.
    if (!this.#take(rest) && lines.length === 0) this.#isDamaged = true;
    if (lines.length === 0 || rest !== "") this.#mustRewrite = true;
    if (this.#isDamaged) await this.#rewrite().catch(() => undefined);
  }

  /** False if the line is damaged. */
  #take(line: string): boolean {
    const parts = parsedJson(line);
    if (!Array.isArray(parts)) return isServiceObject(parts) && parts["version"] === VERSION;
    const [id, ...states] = parts as unknown[];
    if (typeof id !== "string" || states.length > 1) return false;
    this.#set(id, states.length === 0 ? undefined : JSON.stringify(states[0]));
    return true;
  }
}

/** `["id",{state}]`; a line `["id"]` removes the state. */
function lineOf([id, stored]: [id: string, stored: string | undefined]): string {
  return `[${JSON.stringify(id)}${stored === undefined ? "" : `,${stored}`}]\n`;
}
