// Stores for which origin (scheme, host, port) the secret was entered, because the runtime sends it to no other.
import { STORED_SECRET } from "../../src/choices/choices";
import { EMBEDDED_REFERENCE } from "../../src/settings/text";
import { faultText } from "../shared/editor/fault-text";
import { fieldOf, isInDialog } from "../shared/editor/dialog/fields";

/**
 * Call this in oneditsave, before the editor stores the credentials. The time marks each entry of the same secret; without
 * an origin in front of it, because the URL has a ${NAME}, the runtime takes that of its first request.
 */
export function saveOrigin(node: EditorNode): void {
  const secret = enteredSecret(node);
  if (secret === "" || secret === STORED_SECRET) return;
  const origin = originIn(fieldOf(node, "baseUrl").val()) ?? "";
  node["credentials"] = {
    ...credentialsOf(node),
    origin: `${origin} ${new Date().toISOString()}`.trim(),
  };
}

/** Says in the open dialog that the stored secret does not go with this base URL. */
export const sameOrigin: EditorValidator = function (value, _options) {
  if (!isInDialog(this, "baseUrl") || enteredSecret(this) !== STORED_SECRET) return true;
  const [origin, owner] = [originIn(value), originIn(credentialsOf(this)["origin"])];
  const isSame = origin === undefined || owner === undefined || origin === owner;
  return isSame || faultText(["credentialsOrigin", { origin: owner }]);
};

function enteredSecret(node: EditorNode): string {
  return String(fieldOf(node, "clientSecret").val());
}

function credentialsOf(node: EditorNode): Record<string, unknown> {
  const { credentials } = node;
  return typeof credentials === "object" && credentials !== null
    ? (credentials as Record<string, unknown>)
    : {};
}

/** The origin of a URL, which may be followed by a time. Undefined if only the runtime knows it, as with ${NAME}. */
function originIn(text: unknown): string | undefined {
  const [url = ""] = String(text).trim().split(" ");
  const isKnown = URL.canParse(url) && url.search(EMBEDDED_REFERENCE) === -1;
  return isKnown ? new URL(url).origin : undefined;
}
