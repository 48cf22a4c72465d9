// Tests for redaction: even if the service echoes a request, no error contains a secret, a token or an Authorization header.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { inspect } from "node:util";
import sinon from "sinon";
import type { EnergyError } from "../../../src/errors";
import { serviceTextOf } from "../../../src/client/http/redaction";
import { startService, type TestService } from "../../support/service";
import { ENCODINGS } from "../../support/encodings";
import { clientOf, failureOf, passTimeouts } from "../clients";
import { cpuTime } from "../../support/cpu-time";

// Not random: by chance, a secret can hold a word that a test expects to see.
const SECRET = "s3cret/+ 0b6f7c1e-94d2-4a58-b3e7-6d10f9a2c485";
const TOKEN = "tok.51e8a7d3-2c94-4f06-9b1d-7e3a8c60f25b8d47f2a6-0e19-4c73-a5b8-19f6d3e07c42";
const BASIC = Buffer.from(`test-client:${SECRET}`).toString("base64");
const RENEWED = "new.c3f90d6a-7b25-4e81-8d4c-2a6f15b7e093e7a1c58d-6f32-4b90-9c0e-53d8b2f4a716";

const ALL_SECRETS = [SECRET, TOKEN, RENEWED, BASIC];

function assertSilent(error: EnergyError, secrets = ALL_SECRETS): void {
  const traces = secrets.flatMap((secret) => [secret.slice(0, 16), secret.slice(-16)]);
  const everything = [
    JSON.stringify(error),
    inspect(error, { depth: 10, showHidden: true }),
    error.stack,
    String(error),
  ];
  for (const text of everything) {
    const plain = decodeURIComponent((text ?? "").replaceAll(/%(?![0-9a-f]{2})/gi, "%25"));
    for (const trace of traces)
      assert.ok(!plain.toLowerCase().includes(trace.toLowerCase()), `${trace} in ${plain}`);
  }
  assert.equal((error as Error).cause, undefined);
}

