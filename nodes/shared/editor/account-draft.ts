// What the editor sends of an account that the runtime does not know, or not as it is now.
import { type AccountDraft, STORED_SECRET } from "../../../src/choices/choices";
import { ADD_NEW, currentValue, isInDialog } from "./dialog/fields";

/** How to reach an account. Without a draft, the runtime knows it. */
export interface AccountSource {
  id: string;
  draft?: AccountDraft;
}

/**
 * The deployed account, or, if it is new or was changed, the one in the editor. Undefined if there is no such account, or none
 * that the runtime can use: one in a subflow exists only in its instances.
 */
export function accountSource(id: string): AccountSource | undefined {
  const account = RED.nodes.node(id);
  if (account?.type !== "energy-account" || isInSubflow(id)) return undefined;
  return account.changed ? { id, draft: accountDraft(account) } : { id };
}

/** Whether an account is part of a subflow, or one of its settings. */
export function isInSubflow(id: string): boolean {
  const { z } = RED.nodes.node(id) ?? {};
  return id.startsWith("${") || Boolean(z && RED.nodes.subflow(z));
}

/** The account as typed in its open dialog, or else as the editor has it. */
export function accountDraft(account: EditorNode): AccountDraft {
  const value = (property: string): unknown => {
    const current = currentValue(account, property);
    return current === ADD_NEW ? "" : current;
  };
  const properties = [...Object.keys(account._def.defaults), "z"].map((property) => [
    property,
    value(property),
  ]);
  const entered = isInDialog(account, "clientId")
    ? { clientId: value("clientId"), clientSecret: value("clientSecret") }
    : stored(account);
  return { ...Object.fromEntries(properties), ...(entered && { credentials: entered }) } as AccountDraft;
}

/** A stored secret stays on the server: a placeholder stands for it, as in the dialog. */
function stored({ credentials }: EditorNode): object | undefined {
  // The editor knows the credentials only after the dialog of the account was opened.
  if (!credentials) return undefined;
  const { clientId, clientSecret, has_clientSecret: hasSecret } = credentials;
  return { clientId, clientSecret: clientSecret ?? (hasSecret ? STORED_SECRET : undefined) };
}
