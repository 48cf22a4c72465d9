// Texts that several nodes share, from the catalogue of the account.
import { catalogueValues } from "../../../src/shown-text";

/** `key` is, for example, `label.repeat`; the values replace placeholders such as __min__. */
export function sharedText(key: string, values?: Record<string, string | number>): string {
  return RED._(`@energy-sites/node-red/account:${key}`, values && catalogueValues(values));
}
