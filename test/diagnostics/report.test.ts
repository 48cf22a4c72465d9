// Tests for the text of a report: what it says of a node and its account, and what it advises.
import assert from "node:assert/strict";
import type { ClientDiagnostics } from "../../src/client/service-client";
import { hash } from "../../src/diagnostics/privacy";
import type { AccountPart, FailurePart, NodePart, ReportParts } from "../../src/diagnostics/report";
import { report } from "../../src/diagnostics/report";
import { errorText, type ErrorText } from "../../src/errors";
import { HOUR, MINUTE } from "../../src/time-units";

const NOW = Date.UTC(2026, 5, 10, 12);
const CLIENT: ClientDiagnostics = {
  requests: [
    { what: errorText("whatToken"), at: NOW - 90_000, duration: 120, attempt: 1, outcome: 200 },
    {
      what: errorText("whatTelemetry", { siteId: "S-1" }),
      at: NOW - 80_000,
      duration: 30_000,
      attempt: 2,
      outcome: "ENERGY_TIMEOUT",
    },
  ],
  lastSuccess: NOW - 90_000,
  token: { age: 90_000, remaining: 55 * MINUTE, wasAccepted: true },
  limiter: { inFlight: 1, waiting: 3, spacing: 0 },
  isClockSure: true,
};

const account = (changes: Partial<AccountPart> = {}): AccountPart => ({
  id: "account-1",
  settings: { service: "live" },
  client: CLIENT,
  ...changes,
});

const node = (changes: Partial<NodePart> = {}): NodePart => ({
  id: "node-1",
  type: "energy-telemetry-poll",
  settings: { account: "set", repeat: "15" },
  runs: { count: 1, failures: [], lastSuccess: NOW - MINUTE },
  series: [],
  statistics: [],
  ...changes,
});

const failure = (text: ErrorText, changes: Partial<FailurePart> = {}): FailurePart => ({
  at: NOW - 1000,
  code: "ENERGY_HTTP",
  text,
  ...changes,
});

function textOf(parts: Partial<ReportParts>): string {
  const versions = { package: "0.1.0", "Node-RED": "4.1.0", "Node.js": "v22.9.0", platform: "linux arm64" };
  return report({ at: NOW, versions, ...parts });
}

const failed = (...failures: FailurePart[]): Partial<NodePart> => ({ runs: { count: 1, failures } });

