// A hostile service: whatever it answers, every call settles with data or with an error of ours that shows no secret.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import type { ServiceClient } from "../../src/client/service-client";
import { EnergyError } from "../../src/errors";
import { MAX_REQUESTS } from "../../src/limits";
import { TurnWatch } from "../support/cpu-time";
import { casesOf } from "../support/fuzz";
import { startService, type TestService } from "../support/service";
import { clientOf, DAY } from "./clients";

/** Longer than any answer takes but one that never ends, which the timeout of the client ends. */
const TIMEOUT_SECONDS = 0.1;

/** Far above 50 ms, because collecting garbage is work, too. In milliseconds. */
const LONGEST_HOLD = 1500;

/** Stand for what the service has received, and echoes. */
const ECHOES = { header: "@header@", secret: "@secret@" };

const READS: Record<string, (client: ServiceClient) => Promise<unknown>> = {
  sites: (client) => client.sites({ onUnreadable: () => undefined }),
  site: (client) => client.site("a"),
  telemetry: (client) => client.telemetry({ siteId: "a", systemId: "b", ...DAY }),
  "telemetry without a system": (client) => client.telemetry({ siteId: "a", ...DAY }),
  rgm: (client) => client.rgmTelemetry({ siteId: "a", systemId: "b", ...DAY }),
  alerts: (client) => client.alerts(),
  "site alerts": (client) => client.siteAlerts("a"),
};

interface Answer {
  status: number;
  headers: [string, string][];
  body: Buffer;
  encoding: keyof typeof ENCODINGS;
  end: "whole" | "cut" | "never";
}

const ENCODINGS = {
  none: (body: Buffer) => body,
  gzip: (body: Buffer) => gzipSync(body),
  br: (body: Buffer) => brotliCompressSync(body),
  deflate: (body: Buffer) => deflateSync(body),
  /** Says that it is compressed, and is not. */
  false: (body: Buffer) => body,
};

/** Fields that the client looks for, with values of any kind. */
const FIELDS = [
  "data sites items site systems devices siteId systemId id systemGeneration startTime endTime",
  "access_token expires_in error errors message next links nextPageToken nextLink page totalPages",
  "offset limit total hasMore cursor __proto__ constructor hasOwnProperty toString then toJSON",
].flatMap((names) => names.split(" "));

/** Any JSON, in which secrets may be echoed. */
const { value: JSON_VALUE } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom(
        null,
        true,
        false,
        "",
        "2026-02-01T00:00:00Z",
        "2026-02-01T00:05:00Z",
        "/v1/alerts?page=2",
      ),
      fc.constantFrom(ECHOES.header, ECHOES.secret, `you sent ${ECHOES.header}`),
      fc.double(),
      // Any code points. Not a string of the unit "binary", which lists them all first, for seconds.
      fc
        .array(fc.integer({ min: 0, max: 0x10_ff_ff }), { maxLength: 300 })
        .map((points) => String.fromCodePoint(...points)),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), fc.string()), tie("value")), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
  ),
}));

const MADE_UP: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }).map((depth) => "[".repeat(depth)),
  fc.integer({ min: 1, max: 200 }).map((depth) => `{"data":${"[".repeat(depth)}${"]".repeat(depth)}}`),
  fc.integer({ min: 1, max: 50_000 }).map((count) => `{"data":[${"{},".repeat(count)}{}]}`),
  fc.constantFrom(
    "",
    "null",
    "\uFEFF[]",
    '{"data": [',
    "<html>",
    '{"__proto__": {"data": []}}',
    "[[]",
    "1e999",
  ),
);

const BODY: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 6, arbitrary: JSON_VALUE.map((json) => Buffer.from(JSON.stringify(json) ?? "")) },
  { weight: 2, arbitrary: MADE_UP.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) },
);

/** Any Latin-1 text that can be a header. */
const HEADER_TEXT = fc
  .array(
    fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f),
    { maxLength: 60 },
  )
  .map((codes) => String.fromCharCode(...codes));

const HEADER: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(
    fc.constantFrom("retry-after", "date", "age", "link", "content-type", "location", "__proto__"),
    HEADER_TEXT,
  ),
  fc.tuple(fc.constant("retry-after"), fc.constantFrom("0", "61", "86400", "99999999999999999999", "-1")),
  fc.tuple(
    fc.constant("link"),
    fc.constantFrom(
      '</v1/alerts?page=2>; rel="next"',
      '<//user:password@127.0.0.1/v1>; rel="next"',
      '<http://[>; rel="next"',
      "<".repeat(5000),
    ),
  ),
);

