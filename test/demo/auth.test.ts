// Tests for access to the demo service as strict as the real one: credentials, tokens, methods and paths (service interface 4.1 and 5).
import assert from "node:assert/strict";
import { request } from "node:http";
import { DEMO_CREDENTIALS, startStrictService, type StrictService } from "../support/demo-service";
import { basic, PC1, Reader, send, signIn } from "./reader";

const CREDENTIALS = { clientId: "a-client", clientSecret: "a:secret" };

describe("demo service: access", () => {
  let now = Date.parse("2026-03-10T12:00:00Z");
  let service: StrictService;
  let reader: Reader;

  before(async () => {
    service = await startStrictService({ now: () => now, credentials: CREDENTIALS });
    reader = await Reader.of({ ...service, ...CREDENTIALS });
  });
  after(() => service.close());

  const auth = (headers: Record<string, string>, body?: string) =>
    send<Record<string, unknown>>(`${service.baseUrl}/v1/auth`, { method: "POST", headers, body });
  const sitesWith = async (authorization?: string) =>
    (await send(`${service.baseUrl}/v1/sites`, { headers: authorization ? { authorization } : {} })).status;

  it("issues a one-hour token for valid credentials", async () => {
    const { status, body } = await auth({ authorization: basic("a-client", "a:secret") });
    assert.equal(status, 200);
    const { access_token: token, companies, ...rest } = body;
    assert.equal(typeof token, "string");
    assert.deepEqual(rest, {
      token_type: "Bearer",
      expires_in: 3600,
      created_at: "2026-03-10T12:00:00.000Z",
    });
    assert.match(
      JSON.stringify(companies),
      /^\[\{"companyId":"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"\}\]$/,
    );
  });

  it("rejects wrong, incomplete and missing credentials", async () => {
    const wrong = [
      basic("a-client", "other"),
      basic("other", "a:secret"),
      basic("", ""),
      `Basic ${Buffer.from("no colon").toString("base64")}`,
      "Basic",
      `Bearer ${reader.token}`,
    ];
    for (const authorization of wrong)
      assert.equal((await auth({ authorization })).status, 401, authorization);
    assert.equal((await auth({})).status, 401);
  });

  it("accepts no credentials but its own", async () => {
    const open = await startStrictService();
    try {
      const statusOf = async (id: string, secret: string) =>
        (
          await send(`${open.baseUrl}/v1/auth`, {
            method: "POST",
            headers: { authorization: basic(id, secret) },
          })
        ).status;
      assert.equal(await statusOf(DEMO_CREDENTIALS.clientId, DEMO_CREDENTIALS.clientSecret), 200);
      assert.equal(await statusOf("another-client", "another-secret"), 401);
    } finally {
      await open.close();
    }
  });

  it("rejects a token request with a body", async () => {
    const authorization = basic("a-client", "a:secret");
    assert.equal((await auth({ authorization }, "grant_type=client_credentials")).status, 400);
  });

  it("rejects requests without a token, with an unknown one, or with the Basic header", async () => {
    assert.equal(await sitesWith(), 401);
    assert.equal(await sitesWith("Bearer unknown"), 401);
    assert.equal(await sitesWith(basic("a-client", "a:secret")), 401);
    assert.equal(await sitesWith(`Bearer ${reader.token}`), 200);
  });

  it("rejects a token as soon as it is an hour old", async () => {
    const token = await signIn(service.baseUrl, CREDENTIALS);
    const issued = now;
    now = issued + 3_599_999;
    assert.equal(await sitesWith(`Bearer ${token}`), 200);
    now = issued + 3_600_000;
    assert.equal(await sitesWith(`Bearer ${token}`), 401);
    now = issued;
  });

  it("rejects revoked tokens and still issues new ones", async () => {
    const old = await signIn(service.baseUrl, CREDENTIALS);
    service.revokeTokens();
    assert.equal(await sitesWith(`Bearer ${old}`), 401);
    reader = await Reader.of({ ...service, ...CREDENTIALS });
    assert.equal(await reader.status("/v1/sites"), 200);
  });

  it("responds with 404 to unknown resources", async () => {
    for (const path of [
      "/",
      "/v1",
      "/v2/sites",
      "/v1/sites/",
      "/v1/sites/demo-house/",
      "/v1/sites/unknown",
      "/v1/sites/demo-house/telemetry/more",
      "/v1/sites/demo-house/other",
      "/v1/alerts/demo-house",
    ]) {
      assert.equal(await reader.status(path), 404, path);
    }
  });

  it("decodes percent-encoded ids", async () => {
    assert.equal(await reader.status("/v1/sites/demo%2Dhouse"), 200);
    assert.equal(await reader.status("/v1/sites/a%2Fdemo-house"), 404);
  });

  it("does not normalize a path that a client failed to encode", async () => {
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(service.baseUrl);
      const path = "/v1/sites/other/../demo-house";
      const headers = { authorization: `Bearer ${reader.token}`, ...PC1 };
      request({ hostname, port, path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
    assert.equal(status, 404);
  });

  it("rejects other methods", async () => {
    const headers = { authorization: `Bearer ${reader.token}` };
    assert.equal((await send(`${service.baseUrl}/v1/sites`, { method: "POST", headers })).status, 405);
    assert.equal((await send(`${service.baseUrl}/v1/auth`, { headers })).status, 405);
  });
});