describe("a diagnostics report", () => {
  it("begins with what to do, and names all versions", () => {
    const text = textOf({ account: account() });
    assert.match(text, /^### Diagnostics, 2026-06-10T12:00:00\.000Z\n/);
    assert.match(text, /#### What to do\n\n- Nothing looks wrong/);
    for (const line of ["package: 0.1.0", "Node-RED: 4.1.0", "Node.js: v22.9.0", "platform: linux arm64"])
      assert.ok(text.includes(`- ${line}\n`), line);
  });

  it("says how old everything of an account is", () => {
    const text = textOf({ account: account() });
    for (const line of [
      "last success: 2026-06-10T11:58:30.000Z, 1 min 30 s ago",
      "token: (age 1 min 30 s, remaining 55 min, was accepted true)",
      "limiter: (in flight 1, waiting 3, spacing 0 ms)",
      "is clock sure: true",
      `what Telemetry of site ${hash("S-1")} [whatTelemetry], at 2026-06-10T11:58:40.000Z, 1 min 20 s ago, duration 30 s, attempt 2, outcome ENERGY_TIMEOUT`,
    ])
      assert.ok(text.includes(`- ${line}\n`), line);
  });

  it("says how the service slows the account down, and by how much the clock is wrong", () => {
    const limiter = { inFlight: 0, waiting: 2, spacing: 4000, pause: { remaining: 70_000, status: 429 } };
    const client = { ...CLIENT, limiter, clockCorrection: -3 * HOUR };
    const text = textOf({ account: account({ client }) });
    assert.match(text, /waiting 2, spacing 4 s, pause \(remaining 1 min 10 s, status 429\)/);
    assert.match(text, /clock correction: -3 h\n/);
    assert.match(text, /- The clock is 3 h ahead\./);
    assert.match(text, /- The service gets too many requests/);
  });

  it("says that the service fails for all sites", () => {
    const breaker = { mode: "open", code: "ENERGY_HTTP", status: 503 } as const;
    const client = { ...CLIENT, limiter: { inFlight: 0, waiting: 0, spacing: 0, breaker } };
    const text = textOf({ account: account({ client }) });
    const line = "breaker (mode open, code ENERGY_HTTP, status 503)";
    assert.ok(text.includes(line), text);
  });

  it("shows at most 50 series", () => {
    const series = Array.from({ length: 60 }, (_, index) => ({
      address: { siteId: `Garden Street ${index}` },
      summary: undefined,
    }));
    const text = textOf({ node: node({ series }), account: account() });
    assert.ok(text.includes(hash("Garden Street 49")));
    assert.ok(!text.includes(hash("Garden Street 50")));
    assert.match(text, /- 10 more\n/);
  });

  it("shows where each series stands, with its gaps, hashed", () => {
    const gap = {
      start: NOW - 5 * HOUR,
      end: NOW - 4 * HOUR,
      noticed: HOUR,
      nextRequest: NOW + MINUTE,
      pause: MINUTE,
    };
    const summary = {
      cursor: NOW - 10 * MINUTE,
      owed: { start: NOW - 10 * MINUTE, end: NOW + 5 * MINUTE },
      gaps: [gap, { ...gap, start: NOW - 3 * HOUR, end: NOW - 2 * HOUR, noticed: undefined }],
      watched: 3 * HOUR,
      givenUp: [{ start: NOW - 90 * HOUR, end: NOW - 89 * HOUR }],
      unconfirmed: 7,
    };
    const series = [
      { address: { siteId: "Garden Street 5", systemId: "SYS" }, summary },
      { address: { siteId: "Garden Street 5", systemId: undefined }, summary: undefined },
    ];
    const text = textOf({ node: node({ series }), account: account() });
    const gap1 =
      "start 2026-06-10T07:00:00.000Z, 5 h ago, end 2026-06-10T08:00:00.000Z, 4 h ago, noticed 1 h";
    for (const line of [
      `- address (site id ${hash("Garden Street 5")}, system id ${hash("SYS")}), summary (cursor 2026-06-10T11:50:00.000Z, 10 min ago, `,
      "owed (start 2026-06-10T11:50:00.000Z, 10 min ago, end 2026-06-10T12:05:00.000Z, in 5 min)",
      `gaps ((${gap1}, next request 2026-06-10T12:01:00.000Z, in 1 min, pause 1 min); (`,
      "watched 3 h",
      "given up ((start 2026-06-06T18:00:00.000Z, 3 d 18 h ago, ",
      "unconfirmed 7)\n",
      `- address (site id ${hash("Garden Street 5")})\n`,
    ])
      assert.ok(text.includes(line), `${line} in ${text}`);
    assert.match(text, /- Records wait for confirmation/);
    assert.match(text, /- Gaps were given up/);
    assert.doesNotMatch(text, /Garden|SYS/);
  });

  it("gives errors in our own words, with ids hashed and without what the service says", () => {
    const what = errorText("whatTelemetry", { siteId: "S-1" });
    const text = errorText("serviceFailed", { what, status: 503 });
    const said = errorText("serviceSays", { text, said: "<b>Mr Miller's house @S-1</b>" });
    const systems = errorText("systemRequired", { siteId: "S-1", systems: "A-1, B-2" });
    const reason = errorText("refusedConnection");
    const network = errorText("noConnection", { route: "api.example.com", reason, code: "ECONNREFUSED" });
    const shown = textOf({
      node: node(
        failed(
          failure(said, { statusCode: 503 }),
          failure(systems, { code: "ENERGY_SYSTEM_REQUIRED", address: { siteId: "S-1" } }),
          failure(network, { code: "ENERGY_NETWORK" }),
          failure(errorText("internal", { reason: "token xyz" }), {
            code: "ENERGY_INTERNAL",
            origin: ["TypeError", "src/a.ts:1:2"],
          }),
        ),
      ),
    });
    assert.match(shown, /code ENERGY_HTTP, .*\[serviceFailed\], status code 503/);
    assert.ok(
      shown.includes(`The service failed (503). Try again later. (Telemetry of site ${hash("S-1")})`),
    );
    assert.ok(shown.includes(`: ${hash("A-1")}, ${hash("B-2")}.`));
    assert.ok(shown.includes(`Connection refused. Check the base URL, and that the service is running.`));
    assert.match(shown, /\(ECONNREFUSED, id-/);
    assert.match(shown, /origin \(TypeError; src\/a\.ts:1:2\)/);
    assert.doesNotMatch(shown, /Miller|S-1|A-1|example\.com|xyz/);
  });

  it("advises what the text of an error says, with ids hashed", () => {
    const what = errorText("whatSite", { siteId: "S-1" });
    const missing = node(failed(failure(errorText("notFoundPc1", { what }), { statusCode: 404 })));
    const client = { ...CLIENT, requests: [] };
    const text = textOf({ node: missing, account: account({ client }) }).replaceAll(/\n /g, " ");
    const advice = `- Not found (404). Check the id. For a PC1 site, set Systems in the account to PC1`;
    assert.ok(text.includes(advice), text);
  });

  it("advises what the last error of the account says, until a request succeeds", () => {
    const failure = errorText("noConnection", {
      route: "api.example.com",
      reason: errorText("certificateSelfSigned"),
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
    const { failure: _none, ...client } = CLIENT;
    const text = textOf({ account: account({ client: { ...client, failure } }) });
    assert.match(
      text,
      /What to do\n\n- Self-signed certificate\. Add it to a TLS configuration of the account/,
    );
    assert.doesNotMatch(text, /example/);
    assert.match(textOf({ account: account({ client }) }), /Nothing looks wrong/);
  });

  it("says why there is no site", () => {
    const client = { ...CLIENT, noSites: errorText("noSites") };
    const text = textOf({ account: account({ client }) });
    assert.match(text, /- No site is visible to these credentials\. Ask your provider\./);
  });

  it("advises nothing on failures before the last success", () => {
    const text = errorText("whatSites");
    const runs = { count: 3, failures: [failure(text, { at: NOW - 2000 })], lastSuccess: NOW - 1000 };
    const client = { ...CLIENT, requests: [] };
    const shown = textOf({ node: node({ runs }), account: account({ client }) });
    assert.match(shown, /- Nothing looks wrong at this moment\./);
    assert.match(shown, /#### Last errors/);
  });

  it("says what makes a node run that has not, if it can have a schedule or not", () => {
    const idle = { runs: { count: 0, failures: [] } };
    const advice = (settings: NodePart["settings"]): string | undefined =>
      textOf({ node: node({ settings, ...idle }), account: account() }).split("\n")[6];
    const start = "- The node has not run since it was started";
    assert.equal(
      advice({ account: "not set" }),
      `${start}, and has no schedule. Send it a message, or set Repeat every.`,
    );
    assert.equal(advice({}), `${start}. Send it a message.`);
  });

  it("says why an account has no connection, and that a node has none", () => {
    const problem = failure(errorText("baseUrlMissing"), { code: "ENERGY_CONFIG" });
    const { client: _client, ...rest } = account({ problem });
    const text = textOf({ account: rest });
    assert.match(text, /- problem: \(.*No base URL\. Enter the URL/);
    assert.match(text, /- No base URL\. Enter the URL/);
    assert.match(textOf({ node: node() }), /- No account\. Choose one in the node/);
  });

  it("hides every text that it does not know, wherever it comes from", () => {
    const odd = { ...CLIENT.limiter, surprise: { why: "Garden Street 5" } };
    const text = textOf({ account: account({ client: { ...CLIENT, limiter: odd } }) });
    assert.ok(text.includes(`surprise (why ${hash("Garden Street 5")})`), text);
    assert.doesNotMatch(text, /Garden/);
  });
});

describe("the hashes of a report", () => {
  it("are the same for the same id", () => {
    assert.equal(hash("S-1"), hash("S-1"));
    assert.notEqual(hash("S-1"), hash("S-2"));
    assert.match(hash("S-1"), /^id-[0-9a-f]{8}$/);
  });
});
