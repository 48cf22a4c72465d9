// The lines of a log: a header that says whose states follow, then a line for each change of a state.
import { isServiceObject } from "../../../../src/models/service-object";

const VERSION = 2;

/** A state in a log, as JSON. */
export interface LoggedState {
  /** What a person can tell the state by. Written when the state first appears, and whenever the log is rewritten. */
  readonly key: string;
  readonly state: string;
}

/** `state` is absent if it was removed, `key` if an earlier line has it. */
export interface LogLine {
  readonly id: string;
  readonly key?: string;
  readonly state?: string;
}

export function headerLine(owner: object): string {
  return `${JSON.stringify({ version: VERSION, ...owner })}\n`;
}

/** `["id",{key},{state}]`, `["id",{state}]`, or `["id"]` for a state that was removed. */
export function logLine({ id, key, state }: LogLine): string {
  const parts = [JSON.stringify(id), key, state].filter((part) => part !== undefined);
  return `[${parts.join(",")}]\n`;
}

/** Undefined if the line is damaged; `"header"` for a header. */
export function readLine(line: string): LogLine | "header" | undefined {
  const parts = parsed(line);
  if (!Array.isArray(parts))
    return isServiceObject(parts) && parts["version"] === VERSION ? "header" : undefined;
  const [id, ...rest] = parts as unknown[];
  if (typeof id !== "string" || rest.length > 2) return undefined;
  const [state, key] = rest.toReversed().map((part) => JSON.stringify(part));
  return { id, ...(key !== undefined && { key }), ...(state !== undefined && { state }) };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
