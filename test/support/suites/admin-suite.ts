// Tests from where a Node-RED that lets everybody in may be used, and sends requests to the admin routes for other tests.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text as readText } from "node:stream/consumers";
import { type FlowNode, JQUERY, type Runtime } from "../runtime";
import { KNOWN_HOST } from "./node-red-suite";

export const SITES = "/energy-sites/accounts/the-account/sites?search=berlin";
export const DEMO: FlowNode = { id: "the-account", type: "energy-account", service: "demo", name: "Demo" };
export const DRAFT = JSON.stringify({ account: { service: "demo" } });

interface Answer {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  text: string;
}

/** With any headers: fetch does not let a caller set Host. A body is posted. */
export async function send(
  { url }: Runtime,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  const outgoing = request(`${url}${path}`, { method: body === undefined ? "GET" : "POST", headers });
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await readText(response) };
}

export async function statusOf(...parameters: Parameters<typeof send>): Promise<number | undefined> {
  return (await send(...parameters)).status;
}

export function describeAdminRoutes(running: () => Runtime): void {
  describe("the admin routes", () => {
    it("answer this Node-RED's editor alone, at the hosts that settings.js lists, if no login is required", async () => {
      const runtime = running();
      await runtime.deploy([DEMO]);
      const { status, headers, text } = await send(runtime, SITES, JQUERY);
      assert.equal(status, 200, text + runtime.output());
      assert.match(text, /"siteId":"demo-house"/);
      assert.equal(headers["cache-control"], "no-store");
      assert.equal(headers["access-control-allow-origin"], undefined);
      const foreignHeaders: Record<string, string>[] = [
        { Origin: "https://evil.example" },
        { Origin: "https://evil.example", "X-Forwarded-Host": "evil.example" },
        { "Sec-Fetch-Site": "cross-site" },
        { Host: "evil.example" },
        { Host: "evil.example", Origin: "http://evil.example", "Sec-Fetch-Site": "same-origin" },
      ];
      for (const foreign of foreignHeaders)
        assert.equal(await statusOf(runtime, SITES, { ...JQUERY, ...foreign }), 403, JSON.stringify(foreign));
      assert.equal(await statusOf(runtime, SITES, {}), 403);
      assert.equal(await statusOf(runtime, SITES, { ...JQUERY, Host: KNOWN_HOST }), 200);
      const json = { ...JQUERY, "Content-Type": "application/json" };
      assert.equal(await statusOf(runtime, "/energy-sites/accounts/new/test", json, DRAFT), 200);
      assert.equal(await statusOf(runtime, "/energy-sites/accounts/new/test", json, "{"), 400);
    });
  });
}
