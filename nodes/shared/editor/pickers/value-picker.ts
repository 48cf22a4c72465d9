// What a picker for the values of a record must offer. Only the node that has one bundles it.
import type { ValueNow } from "../../../../src/choices/choices";
import type { TextType } from "../dialog/dialog";
import type { Choice } from "./choice-labels";

export interface ValuePicker {
  type: TextType;
  /** @param values those of the newest record; none if there is no record */
  choices(typed: string, values: readonly ValueNow[]): Choice[];
  /** The line below the field. `values` resolves to undefined if the system is not known. */
  line(path: string, values: () => Promise<readonly ValueNow[] | undefined>): Promise<string>;
}
