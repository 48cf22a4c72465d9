// From the text of a successful answer to its JSON.
import { type ErrorText, errorText, ResponseError } from "../../errors";
import type { HttpAnswer } from "./exchange";

/**
 * @param what names the answer in errors, e.g. `site list`
 * @throws ResponseError saying what came instead of JSON; it repeats nothing of the text
 */
export function jsonOf(answer: HttpAnswer, what: ErrorText): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    throw new ResponseError(textOf(what, answer.text.trim(), answer.contentType), {
      statusCode: answer.status,
    });
  }
}

function textOf(what: ErrorText, text: string, contentType: string): ErrorText {
  if (text === "") return errorText("answerEmpty", { what });
  if (text.startsWith("<") || contentType.includes("html")) return errorText("answerHtml", { what });
  if (!/^[[{]/.test(text)) return errorText("answerText", { what });
  const characters = text.length;
  return errorText(/[\]}]$/.test(text) ? "answerInvalid" : "answerCut", { what, characters });
}
