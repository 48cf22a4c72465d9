// Decides which account answers: the deployed one, or, if it is new or was changed, the one in the editor.
import { type AccountDraft, STORED_SECRET } from "../../../../src/choices/choices";

/** How to reach an account. Without a draft, the runtime knows it. */
export interface AccountSource {
  id: string;
  draft?: AccountDraft;
}

/** Undefined if there is no such account, or none that the runtime can use: one in a subflow exists only in its instances. */
export function accountSource(id: unknown): AccountSource | undefined {
  const account = typeof id === "string" ? RED.nodes.node(id) : null;
  if (account?.type !== "energy-account" || isInSubflow(account.id)) return undefined;
  return account.changed ? { id: account.id, draft: draftOf(account) } : { id: account.id };
}

/** Whether an account is part of a subflow, or one of its settings. */
export function isInSubflow(id: string): boolean {
  const { z } = RED.nodes.node(id) ?? {};
  return id.startsWith("${") || Boolean(z && RED.nodes.subflow(z));
}

/** A stored secret stays on the server: a placeholder stands for it, as in the dialog of the account. */
function draftOf({ _def, credentials, ...account }: EditorConfigNode): AccountDraft {
  const keys = [...Object.keys(_def.defaults), "z"];
  const properties = Object.fromEntries(keys.map((key) => [key, account[key]]));
  // The editor knows the credentials only after the dialog of the account was opened.
  if (!credentials) return properties;
  const { clientId, clientSecret, has_clientSecret: hasSecret, origin } = credentials;
  const secret = clientSecret ?? (hasSecret ? STORED_SECRET : undefined);
  return {
    ...properties,
    credentials: { clientId: text(clientId), clientSecret: text(secret), origin: text(origin) },
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