describe("redaction", () => {
  let service: TestService;

  beforeEach(async () => {
    service = await startService({ credentials: { clientId: "test-client", clientSecret: SECRET } });
    sinon.stub(Math, "random").returns(0);
  });
  afterEach(async () => {
    sinon.restore();
    await service.close();
  });

  const sent = ({ headers }: IncomingMessage): string => headers.authorization?.split(" ")[1] ?? "";

  const echoes: Record<string, (request: IncomingMessage) => string> = {
    "the header": ({ headers }) => JSON.stringify({ message: `bad header ${headers.authorization}` }),
    "all headers": ({ rawHeaders }) => JSON.stringify({ error: { message: JSON.stringify(rawHeaders) } }),
    "the secret": () => JSON.stringify({ message: `the secret ${SECRET} is wrong` }),
    "the secret percent-encoded": () => JSON.stringify({ message: encodeURIComponent(SECRET) }),
    "the secret encoded twice": () =>
      JSON.stringify({ message: encodeURIComponent(encodeURIComponent(SECRET)) }),
    "the token or secret in upper case": (request) =>
      JSON.stringify({ message: sent(request).toUpperCase() }),
    "part of the token or secret": (request) =>
      JSON.stringify({ message: `not known: ${sent(request).slice(-20)}...` }),
    "the secret where the text is truncated": () =>
      JSON.stringify({ message: `${"x".repeat(290)}${SECRET}` }),
    "the secret and the header as plain text": (request) => `${SECRET} ${sent(request)}`,
    "the secret with spaces between characters": () =>
      JSON.stringify({ message: SECRET.split("").join(" ") }),
    "the token as a page": () => `<p>${TOKEN}</p>`,
    "the token as broken JSON": () => `{"message": "${TOKEN}`,
  };

  const statuses = [200, 302, 400, 401, 403, 404, 422, 429, 500, 503];
  for (const [index, [name, echo]] of Object.entries(echoes).entries()) {
    for (const status of statuses.filter((_status, position) => (position + index) % 3 === 0)) {
      it(`works when a service responds with ${status} and echoes ${name}`, async () => {
        service.fault({
          times: Infinity,
          respond: (request, response) =>
            void response.writeHead(status, { location: `/${TOKEN}` }).end(echo(request)),
        });
        service.fault({ path: /auth$/, body: { access_token: RENEWED } });
        service.fault({ path: /auth$/, body: { access_token: TOKEN } });
        const client = clientOf(service, { retryDelaysMs: [] });
        assertSilent(await failureOf(client.site("a")));
        // After 429, it would wait.
        if (status !== 429) assertSilent(await failureOf(client.site("a")));
        client.close();
        const rejected = clientOf({ ...service, clientId: randomUUID() }, { retryDelaysMs: [] });
        assertSilent(await failureOf(rejected.sites()), [SECRET]);
        rejected.close();
      });
    }
  }

  it("works for records that contain the token in place of a time", async () => {
    service.fault({ path: /auth$/, body: { access_token: TOKEN }, times: 2 });
    service.fault({
      path: /telemetry/,
      body: { [TOKEN]: [{ startTime: TOKEN, endTime: SECRET, [TOKEN]: TOKEN }] },
    });
    const client = clientOf(service);
    assertSilent(await failureOf(client.telemetry({ siteId: "a", startTime: "x", endTime: "y" })));
    client.close();
  });

  it("works when the token endpoint echoes the token to be replaced", async () => {
    const rejection = { message: `instead of ${TOKEN}?` };
    service.fault({ path: /auth$/, status: 401, body: rejection });
    service.fault({ path: /auth$/, body: { access_token: TOKEN } });
    service.fault({ path: /sites$/, status: 401 });
    const client = clientOf({ ...service, clientId: randomUUID() });
    const error = await failureOf(client.sites());
    client.close();
    assertSilent(error);
    assert.equal(error.details.serviceText, undefined);
  });

  it("leaves the ids of the request in the service's message", async () => {
    const [siteId, systemId, other] = [`häuser-${randomUUID()}`, randomUUID(), randomUUID()];
    service.fault({
      status: 404,
      path: /telemetry/,
      body: { message: `no ${systemId} in ${siteId}, only ${other}` },
    });
    const client = clientOf(service);
    const error = await failureOf(client.telemetry({ siteId, systemId, startTime: "x", endTime: "y" }));
    client.close();
    assert.equal(error.details.serviceText, `no ${systemId} in ${siteId}, only ***`);
  });

  it("works when the connection breaks or the response never ends", async () => {
    service.fault({ path: /sites$/, reset: true, times: 4 });
    service.fault({ path: /alerts$/, stall: true, times: 2 });
    const client = clientOf(service, { timeoutSeconds: 20 });
    assertSilent(await failureOf(client.sites()));
    const clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const failing = failureOf(client.alerts());
    await passTimeouts(clock, () => service.requestsTo(/alerts$/).length, 2);
    assertSilent(await failing);
    client.close();
  });
});