const ANSWER: fc.Arbitrary<Answer> = fc.record({
  status: fc.oneof(
    { weight: 4, arbitrary: fc.constant(200) },
    { weight: 2, arbitrary: fc.constantFrom(204, 302, 304, 401, 403, 404, 422, 429, 500, 503) },
    { weight: 1, arbitrary: fc.integer({ min: 200, max: 999 }) },
  ),
  headers: fc.array(HEADER, { maxLength: 3 }),
  body: BODY,
  encoding: fc.constantFrom("none", "none", "gzip", "br", "deflate", "false"),
  end: fc.oneof(
    { weight: 30, arbitrary: fc.constant("whole" as const) },
    { weight: 2, arbitrary: fc.constant("cut" as const) },
    { weight: 1, arbitrary: fc.constant("never" as const) },
  ),
});

function send({ status, headers, body, encoding, end }: Answer, response: ServerResponse): void {
  for (const [name, value] of headers) response.setHeader(name, value);
  if (encoding !== "none") response.setHeader("content-encoding", encoding === "false" ? "gzip" : encoding);
  response.writeHead(status);
  const bytes = ENCODINGS[encoding](body);
  if (end === "whole") response.end(bytes);
  else response.write(bytes, () => end === "cut" && response.destroy());
}

/** The answer, with what it echoes filled in. */
function echoing(answer: Answer, authorization: string, secret: string): Answer {
  const text = answer.body
    .toString("latin1")
    .replaceAll(ECHOES.header, authorization)
    .replaceAll(ECHOES.secret, secret);
  return { ...answer, body: Buffer.from(text, "latin1") };
}

describe("a hostile service", () => {
  let service: TestService;
  let clients = 0;

  beforeEach(async () => (service = await startService()));
  afterEach(() => service.close());

  /** The outcome of one call, and the secrets that were sent. Each request gets the next answer; the last one is repeated. */
  async function outcomeOf(
    read: string,
    answers: readonly Answer[],
    isTokenHostile: boolean,
  ): Promise<{ outcome: unknown; secrets: string[]; requests: number }> {
    // Without a token from an earlier run.
    const clientId = isTokenHostile ? `client-${++clients}` : service.clientId;
    const { clientSecret } = service;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
    const secrets = [clientSecret, basic];
    let count = 0;
    service.clearFaults();
    service.fault({
      path: isTokenHostile ? /^/ : /^(?!.*\/auth$)/,
      times: Infinity,
      respond: ({ headers: { authorization = "" } }, response) => {
        // Tokens that this service made up may be any text.
        if (!isTokenHostile) secrets.push(authorization.replace("Bearer ", ""));
        const answer = answers[Math.min(count++, answers.length - 1)];
        if (answer) send(echoing(answer, authorization, clientSecret), response);
      },
    });
    const client = clientOf(
      { ...service, clientId },
      { timeoutSeconds: TIMEOUT_SECONDS, retryDelaysMs: [0] },
    );
    const call = READS[read]?.(client) ?? Promise.reject(new Error(read));
    const outcome = await call.catch((error: unknown) => error);
    client.close();
    return { outcome, secrets, requests: count };
  }

  it("gets no more than data or an error of ours, without a secret", async function () {
    this.timeout(600_000);
    const watch = new TurnWatch();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(READS)),
        fc.array(ANSWER, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (read, answers, isTokenHostile) => {
          const { outcome, secrets, requests } = await outcomeOf(read, answers, isTokenHostile);
          assert.ok(requests <= MAX_REQUESTS, `${requests} requests`);
          if (!(outcome instanceof Error)) {
            assert.equal(typeof outcome, "object");
            return;
          }
          assert.ok(outcome instanceof EnergyError, inspect(outcome));
          assert.match(
            outcome.code,
            /^ENERGY_(AUTH|HTTP|RATE_LIMIT|TIMEOUT|NETWORK|RESPONSE|SYSTEM_REQUIRED)$/,
          );
          const shown = `${outcome.message} ${JSON.stringify(outcome.details)} ${inspect(outcome)}`;
          for (const secret of secrets) assert.ok(!shown.includes(secret), shown);
        },
      ),
      { numRuns: casesOf(20), endOnFailure: false },
    );
    watch.stop();
    const held = watch.longest();
    assert.ok(held < LONGEST_HOLD, `the event loop was held for ${Math.round(held)} ms`);
  });
});
