// Tests for accounts that a dialog tries before they are deployed: what is sent where, and what is answered.
import assert from "node:assert/strict";
import helper from "node-red-node-test-helper";
import sinon from "sinon";
import type { SitesAnswer, TestAnswer, ValueNow } from "../../../src/choices/choices";
import { sharedClock } from "../../../src/clock";
import { HOUR, MINUTE } from "../../../src/time-units";
import { adminAnswer, adminPost, draftOf, faultOf } from "../../support/admin";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";
import { EXPIRED, SELF_SIGNED, startTlsService } from "../../client/http/tls-service";

const PREVIEW = "2026-01-01.preview";
const NEW = "new-account/test";
/** Of the first sites of the service. */
const NAMES = ["Demo balcony", "Demo cabin", "Demo empty site"];

describe("account that is not deployed", () => {
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    service = await startService();
    node = await startNode("energy-site-list", { output: "list" }, { account: { baseUrl: service.baseUrl } });
  });
  afterEach(async () => {
    sinon.restore();
    await node.stop();
    await service.close();
  });

  const draft = (changes: object = {}): { account: object } =>
    draftOf(service, { apiVersion: PREVIEW, ...changes });
  const test = (changes?: object): Promise<TestAnswer> => adminAnswer(NEW, draft(changes));
  const fault = (changes?: object): ReturnType<typeof faultOf> => faultOf("post", NEW, draft(changes));

  it("is tried with one request for a token, and one for the sites", async () => {
    assert.deepEqual(await test(), { sites: 6, names: NAMES, needPc1: 0 });
    assert.deepEqual(
      service.requests.map(({ path }) => path),
      ["/v1/auth", "/v1/sites"],
    );
  });

  it("shows how many of its sites need PC1, if it did not opt in to PC1", async () => {
    assert.deepEqual(await test({ apiVersion: "" }), { sites: 6, names: NAMES, needPc1: 4 });
    assert.deepEqual(await test({ apiVersion: "2030-01-01" }), {
      sites: 2,
      names: ["Demo empty site", "Demo house"],
      needPc1: 0,
    });
  });

  it("may be the demo, which needs no settings", async () => {
    const account = { service: "demo", apiVersion: "${UNSET}", timeout: "x", name: "demo" };
    assert.deepEqual(await adminAnswer(NEW, { account }), { sites: 6, names: NAMES, needPc1: 0 });
    assert.deepEqual(await adminAnswer(NEW, { account: { ...account, name: "renamed" } }), {
      sites: 6,
      names: NAMES,
      needPc1: 0,
    });
    assert.equal(service.requests.length, 0);
  });

  it("has lists like a deployed one, over one connection", async () => {
    const sites = await adminAnswer<SitesAnswer>("new/sites", { ...draft(), search: "berlin" });
    assert.deepEqual([sites.total, sites.all], [1, 6]);
    const values = await adminAnswer<ValueNow[]>("new/values", {
      ...draft(),
      siteId: "demo-house",
      systemId: "demo-house-1",
    });
    assert.ok(values.length > 0);
    await adminAnswer("new/sites", { ...draft({ name: "renamed" }), search: "denver" });
    assert.equal(service.requestsTo(/v1\/sites$/).length, 1);
    assert.deepEqual(await faultOf("post", "new/systems", { ...draft(), siteId: 7 }), {
      status: 400,
      key: "inputText",
    });
  });

  it("shows what is wrong with its settings, before anything is sent", async () => {
    for (const [changes, key] of [
      [{ baseUrl: "" }, "baseUrlMissing"],
      [{ baseUrl: "http://service.example" }, "baseUrlInsecure"],
      [{ baseUrl: { href: service.baseUrl } }, "settingText"],
      [{ baseUrl: "${NO_SUCH_VARIABLE}" }, "variableMissing"],
      [{ timeout: -1 }, "settingRange"],
      [{ tls: "the-account" }, "tlsMissing"],
      [{ proxy: "the-account" }, "proxyMissing"],
    ] as const) {
      assert.deepEqual(await fault(changes), { status: 400, key }, key);
    }
    const { account: withoutSecret } = draftOf({ ...service, clientSecret: "" });
    const missing = { status: 400, key: "clientSecretMissing" };
    assert.deepEqual(await faultOf("post", NEW, { account: withoutSecret }), missing);
    for (const account of [undefined, null, [], "x"])
      assert.deepEqual(await faultOf("post", NEW, { account }), { status: 400, key: "adminNotJson" });
    assert.equal(service.requests.length, 0);
  });

  it("uses no node as proxy that is none, though it has a URL", async () => {
    Object.assign(helper.getNode("the-account"), { url: service.baseUrl });
    assert.deepEqual(await fault({ proxy: "the-account" }), { status: 400, key: "proxyMissing" });
  });

  it("takes nothing from the prototype of what the dialog sends", async () => {
    const account = JSON.parse(`{"__proto__": ${JSON.stringify(draft().account)}}`) as object;
    assert.deepEqual(await faultOf("post", NEW, { account }), { status: 400, key: "baseUrlMissing" });
    assert.equal(service.requests.length, 0);
  });

  it("resolves environment variables as the runtime does", async () => {
    process.env["URL_OF_DRAFT"] = service.baseUrl;
    try {
      process.env["SECRET_OF_DRAFT"] = service.clientSecret;
      for (const baseUrl of ["${URL_OF_DRAFT}/", "${URL_OF_DRAFT}", "$(URL_OF_DRAFT)"])
        assert.equal((await test({ baseUrl })).sites, 6, baseUrl);
      const { clientId } = service;
      const credentials = { clientId, clientSecret: "${SECRET_OF_DRAFT}" };
      const { sites } = await adminAnswer<TestAnswer>(NEW, {
        account: { service: "live", baseUrl: "${URL_OF_DRAFT}", apiVersion: PREVIEW, credentials },
      });
      assert.equal(sites, 6);
    } finally {
      delete process.env["URL_OF_DRAFT"];
      delete process.env["SECRET_OF_DRAFT"];
    }
  });

  for (const [name, reply, key] of [
    ["another address", { status: 404 }, "noLogin"],
    ["a web page", { body: "<html>", contentType: "text/html" }, "noLogin"],
    ["wrong credentials", { status: 401 }, "credentialsRejected"],
    ["another service", { body: { ok: true } }, "answerToken"],
    ["a redirection", { status: 302 }, "redirected"],
  ] as const) {
    it(`shows ${name}`, async () => {
      service.fault({ path: /auth/, ...reply });
      assert.deepEqual(await fault(), { status: 502, key });
      assert.equal(service.requests.length, 1);
    });
  }

  it("shows what is wrong with the connection", async () => {
    const reason = async (baseUrl: string): Promise<string | undefined> => {
      const { body } = await adminPost(NEW, draft({ baseUrl }));
      return (body.fault?.text.values["reason"] as { key: string } | undefined)?.key;
    };
    // A port below 1024 is never that of another test.
    assert.equal(await reason("http://127.0.0.1:1"), "refusedConnection");
    assert.equal(await reason("https://no-such-host.invalid"), "unknownHost");
    assert.equal(await reason(service.baseUrl.replace("http:", "https:")), "tlsFailed");
    for (const [cert, key] of [
      [SELF_SIGNED, "certificateSelfSigned"],
      [EXPIRED, "certificateTime"],
      [undefined, "certificate"],
    ] as const) {
      const tls = await startTlsService(cert ? { cert } : {});
      assert.equal(await reason(tls.baseUrl), key);
      await tls.close();
      assert.deepEqual(tls.requests, []);
    }
  });

  it("shows that the local clock is wrong, and no node follows that clock", async () => {
    const ahead = await startService({ now: () => Date.now() + HOUR });
    const { clock } = await adminAnswer<TestAnswer>(NEW, draftOf(ahead));
    await ahead.close();
    assert.ok(Math.abs((clock ?? 0) - HOUR) < MINUTE, String(clock));
    assert.ok(Math.abs(sharedClock.now() - Date.now()) < MINUTE);
  });

  it("waits 14 s at most, however long the timeout", async () => {
    const hold = service.hold(/auth/);
    const clock = sinon.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout"],
      shouldClearNativeTimers: true,
    });
    const answer = fault({ timeout: 3600 });
    await hold.arrived();
    await clock.tickAsync(14_000);
    assert.deepEqual(await answer, { status: 502, key: "noAnswer" });
    hold.release();
  });

  it("keeps the connection of the last one alone, and closes it when flows stop", async () => {
    const hold = service.hold(/telemetry$/);
    const values = (versionHeader: string): ReturnType<typeof faultOf> =>
      faultOf("post", "new/values", {
        ...draft({ versionHeader }),
        siteId: "demo-house",
        systemId: "demo-house-1",
      });
    const closed = { status: 502, key: "accountClosed" };
    const first = values("X-0");
    await hold.arrived(1);
    const second = values("X-1");
    assert.deepEqual(await first, closed);
    await hold.arrived(2);
    await node.redeploy({}, { name: "renamed" });
    assert.deepEqual(await second, closed);
    hold.release();
  });
});
