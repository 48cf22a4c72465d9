// Tests that diagnostics hold nothing that was planted in settings, messages or answers, in any encoding.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import helper from "node-red-node-test-helper";
import { ACCOUNT, NODE, reportOf, SITE } from "../../../../support/diagnostics";
import { ENCODINGS } from "../../../../support/encodings";
import { startNode } from "../../../../support/flow";
import { type Fault, startService } from "../../../../support/service";

/** Ways to fail that the client does not retry, or retries at once. */
const FAULTS: Record<string, (canary: string) => Fault> = {
  "an error with a text": (canary) => ({ status: 400, body: { message: `no ${canary} here` } }),
  "a missing permission": (canary) => ({ status: 403, body: canary }),
  "an unknown id": (canary) => ({ status: 404, body: { error: { code: canary, message: canary } } }),
  "a request that cannot be processed": (canary) => ({ status: 422, body: { detail: canary } }),
  "a refused token": (canary) => ({ status: 401, body: { message: canary } }),
  "a redirect": (canary) => ({ status: 302, headers: { location: `https://${canary}.example/` } }),
  "an HTML page": (canary) => ({ body: `<h1>${canary}</h1>`, contentType: "text/html" }),
  "something else than a list": (canary) => ({ body: { [canary]: canary } }),
  "a fault of the service": (canary) => ({
    status: 503,
    headers: { "retry-after": "0" },
    body: { message: canary },
  }),
  // The last one: from then on, the client sends nothing.
  "a rate limit": (canary) => ({
    status: 429,
    headers: { "retry-after": "3000" },
    body: { message: canary },
  }),
};

const NODES: Record<string, Record<string, unknown>> = {
  "site-list": {},
  "telemetry-poll": { store: "file" },
  "rgm-read": { mode: "new", store: "context:default" },
  "latest-value": {},
  "site-info": {},
  alerts: { scope: "site", output: "changes" },
  history: {},
};

describe("diagnostics with planted secrets", () => {
  const planted = (name: string): string => `${name}-${randomUUID()}`;

  it("hold none of them in any encoding, whatever fails", async () => {
    const credentials = { clientId: planted("client"), clientSecret: planted("secret") };
    const service = await startService({ credentials });
    const said = planted("said");
    const [token, variable, header, version] = [
      planted("token"),
      planted("V"),
      planted("header"),
      planted("version"),
    ];
    const [user, password, tab] = [planted("user"), planted("password"), planted("tab")];
    const [site, system, label, place] = [
      planted("site"),
      planted("system"),
      planted("label"),
      planted("msg"),
    ];
    process.env["DIAGNOSTICS_CANARY"] = variable;
    const account = {
      name: label,
      baseUrl: service.baseUrl,
      apiVersion: version,
      versionHeader: header,
      proxy: "the-proxy",
    };
    const others = Object.entries(NODES).map(([name, properties]) => ({
      id: `id-of-${name}-${tab}`,
      type: `energy-${name}`,
      name: label,
      z: "tab",
      account: ACCOUNT,
      siteId: site,
      systemId: name === "telemetry-poll" ? "${DIAGNOSTICS_CANARY}" : system,
      wires: [[], []],
      ...properties,
    }));
    const node = await startNode(
      "energy-latest-value",
      { siteId: SITE, path: "storage.stateOfCharge" },
      {
        account,
        credentials,
        others: [
          ...others,
          {
            id: "the-proxy",
            type: "http proxy",
            url: `http://${user}.example:3128`,
            noproxy: [],
            credentials: { username: user, password },
          },
        ],
      },
    );
    try {
      const everything: string[] = [];
      const collect = async (): Promise<void> => {
        for (const { id } of others) everything.push(await reportOf(`nodes/${id}`));
        everything.push(await reportOf(`nodes/${NODE}`), await reportOf(`accounts/${ACCOUNT}`));
      };
      /** Each node fails, and so does the one whose message names the site. */
      const run = async (): Promise<void> => {
        const message = { payload: { startTime: place, endTime: place }, siteId: place, topic: place };
        for (const { id } of others) helper.getNode(id).receive({ ...message });
        node.input({ startTime: place });
        for (let count = 0; count <= others.length; count += 1) await node.caught();
      };
      // What is remembered of runs that succeed is searched, too.
      helper.getNode(others[0]?.id ?? "").receive({});
      node.input({});
      await node.output();
      await collect();
      for (const fault of Object.values(FAULTS)) {
        service.clearFaults();
        service.fault({ path: /auth$/, times: Infinity, body: { access_token: token } });
        service.fault({ ...fault(said), path: /\/v1\/(sites|alerts)/, times: Infinity });
        await run();
        await collect();
      }
      service.clearFaults();
      service.fault({ path: /auth$/, times: Infinity, status: 401, body: { message: said, token } });
      await node.redeploy({}, { timeout: 20 });
      await run();
      await collect();

      const text = everything.join("\n").toLowerCase();
      for (const expected of [
        "code energy_http",
        "energy_input",
        "energy_rate_limit",
        "energy_response",
        "site id-",
      ])
        assert.ok(text.includes(expected), expected);
      const inSettings = [
        ...Object.values(credentials),
        header,
        version,
        variable,
        user,
        password,
        site,
        system,
      ];
      const ofService = [said, token, SITE, "Demo house", "Berlin", new URL(service.baseUrl).host];
      const secrets = [...inSettings, ...ofService, label, place, tab, ACCOUNT];
      for (const secret of secrets) {
        for (const [name, encode] of Object.entries(ENCODINGS)) {
          const position = text.indexOf(encode(secret).toLowerCase());
          const context = text.slice(Math.max(0, position - 80), position + 80);
          assert.equal(position, -1, `${secret} as ${name}: ${context}`);
        }
      }
    } finally {
      delete process.env["DIAGNOSTICS_CANARY"];
      await node.stop();
      await service.close();
    }
  });
});
