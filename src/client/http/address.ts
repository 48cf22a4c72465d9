// The addresses of the service's endpoints; ids come from people and messages and cannot change the path.
import { InputError } from "../../errors";

/**
 * @param segments parts of the path behind the base URL, each percent-encoded
 * @throws InputError for an id that cannot stand in a path
 */
export function address(
  baseUrl: string,
  segments: string[],
  query: Record<string, string | undefined> = {},
): URL {
  const url = new URL(`${baseUrl}/${segments.map(encoded).join("/")}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

/** The address as it is sent: a space in the query as %20, since `+` is read as a space by forms alone. */
export function addressText(url: URL): string {
  const plain = new URL(url);
  plain.search = url.search.replaceAll("+", "%20");
  return plain.href;
}

function encoded(segment: string): string {
  // `.` and `..` would be resolved as steps in the path; a half surrogate has no encoding.
  if (/^\s*$|^\.\.?$|\p{Surrogate}/u.test(segment)) {
    throw new InputError("siteIdInvalid");
  }
  return encodeURIComponent(segment);
}
