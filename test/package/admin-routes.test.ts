// Tests the admin routes in a real Node-RED: who may use them, and from where.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { newUserDirectory } from "../support/package";
import { NODE_RED, type Runtime, startRuntime } from "../support/runtime";

/** The password `test`. */
const PASSWORD = "$2b$04$3950mvJi3OQcfW3Tkq5K7.IvuhYm2kysZk/Ea295FEGWyKwJNu3vG";
const JQUERY = { "X-Requested-With": "XMLHttpRequest" };
const SITES = "/energy-sites/accounts/the-account/sites?search=berlin";
const DEMO = { id: "the-account", type: "energy-account", service: "demo", name: "Demo" };
const DRAFT = JSON.stringify({ account: { service: "demo" } });

describe("admin routes in Node-RED", () => {
  let runtime: Runtime;

  const start = async (settings: object): Promise<void> => {
    const userDir = await newUserDirectory();
    writeFileSync(join(userDir, "flows.json"), JSON.stringify([DEMO]));
    runtime = await startRuntime(NODE_RED, {}, userDir, settings);
  };
  afterEach(() => runtime.stop());

  /** With any headers: fetch does not let a caller set Host. */
  const send = async (
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<{ status: number | undefined; headers: IncomingMessage["headers"]; text: string }> => {
    const outgoing = request(`${runtime.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers,
    });
    outgoing.end(body);
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, text: await readText(response) };
  };
  const statusOf = async (...parameters: Parameters<typeof send>): Promise<number | undefined> =>
    (await send(...parameters)).status;

  it("answer this Node-RED's editor alone, at the hosts that settings.js lists, if nobody has to log in", async () => {
    await start({ energyAccountHosts: ["node-red.example"] });
    const { status, headers, text } = await send(SITES, JQUERY);
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
      assert.equal(await statusOf(SITES, { ...JQUERY, ...foreign }), 403, JSON.stringify(foreign));
    assert.equal(await statusOf(SITES, {}), 403);
    assert.equal(await statusOf(SITES, { ...JQUERY, Host: "node-red.example" }), 200);
    const json = { ...JQUERY, "Content-Type": "application/json" };
    assert.equal(await statusOf("/energy-sites/accounts/new/test", json, DRAFT), 200);
    assert.equal(await statusOf("/energy-sites/accounts/new/test", json, "{"), 400);
  });

  it("need the permission for what they do", async () => {
    const users = [
      { username: "admin", password: PASSWORD, permissions: "*" },
      { username: "viewer", password: PASSWORD, permissions: "read" },
      { username: "nobody", password: PASSWORD, permissions: "flows.read" },
    ];
    await start({ adminAuth: { type: "credentials", users } });
    const login = async (username: string): Promise<Record<string, string>> => {
      const form = {
        client_id: "node-red-admin",
        grant_type: "password",
        scope: "",
        username,
        password: "test",
      };
      const body = new URLSearchParams(form).toString();
      const { text } = await send(
        "/auth/token",
        { "Content-Type": "application/x-www-form-urlencoded" },
        body,
      );
      const { access_token: token } = JSON.parse(text) as { access_token: string };
      return { ...JQUERY, Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    };
    const [admin, viewer, nobody] = [await login("admin"), await login("viewer"), await login("nobody")];
    const post = (headers: Record<string, string>, list: string): Promise<number | undefined> =>
      statusOf(`/energy-sites/accounts/the-account/${list}`, headers, DRAFT);

    assert.equal(await statusOf(SITES, JQUERY), 401);
    assert.equal(await statusOf(SITES, nobody), 401);
    assert.equal(await statusOf(SITES, viewer), 200);
    assert.equal(await statusOf(SITES, { ...viewer, Host: "node-red.example" }), 200);
    assert.equal(await statusOf(SITES, { ...viewer, Origin: "https://evil.example" }), 403);
    for (const list of ["sites", "test"]) {
      assert.equal(await post(viewer, list), 401);
      assert.equal(await post(admin, list), 200);
    }
  });

  it("do not take a visitor who need not log in for somebody who has", async () => {
    await start({ adminAuth: { type: "credentials", users: [], default: { permissions: "read" } } });
    assert.equal(await statusOf(SITES, JQUERY), 200);
    assert.equal(await statusOf(SITES, { ...JQUERY, Host: "evil.example" }), 403);
  });
});
