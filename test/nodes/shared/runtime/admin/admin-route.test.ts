// Tests for the routes of the editor: what other websites, hosts and malformed requests get.
import assert from "node:assert/strict";
import type { NodeAPI } from "node-red";
import helper from "node-red-node-test-helper";
import { adminRoute, type AdminRequest } from "../../../../../nodes/shared/runtime/admin/admin-route";
import { AuthError, errorText, InputError } from "../../../../../src/errors";
import { JQUERY } from "../../../../support/runtime";

const SECRET = "canary-7f3a";

describe("routes of the editor", () => {
  let received: AdminRequest[];

  const load = async (settings: object = {}): Promise<void> => {
    received = [];
    helper.settings(settings);
    await helper.load((RED: NodeAPI) => {
      const handle = async (request: AdminRequest): Promise<unknown> => {
        received.push(request);
        if (request.values["fail"] === "ours") throw new InputError("inputText", { name: "a", kind: "x" });
        if (request.values["fail"] === "auth") throw new AuthError(errorText("whatToken"), {});
        if (request.values["fail"] === "foreign") throw new TypeError(`password is ${SECRET}`);
        return { answered: true };
      };
      adminRoute(RED, { method: "get", path: "test/:id", handle });
      adminRoute(RED, { method: "post", path: "test/:id", handle });
    }, []);
  };
  const get = (headers: Record<string, string>, query = "") =>
    helper.request().get(`/energy-sites/test/some%20id${query}`).set(headers);
  const post = (body: string, headers: Record<string, string> = { "Content-Type": "application/json" }) =>
    helper
      .request()
      .post("/energy-sites/test/1")
      .set({ ...JQUERY, ...headers })
      .send(body);

  beforeEach(() => load());
  afterEach(() => helper.unload());

  it("answer the editor, and are not stored by any cache", async () => {
    const { body, headers } = await get(JQUERY, "?search=a%26b&constructor=1").expect(200);
    assert.deepEqual(body, { answered: true });
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(received[0]?.id, "some id");
    assert.equal(received[0]?.values["search"], "a&b");
  });

  for (const [name, headers] of Object.entries({
    "another website": { ...JQUERY, Origin: "https://evil.example" },
    "another port of the same machine": { ...JQUERY, Origin: "http://127.0.0.1:1" },
    "a sandboxed frame": { ...JQUERY, Origin: "null" },
    "a website that claims to be a proxy": {
      ...JQUERY,
      Origin: "https://evil.example",
      "X-Forwarded-Host": "evil.example",
    },
    "another website, as the browser says": { ...JQUERY, "Sec-Fetch-Site": "cross-site" },
    "another port, as the browser says": { ...JQUERY, "Sec-Fetch-Site": "same-site" },
    "a link, a form or an image": {},
  })) {
    it(`refuse ${name}`, async () => {
      const { body } = await get(headers as Record<string, string>).expect(403);
      assert.deepEqual(body.fault, { code: "ENERGY_CONFIG", text: { key: "adminOrigin", values: {} } });
      assert.deepEqual(received, []);
    });
  }

  it("answer the editor behind a proxy that changes the host", async () => {
    await get({ ...JQUERY, "Sec-Fetch-Site": "same-origin", Origin: "https://node-red.example" }).expect(200);
  });

  it("answer a host that settings.js lists, without the browser's help", async () => {
    await helper.unload();
    await load({ energyAccountHosts: ["Node-RED.example", 1] });
    await get({ ...JQUERY, Origin: "https://node-red.example" }).expect(200);
    await get({ ...JQUERY, Origin: "https://node-red.example", Host: "node-red.example" }).expect(200);
    await get({ ...JQUERY, Origin: "https://evil.example" }).expect(403);
  });

  for (const host of [
    "evil.example",
    "evil.example:1880",
    "localhost.evil.example",
    "evil.example#.local",
    "1.2.3.4.evil.example",
    "8.8.8.8",
    "[2001:db8::1]",
    "fritz.box",
    "pi.fritz.box",
    "nas.lan",
    "pi.home",
    "ai.",
    "",
  ]) {
    it(`refuse the host "${host}", which any website may point at this machine`, async () => {
      const { body } = await get({ ...JQUERY, Host: host }).expect(403);
      assert.equal(body.fault.text.key, "adminHost");
      assert.deepEqual(received, []);
    });
  }

  for (const host of [
    "127.0.0.1:1880",
    "192.168.1.5:1880",
    "172.31.0.1",
    "100.100.0.1",
    "[::1]:1880",
    "[::ffff:10.0.0.1]",
    "[fd00::5]",
    "[fe80::1]:1880",
    "LOCALHOST",
    "app.localhost",
    "raspberrypi",
    "nodered.local:1880",
    "nodered.local.",
    "pi.internal",
    "pi.home.arpa",
  ]) {
    it(`answer the host ${host}`, () => get({ ...JQUERY, Host: host }).expect(200));
  }

  it("take a JSON object as it is, whatever its names are, and nothing from any other body", async () => {
    await post('{"__proto__":{"isAdmin":true},"account":{"a":1}}').expect(200);
    assert.deepEqual(received[0]?.values["account"], { a: 1 });
    assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
    for (const body of ["[1]", "[]"]) await post(body).expect(200);
    await post("account=1", { "Content-Type": "text/plain" }).expect(200);
    for (const { values } of received.slice(1)) assert.deepEqual(values, {});
  });

  it("answer an error with its code and text, and nothing of a foreign one", async () => {
    const ours = await get(JQUERY, "?fail=ours").expect(400);
    assert.equal(ours.body.fault.code, "ENERGY_INPUT");
    assert.deepEqual(ours.body.fault.text, { key: "inputText", values: { name: "a", kind: "x" } });
    assert.equal((await get(JQUERY, "?fail=auth").expect(502)).body.fault.code, "ENERGY_AUTH");
    const foreign = await get(JQUERY, "?fail=foreign").expect(500);
    assert.deepEqual(foreign.body.fault.text, { key: "internal", values: { reason: "TypeError" } });
    assert.doesNotMatch(foreign.text, /canary|stack/);
  });
});
