// Reads the body of an admin request: a small JSON object.
import type { IncomingMessage } from "node:http";
import { InputError } from "../../../../src/errors";
import { isServiceObject } from "../../../../src/models/service-object";
import { MAX_ADMIN_BODY_BYTES } from "../../../../src/limits";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * @param parsed what Node-RED has read already; undefined = nothing
 * @throws InputError for a body that is too large, or not a JSON object
 */
export async function jsonBody(request: IncomingMessage, parsed: unknown): Promise<JsonObject> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_ADMIN_BODY_BYTES)
    throw new InputError("adminTooLarge");
  // A page of another website could send a form without asking first.
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
    throw new InputError("adminNotJson");
  const body = parsed === undefined ? parseJson(await textIn(request)) : parsed;
  if (!isServiceObject(body)) throw new InputError("adminNotJson");
  if (parsed !== undefined && Buffer.byteLength(JSON.stringify(body)) > MAX_ADMIN_BODY_BYTES)
    throw new InputError("adminTooLarge");
  return body;
}

async function textIn(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ADMIN_BODY_BYTES) throw new InputError("adminTooLarge");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
