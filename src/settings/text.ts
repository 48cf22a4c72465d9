// Rules for plain text, and the references to environment variables in it.
import type { TextValue } from "../errors";
import type { Fault } from "./setting";

/** A text that is nothing but `${NAME}` or `$(NAME)`: Node-RED itself replaces it. */
const WHOLE_REFERENCE = /^\$[{(]([^})]+)[})]$/;

/** `${NAME}` within a text. Only what may name a variable counts, because a secret may hold any other text. */
export const EMBEDDED_REFERENCE = /\$\{([A-Za-z_][\w.-]*)\}/g;

/** The variable that a value refers to, if it is nothing but a reference. */
export function referenceName(stored: unknown): string | undefined {
  return typeof stored === "string" ? WHOLE_REFERENCE.exec(stored)?.[1] : undefined;
}

export function emptyFault(text: string, label: TextValue): Fault | undefined {
  return text === "" ? ["settingEmpty", { label }] : undefined;
}
