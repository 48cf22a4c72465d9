// Stores for which origin (scheme, host, port) the secret was entered, because the runtime sends it to no other.
import { STORED_SECRET } from "../../src/choices/choices";
import { EMBEDDED_REFERENCE } from "../../src/settings/rules";
import { fieldOf, isInDialog } from "../shared/editor/dialog/fields";
import { faultText } from "../shared/editor/texts";

/** Call this in oneditsave, before the editor stores the credentials. Of a URL with a ${NAME}, the runtime knows the origin. */
export function saveOrigin(node: EditorNode): void {
  const secret = enteredSecret(node);
  if (secret === "" || secret === STORED_SECRET) return;
  const baseUrl = String(fieldOf(node, "baseUrl").val()).trim();
  node.credentials = { ...node.credentials, origin: originIn(baseUrl) ?? baseUrl };
}

/** Says in the open dialog that the stored secret does not go with this base URL. */
export const sameOrigin: EditorValidator = function (value, _options) {
  if (!isInDialog(this, "baseUrl") || enteredSecret(this) !== STORED_SECRET) return true;
  const [origin, owner] = [originIn(value), originIn(this.credentials?.["origin"])];
  const isSame = origin === undefined || owner === undefined || origin === owner;
  return isSame || faultText("credentialsOrigin", { origin: owner });
};

function enteredSecret(node: EditorNode): string {
  return String(fieldOf(node, "clientSecret").val());
}

/** Undefined if only the runtime knows it, as with ${NAME}. */
function originIn(text: unknown): string | undefined {
  const url = String(text).trim();
  const isKnown = URL.canParse(url) && url.search(EMBEDDED_REFERENCE) === -1;
  return isKnown ? new URL(url).origin : undefined;
}
