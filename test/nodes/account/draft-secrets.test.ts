// Tests for the secrets of accounts that a dialog tries: where they are sent, and that no answer shows them.
import assert from "node:assert/strict";
import { STORED_SECRET, type TestAnswer } from "../../../src/choices/choices";
import { adminAnswer, adminPost, draftOf, faultOf } from "../../support/admin";
import { ENCODINGS } from "../../support/encodings";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";

const CANARY = "canary-Secret-4711/äß";
const TOKEN = "canary.token-0815";
const REFUSED = { status: 400, key: "credentialsOrigin" };

describe("secret of an account that is tried", () => {
  let service: TestService;
  /** Would accept the same credentials. */
  let other: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    const credentials = { clientId: "test-client", clientSecret: CANARY };
    [service, other] = [await startService({ credentials }), await startService({ credentials })];
    await start();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    await other.close();
    delete process.env["HOME_OF_TEST"];
  });

  const start = async (credentials: object = {}, { baseUrl } = service): Promise<void> => {
    const { clientId, clientSecret } = service;
    node = await startNode(
      "energy-site-list",
      { output: "list" },
      { account: { baseUrl }, credentials: { clientId, clientSecret, ...credentials } },
    );
  };
  const storedDraft = (changes: object = {}): { account: object } =>
    draftOf({ ...service, clientSecret: STORED_SECRET }, changes);
  const testStored = (changes?: object): Promise<TestAnswer> =>
    adminAnswer("the-account/test", storedDraft(changes));
  const refusal = (changes?: object): ReturnType<typeof faultOf> =>
    faultOf("post", "the-account/test", storedDraft(changes));

  for (const [name, origin] of [
    ["did not come from the dialog", (): undefined => undefined],
    ["was entered in the dialog", (): string => service.baseUrl],
    ["was entered beside a base URL with a variable", (): string => "${HOME_OF_TEST}/api"],
  ] as const) {
    it(`sends it to its own origin only, if it ${name}`, async () => {
      await node.stop();
      process.env["HOME_OF_TEST"] = service.baseUrl;
      await start({ origin: origin() });
      assert.deepEqual(await refusal({ baseUrl: other.baseUrl }), REFUSED);
      assert.equal((await testStored()).sites, 6);
      assert.equal((await testStored({ baseUrl: `${service.baseUrl}/` })).sites, 6);
      assert.deepEqual(await refusal({ baseUrl: other.baseUrl }), REFUSED);
      assert.equal(other.requests.length, 0);
    });
  }

  it("sends it where the deployed account would, although another setting of that is not valid", async () => {
    await node.redeploy({}, { timeout: "soon" });
    assert.equal((await testStored()).sites, 6);
    assert.deepEqual(await refusal({ baseUrl: other.baseUrl }), REFUSED);
    await node.redeploy({}, { baseUrl: "ftp://x", timeout: 30 });
    assert.deepEqual(await refusal({ baseUrl: other.baseUrl }), { status: 400, key: "baseUrlInsecure" });
    assert.equal(other.requests.length, 0);
  });

  it("binds nothing: the account itself still decides where its secret belongs", async () => {
    await testStored();
    await node.redeploy({}, { baseUrl: other.baseUrl });
    node.input({});
    await node.output();
    assert.ok(other.requests.length > 0);
    assert.deepEqual(await refusal(), REFUSED);
  });

  it("sends it where it was entered for, not where the deployed account leads to meanwhile", async () => {
    await node.stop();
    await start({ origin: service.baseUrl }, other);
    assert.deepEqual(await refusal({ baseUrl: other.baseUrl }), REFUSED);
    assert.equal((await testStored()).sites, 6);
    assert.equal(other.requests.length, 0);
  });

  it("believes no origin that the dialog sends", async () => {
    const { account } = storedDraft({ baseUrl: other.baseUrl });
    const credentials = {
      clientId: "x",
      clientSecret: STORED_SECRET,
      origin: other.baseUrl,
    };
    const forged = { account: { ...account, credentials } };
    assert.deepEqual(await faultOf("post", "the-account/test", forged), REFUSED);
    assert.equal(other.requests.length, 0);
  });

  it("is the stored one for an editor that does not know the credentials, such as after an import", async () => {
    const { account } = storedDraft();
    const { credentials: _unknown, ...rest } = account as { credentials: object };
    const answer = await adminAnswer<TestAnswer>("the-account/test", { account: rest });
    assert.equal(answer.sites, 6);
    const elsewhere = { account: { ...rest, baseUrl: other.baseUrl } };
    assert.deepEqual(await faultOf("post", "the-account/test", elsewhere), REFUSED);
    const unknown = await faultOf("post", "new/test", { account: rest });
    assert.deepEqual(unknown, { status: 400, key: "clientIdMissing" });
    const emptied = { account: { ...rest, credentials: { clientId: "", clientSecret: "" } } };
    assert.equal((await faultOf("post", "the-account/test", emptied)).key, "clientIdMissing");
    assert.equal(other.requests.length, 0);
  });

  it("has none if the account is not deployed", async () => {
    for (const id of ["new", "node-under-test", "constructor"])
      assert.deepEqual(await faultOf("post", `${id}/test`, storedDraft()), {
        status: 400,
        key: "clientSecretMissing",
      });
    assert.equal(service.requests.length, 0);
  });

  for (const status of [200, 301, 400, 401, 403, 404, 422, 429, 500]) {
    for (const path of ["auth", "sites"]) {
      it(`is in no answer, in no encoding, if ${path} responds with ${status}`, async () => {
        // Other credentials each time, because tokens and rejections are remembered.
        const clientId = `client-${path}-${status}`;
        const basic = Buffer.from(`${clientId}:${CANARY}`).toString("base64");
        const echoes = Object.values(ENCODINGS).flatMap((encode) => [CANARY, basic, TOKEN].map(encode));
        const message = echoes.join(" ");
        const always = { times: Number.POSITIVE_INFINITY };
        service.fault({ path: /auth$/, body: { access_token: TOKEN }, ...always });
        const headers = { "retry-after": "0", location: `https://other.example/${CANARY.slice(0, 18)}` };
        service.fault({
          path: new RegExp(`${path}$`),
          status,
          body: { message, error: message },
          headers,
          ...always,
        });
        const { text } = await adminPost("new/test", draftOf({ ...service, clientId }));
        assert.ok(service.requestsTo(new RegExp(`${path}$`)).length > 0);
        assert.match(text, /"fault"/);
        for (const echo of echoes) assert.ok(!text.includes(echo), text);
        assert.doesNotMatch(text, /canary|Basic|Bearer|stack|node_modules/);
      });
    }
  }
});
