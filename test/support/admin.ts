// Sends requests to the admin routes of the runtime under test, as the editor would.
import helper from "node-red-node-test-helper";

const JQUERY = { "X-Requested-With": "XMLHttpRequest" };
const ACCOUNTS = "/energy-sites/accounts";

interface Reply {
  status: number;
  text: string;
  body: { fault?: { code: string; text: { key: string; values: Record<string, unknown> } } };
}

function get(path: string): Promise<Reply> {
  return helper.request().get(`${ACCOUNTS}/${path}`).set(JQUERY) as unknown as Promise<Reply>;
}

/** Whatever the status is. */
export function adminPost(path: string, body: object): Promise<Reply> {
  return helper.request().post(`${ACCOUNTS}/${path}`).set(JQUERY).send(body) as unknown as Promise<Reply>;
}

/** The answer of a route below `energy-sites/accounts/`. Rejects if the status is not 200. */
export async function adminGet<Answer>(path: string): Promise<Answer> {
  return answerIn<Answer>(await get(path));
}

/** As adminGet. */
export async function adminAnswer<Answer>(path: string, body: object): Promise<Answer> {
  return answerIn<Answer>(await adminPost(path, body));
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

function answerIn<Answer>({ status, text, body }: Reply): Answer {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return body as Answer;
}
