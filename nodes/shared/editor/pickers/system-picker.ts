// Offers the systems of the chosen site, and says when one must be chosen or a revenue-grade meter is missing.
import type { SystemChoice } from "../../../../src/choices/choices";
import { sharedText } from "../texts";
import { isMatch, systemChoice, systemTitle } from "./choice-labels";
import type { ChoiceList } from "./combobox";

export function systemList(
  systems: readonly SystemChoice[],
  typed: string,
  acceptsAll: boolean,
): ChoiceList | undefined {
  if (typed.includes("${")) return undefined;
  const all = { value: "*", text: sharedText("picker.allSystems", { count: systems.length }), now: "*" };
  const hasAll = acceptsAll && systems.length > 1 && (typed === "" || typed === "*");
  const found = systems.map(systemChoice).filter(({ value, text }) => isMatch(typed, [value, text]));
  return { choices: [...(hasAll ? [all] : []), ...found] };
}

export interface SystemField {
  text: string;
  /** Whether the text is an id, empty or `*`, not a property of the message or the like. */
  isText: boolean;
  acceptsAll: boolean;
  needsMeter: boolean;
}

/** The line below the field. */
export function systemLine(systems: readonly SystemChoice[], field: SystemField): string {
  const { text, isText, acceptsAll, needsMeter } = field;
  if (needsMeter && systems.length > 0 && !systems.some(({ hasMeter }) => hasMeter))
    return sharedText("picker.noMeter");
  if (!isText || text === "*" || text.includes("${")) return "";
  const count = systems.length;
  if (text === "" && count < 2) return "";
  if (text === "") return sharedText(acceptsAll ? "picker.chooseOrAll" : "picker.choose", { count });
  const system = systems.find(({ systemId }) => systemId === text);
  if (!system) return sharedText("picker.unknownSystem");
  return needsMeter && !system.hasMeter ? sharedText("picker.systemWithoutMeter") : systemTitle(system);
}
