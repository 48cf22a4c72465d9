// Rules for plain text, and references to environment variables in it.
import type { TextValue } from "../errors";
import type { Fault } from "./setting";

/** A whole value of `${NAME}` or `$(NAME)`, which Node-RED itself replaces. */
const WHOLE_REFERENCE = /^\$[{(]([^})]+)[})]$/;

/** `${NAME}` within a text. Only valid variable names match, because a secret may contain other text in braces. */
export const EMBEDDED_REFERENCE = /\$\{([A-Za-z_][\w.-]*)\}/g;

/** The variable name, if the whole value is a reference. */
export function referenceName(stored: unknown): string | undefined {
  return typeof stored === "string" ? WHOLE_REFERENCE.exec(stored)?.[1] : undefined;
}

export function emptyFault(text: string, label: TextValue): Fault | undefined {
  return text === "" ? ["settingEmpty", { label }] : undefined;
}
