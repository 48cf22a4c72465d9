// Texts that several nodes share: they stand in the catalogue of the account.

/** `key` such as `label.repeat`; marks such as __min__ take the values. */
export function sharedText(key: string, values?: Record<string, string | number>): string {
  return RED._(`@energy-sites/node-red/account:${key}`, values);
}
