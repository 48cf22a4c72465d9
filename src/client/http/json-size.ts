// Measures JSON before it is parsed, because parsing cannot be interrupted.
import { MAX_DEPTH, MAX_JSON_VALUES } from "../../limits";

/** How much is in a JSON text. */
export interface JsonSize {
  /** Values, nested ones included. */
  values: number;
  /** How deep objects and arrays are nested: 0 for a number, 1 for an empty array. */
  depth: number;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/** The size of a JSON text; where it exceeds a limit, counting stops just beyond it. Meaningless for other texts. */
export function jsonSizeOf(text: string): JsonSize {
  let [values, depth, deepest] = [1, 0, 0];
  let isJustOpened = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character <= SPACE) continue;
    const isClosing = character === CLOSE_ARRAY || character === CLOSE_OBJECT;
    // The first value of an array or object; a comma stands for each of the others.
    if (character === COMMA || (isJustOpened && !isClosing)) values += 1;
    isJustOpened = character === OPEN_ARRAY || character === OPEN_OBJECT;
    if (isJustOpened) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    }
    if (isClosing) depth -= 1;
    if (character === QUOTE) index = endOfString(text, index);
    if (values > MAX_JSON_VALUES || deepest > MAX_DEPTH) break;
  }
  return { values, depth: deepest };
}

/**
 * The same for a value that was parsed, in a tenth of the time. It stops beyond the depth limit, and counts fields of the same
 * name in one object once.
 */
export function sizeOfValue(value: unknown): JsonSize {
  const size = { values: 1, depth: 0 };
  if (isContainer(value)) measure(value, 1, size);
  return size;
}

function measure(container: Readonly<Record<string, unknown>>, depth: number, size: JsonSize): void {
  if (depth > size.depth) size.depth = depth;
  if (depth > MAX_DEPTH) return;
  // for…in would make a text of each index.
  if (Array.isArray(container)) {
    for (const value of container) measureItem(value, depth, size);
    return;
  }
  for (const key in container) measureItem(container[key], depth, size);
}

function measureItem(value: unknown, depth: number, size: JsonSize): void {
  size.values += 1;
  if (isContainer(value)) measure(value, depth + 1, size);
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The index of the closing quote, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) return index;
    if (character === BACKSLASH) index += 1;
  }
  return text.length;
}
