// Texts from the service in the form that Home Assistant accepts.

/** Home Assistant allows no longer states; attributes are cut to the same length. */
const MAX_TEXT = 255;

/** At most 255 characters. Half a surrogate pair is replaced, because Home Assistant cannot parse JSON that contains one. */
export function cut(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/\p{Surrogate}/gu, "\ufffd");
}
