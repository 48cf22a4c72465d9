// What a value of a record is called on the canvas, such as "battery charge".
import { UNITS } from "../../src/models/measurements";
import { shownText } from "../../src/shown-text";
import { sharedText } from "../shared/editor/texts";

/** Characters of the name of a field that this version does not know. */
const LONGEST = 24;

/** Languages that begin every noun with a capital letter. */
const CAPITAL_NOUNS = ["de"];

/** What the sign of a value means, as in "Battery power, + = discharging". */
const SIGN = /\s*[,，、]\s*[+＋].*$/u;

/** The name of a known measurement, or else the last part of the path. Empty: the whole record. */
export function valueTitle(path: unknown): string {
  if (typeof path !== "string" || path === "") return sharedText("title.latestRecord");
  if (!UNITS.has(path)) return shownText(path.split(".").at(-1) ?? path, LONGEST);
  const name = sharedText(`picker.value.${path}`).replace(SIGN, "");
  const [language = ""] = RED.i18n.lang().split("-");
  return CAPITAL_NOUNS.includes(language) ? name : withSmallLetter(name);
}

/** Not for abbreviations such as RGM. */
function withSmallLetter(name: string): string {
  return /^\p{Lu}\p{Lu}/u.test(name) ? name : name.slice(0, 1).toLowerCase() + name.slice(1);
}
