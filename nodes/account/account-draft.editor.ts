// Reads the account from its open dialog as typed, for requests to a service that is not deployed yet.
import type { AccountDraft } from "../../src/choices/choices";
import { ADD_NEW, fieldOf } from "../shared/editor/dialog/fields";

/** A stored secret stays its placeholder, which the runtime replaces. */
export function accountDraft(node: EditorNode): AccountDraft {
  const draft: AccountDraft = {};
  for (const property of Object.keys(node._def.defaults)) draft[property] = typed(node, property);
  const { origin } = (node["credentials"] ?? {}) as { origin?: string };
  const credentials = { clientId: typed(node, "clientId"), clientSecret: typed(node, "clientSecret") };
  draft.credentials = origin === undefined ? credentials : { ...credentials, origin };
  return draft;
}

function typed(node: EditorNode, property: string): string {
  const value = String(fieldOf(node, property).val() ?? "");
  return value === ADD_NEW ? "" : value;
}
