// The rule for site and system ids.
import { MAX_ID_LENGTH } from "../limits";

/** Whether a value is a valid site or system id: 1 to 255 characters, none of them a control character or half a surrogate pair. */
export function isId(value: unknown): value is string {
  return (
    typeof value === "string" && value.length <= MAX_ID_LENGTH && /^[^\p{Cc}\p{Surrogate}]+$/u.test(value)
  );
}
