// Copies what a node reads from a message, so that it is data: nothing in it can change, throw, or act when it is read.
import { types } from "node:util";
import { InputError } from "../errors";
import { MAX_DEPTH, MAX_PAYLOAD_CHARACTERS, MAX_PAYLOAD_VALUES } from "../limits";

/** What the package reads of the messages of a flow. */
interface Readable {
  payload?: unknown;
  energy?: unknown;
}

/** The message with copies of its payload and `msg.energy` as data. Throws like `plainData`. */
export function plainMessage<Message extends Readable>(message: Message): Message {
  const { payload, energy } = message;
  return {
    ...message,
    ...("payload" in message ? { payload: plainData(payload, "payload") } : {}),
    ...("energy" in message ? { energy: plainData(energy, "energy") } : {}),
  };
}

/**
 * A copy without functions, symbols and inherited properties. Bytes and dates are kept. Throws InputError for a value that
 * contains itself, is nested too deep or too large, and for what JSON cannot hold; `name` is the property of the message.
 */
function plainData(value: unknown, name: string): unknown {
  return new Copier(name).copy(value, 0);
}

class Copier {
  readonly #name: string;
  /** What is referred to several times counts, and is copied, as often. */
  #values = 0;
  #characters = 0;

  constructor(name: string) {
    this.#name = name;
  }

  copy(value: unknown, depth: number): unknown {
    const name = this.#name;
    this.#values += 1;
    if (this.#values > MAX_PAYLOAD_VALUES)
      throw new InputError("messageLarge", { name, values: MAX_PAYLOAD_VALUES });
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "bigint") throw new InputError("messageNotData", { name });
    if (typeof value !== "object" || value === null) return isData(value) ? value : undefined;
    if (depth >= MAX_DEPTH) throw new InputError("messageCircular", { name });
    if (ArrayBuffer.isView(value)) return value;
    if (types.isDate(value)) return new Date(Date.prototype.getTime.call(value));
    // Array.from also reads the gaps of a sparse array.
    if (Array.isArray(value)) return Array.from(value, (item) => this.copy(item, depth + 1));
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (key in Object.prototype) continue;
      const own: unknown = (value as Record<string, unknown>)[key];
      if (isData(own)) copy[this.#text(key)] = this.copy(own, depth + 1);
    }
    return copy;
  }

  #text(text: string): string {
    this.#characters += text.length;
    if (this.#characters > MAX_PAYLOAD_CHARACTERS)
      throw new InputError("messageLong", { name: this.#name, characters: MAX_PAYLOAD_CHARACTERS });
    return text;
  }
}

function isData(value: unknown): boolean {
  return typeof value !== "function" && typeof value !== "symbol";
}
