// Tests the admin routes of a real Node-RED in which users log in, and others may look.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newUserDirectory } from "../support/package";
import { JQUERY, NODE_RED, type Runtime, startRuntime } from "../support/runtime";
import { DEMO, DRAFT, send, SITES, statusOf } from "../support/suites/admin-suite";

/** The password `test`. */
const PASSWORD = "$2b$04$3950mvJi3OQcfW3Tkq5K7.IvuhYm2kysZk/Ea295FEGWyKwJNu3vG";

const USERS = [
  { username: "admin", password: PASSWORD, permissions: "*" },
  { username: "viewer", password: PASSWORD, permissions: "read" },
  { username: "nobody", password: PASSWORD, permissions: "flows.read" },
];

describe("admin routes in a Node-RED with users", () => {
  let runtime: Runtime;

  before(async () => {
    const userDir = await newUserDirectory();
    writeFileSync(join(userDir, "flows.json"), JSON.stringify([DEMO]));
    const adminAuth = { type: "credentials", users: USERS, default: { permissions: "read" } };
    runtime = await startRuntime(NODE_RED, {}, userDir, { adminAuth });
  });
  after(() => runtime.stop());

  const post = (headers: Record<string, string>, list: string): Promise<number | undefined> =>
    statusOf(runtime, `/energy-sites/accounts/the-account/${list}`, headers, DRAFT);

  it("need the permission for what they do", async () => {
    const login = async (username: string): Promise<Record<string, string>> => {
      const client = { client_id: "node-red-admin", grant_type: "password", scope: "" };
      const body = new URLSearchParams({ ...client, username, password: "test" }).toString();
      const form = { "Content-Type": "application/x-www-form-urlencoded" };
      const { text } = await send(runtime, "/auth/token", form, body);
      const { access_token: token } = JSON.parse(text) as { access_token: string };
      return { ...JQUERY, Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    };
    const [admin, viewer, nobody] = [await login("admin"), await login("viewer"), await login("nobody")];

    assert.equal(await statusOf(runtime, SITES, nobody), 401);
    assert.equal(await statusOf(runtime, SITES, viewer), 200);
    assert.equal(await statusOf(runtime, SITES, { ...viewer, Host: "node-red.example" }), 200);
    assert.equal(await statusOf(runtime, SITES, { ...viewer, Origin: "https://evil.example" }), 403);
    for (const list of ["sites", "test"]) {
      assert.equal(await post(viewer, list), 401);
      assert.equal(await post(admin, list), 200);
    }
  });

  it("do not take a visitor who need not log in for somebody who has", async () => {
    assert.equal(await statusOf(runtime, SITES, JQUERY), 200);
    assert.equal(await statusOf(runtime, SITES, { ...JQUERY, Host: "evil.example" }), 403);
    for (const list of ["sites", "test"])
      assert.equal(await post({ ...JQUERY, "Content-Type": "application/json" }, list), 401);
  });
});