describe("service text", () => {
  const textOf = (body: unknown, secrets: string[] = [], ids: string[] = []): string | undefined =>
    serviceTextOf(typeof body === "string" ? body : JSON.stringify(body), { secrets, ids });

  for (const body of [
    { message: "too long" },
    { error: { code: 7, message: "too long" } },
    { error: "too long" },
    { error: "invalid_range", error_description: "too long" },
    { errors: [{ detail: "too long" }] },
    { detail: " too\n long " },
    { detail: "too\u0007 \u202elong\u0000" },
    { title: "too long" },
    "too long",
    '"too long"',
  ]) {
    it(`is extracted from ${JSON.stringify(body)}`, () => assert.equal(textOf(body), "too long"));
  }

  for (const body of [
    "",
    "<html>too long</html>",
    '{"message": "too lo',
    {},
    [],
    { message: "" },
    { message: 7 },
    "null",
  ]) {
    it(`is not extracted from ${JSON.stringify(body)}`, () => assert.equal(textOf(body), undefined));
  }

  it("is truncated to 300 characters", () => assert.equal(textOf("too long ".repeat(100))?.length, 300));
  it("is not shown if it contains a secret with special characters, however often that was percent-encoded", () => {
    const secret = "ab+cd/ef=gh&ij?kl#mn%op";
    let encoded = secret;
    for (let times = 0; times < 3; times += 1) {
      encoded = encodeURIComponent(encoded);
      assert.equal(textOf(`not known: ${encoded}`, [secret]), "not known: ***");
    }
  });
  it("keeps the text around a secret", () => {
    assert.equal(textOf("the secret hunter22 is wrong", ["hunter22"]), "the secret *** is wrong");
    assert.equal(textOf("bad header Bearer abc.def"), "bad header Bearer ***");
  });
  it("masks what may be a token, but not the ids of the request", () => {
    const [siteId, token] = ["0b7e0b54-3a1f-4c0c-9a0e-1f2d3c4b5a69", "eyJhbGciOi.J9-x_y/z+w=="];
    assert.equal(textOf(`no site ${siteId}.`, [], [siteId]), `no site ${siteId}.`);
    assert.equal(textOf(`no site /${siteId}/telemetry`, [], [siteId]), `no site /${siteId}/telemetry`);
    assert.equal(textOf(`no site "${siteId}".`), 'no site "***".');
    assert.equal(textOf(`use ${token}, not ${siteId}${token}`, [], [siteId]), "use ***, not ***");
    assert.equal(textOf(encodeURIComponent(`use ${token}`)), undefined);
    assert.equal(textOf("123456789012345 does not fit"), "*** does not fit");
  });
  it("keeps plain words, short numbers, times and names of fields", () => {
    for (const text of [
      "Range exceeds 24 hours",
      "The client_id isn't valid (see the user's settings): contact support!",
      'endTime must be after startTime, at most 24.5 hours (see "limits")',
      "No records after 2026-02-01T00:00:00Z, or the site is in UTC",
      "Not allowed - try again later",
      "Ungültige Anfrage: für den Zähler 7 fehlen Werte",
    ])
      assert.equal(textOf(text), text);
  });
  it("masks everything else, in whatever it may be encoded", () => {
    assert.equal(textOf("50%25 of &quot;caf\\u00e9&#34;"), "*** of ***;");
    assert.equal(textOf("see https://service.example/help?x=1"), "see ***");
    assert.equal(textOf("\\u003cp\\u003e"), undefined);
    assert.equal(textOf("the code 107, 55, 35, 81 is wrong"), "the code *** is wrong");
  });
  it("masks a secret that is cut into pieces", () => {
    const secret = "jcuuQ9vlxkRwdxTqhm";
    assert.equal(textOf("tk0.jcuu tk1.Q9vl tk2.xkRw tk3.dxTq tk4.hm", [secret]), undefined);
    assert.equal(textOf("it is jcuu, q9vl, xkrw, dxtq, hm", [secret]), "it is ***, hm");
    assert.equal(textOf("it is jcu-uQ, 9vl-xk Rw dx Tq hm", [secret]), undefined);
    assert.equal(textOf("it is hu nt er tw o", ["huntertwo"]), undefined);
    assert.equal(textOf("the secret abc is wrong", ["abc"]), "the secret *** is wrong");
    assert.equal(textOf("it is ow tr et nu h", ["huntertwo"]), undefined);
  });
  it("is not shown if it spells a secret with other words between the pieces", () => {
    assert.equal(textOf("it is hun and ter and two", ["huntertwo"]), undefined);
    assert.equal(
      textOf("part 1: jcu, part 2: uQ9, part 3: vlx, part 4: kRw", ["jcuuQ9vlxkRwdxTqhm"]),
      undefined,
    );
    assert.equal(textOf("it is b a a a r d v a r k", ["baaardvark"]), undefined);
    assert.equal(textOf("the hun is not the two", ["huntertwo"]), "the hun is not the two");
  });

  const secrets = {
    short: "k7#Q",
    punctuation: "!$%/",
    accented: "pässwörd-élan",
    "like an encoding": "%41&amp;\\u0041x9",
    "of other letters": "секрет-пароль",
  };
  for (const [name, secret] of Object.entries(secrets)) {
    for (const [encoding, encode] of Object.entries(ENCODINGS)) {
      it(`shows no ${name} secret as ${encoding}`, () => {
        const shown = textOf({ message: `not known: ${encode(secret)}!` }, [secret]) ?? "";
        assert.match(shown, /^(not known: "?\*\*\*[";!]*)?$/);
      });
    }
  }

  it("takes time that grows with its length only", () => {
    const parts = ["\\", "%25", "&amp;", "&#", "%", "a.", "-", "{", "\\u{", "Basic ", "x&", "1 2"];
    for (const part of parts) {
      const body = part.repeat(2 ** 16 / part.length);
      const time = cpuTime(() =>
        textOf(body, ["a secret of some length", "t".repeat(4000)], ["s".repeat(255)]),
      );
      assert.ok(time < 500, `${part}: ${time} ms`);
    }
  });
});
