// Sends requests to the admin routes of the runtime under test, as the editor would.
import helper from "node-red-node-test-helper";
import type { AccountDraft } from "../../src/choices/choices";
import { JQUERY } from "./runtime";

const ACCOUNTS = "/energy-sites/accounts";

interface Reply {
  status: number;
  text: string;
  body: { fault?: { code: string; text: { key: string; values: Record<string, unknown> } } };
}

async function get(path: string): Promise<Reply> {
  return helper.request().get(`${ACCOUNTS}/${path}`).set(JQUERY);
}

/** Whatever the status is. */
export async function adminPost(path: string, body: object): Promise<Reply> {
  return helper.request().post(`${ACCOUNTS}/${path}`).set(JQUERY).send(body);
}

/** The answer of a route below `energy-sites/accounts/`. Rejects if the status is not 200. */
export async function adminGet<Answer>(path: string): Promise<Answer> {
  return answerIn(await get(path)) as Answer;
}

/** As adminGet. */
export async function adminAnswer<Answer>(path: string, body: object): Promise<Answer> {
  return answerIn(await adminPost(path, body)) as Answer;
}

/** The status and the key of the fault. */
export async function faultOf(
  method: "get" | "post",
  path: string,
  body: object = {},
): Promise<{ status: number; key: string | undefined }> {
  const reply = await (method === "get" ? get(path) : adminPost(path, body));
  return { status: reply.status, key: reply.body.fault?.text.key };
}

function answerIn({ status, text, body }: Reply): unknown {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return body;
}

/** The body for an account of a dialog with the credentials of a service. */
export function draftOf(
  { baseUrl, clientId, clientSecret }: { baseUrl: string; clientId: string; clientSecret: string },
  changes: object = {},
): { account: AccountDraft } {
  return { account: { service: "live", baseUrl, ...changes, credentials: { clientId, clientSecret } } };
}
