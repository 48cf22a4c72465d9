// Requests the diagnostics of a node or an account, as the editor does.
import assert from "node:assert/strict";
import helper from "node-red-node-test-helper";
import { JQUERY } from "./runtime";

export const ACCOUNT = "the-account";
export const NODE = "node-under-test";
export const SITE = "demo-house";

export async function answerTo(path: string): Promise<{ status: number; body: unknown }> {
  const { status, body } = await helper.request().get(`/energy-sites/${path}/diagnostics`).set(JQUERY);
  return { status, body };
}

export async function reportOf(path: string): Promise<string> {
  const { status, body } = await answerTo(path);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { text: string }).text;
}
