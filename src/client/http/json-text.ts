// From the text of a successful answer to its JSON.
import { ResponseError } from "../../errors";
import type { HttpAnswer } from "./exchange";

/**
 * @param what names the answer in errors, e.g. `site list`
 * @throws ResponseError saying what came instead of JSON; it repeats nothing of the text
 */
export function jsonOf(answer: HttpAnswer, what: string): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    throw new ResponseError(`${what}: ${kindOf(answer.text.trim(), answer.contentType)}`, {
      statusCode: answer.status,
    });
  }
}

function kindOf(text: string, contentType: string): string {
  if (text === "") return "an empty answer instead of JSON: check the base URL";
  if (text.startsWith("<") || contentType.includes("html"))
    return "an HTML page instead of JSON: check the base URL";
  if (!/^[[{]/.test(text)) return "plain text instead of JSON: check the base URL";
  if (/[\]}]$/.test(text)) return `JSON with a mistake in it (${text.length} characters)`;
  return `JSON that breaks off after ${text.length} characters`;
}
