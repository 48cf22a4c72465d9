// Tests with planted secrets: whatever the service repeats in whichever encoding, no secret appears anywhere.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import helper from "node-red-node-test-helper";
import { echoing, PLACES } from "../../../support/echoes";
import { ENCODINGS } from "../../../support/encodings";
import { type NodeUnderTest, startNode } from "../../../support/flow";
import { textsIn, textsInFolder } from "../../../support/leaves";
import { startService, type TestService } from "../../../support/service";

const SECRETS: Record<string, string> = {
  short: "k7#Q",
  long: `${randomUUID()}/${randomUUID()}`,
  "with the characters of regular expressions": "^a(b|c)*[d-z]+\\k<1>.{9}$",
  "with quotes": `he"l'l\`o\\"9z`,
  "with letters that are not ASCII": "pässwörd-Ωμέγα-🔑",
  "with references that are none": "p$(x)q${a b}-77",
  "with percent signs": "50%25of%zz%C3%A4!",
  "with entities": "&lt;a&#65;b&amp;c9",
};

const COUNTS = { encodings: Object.keys(ENCODINGS).length, secrets: Object.keys(SECRETS).length };

/** Nodes that call the service; what each makes of an answer differs. */
const NODES: Record<string, Record<string, unknown>> = {
  "telemetry-poll": { siteId: "demo-house", store: "file" },
  "rgm-read": { siteId: "demo-house", mode: "new", store: "context:default" },
  "latest-value": { siteId: "demo-house" },
  "site-info": { siteId: "demo-house" },
  alerts: { output: "changes" },
  history: { siteId: "demo-house" },
};
const ALL = ["site-list", ...Object.keys(NODES)];
const RANGE = { startTime: "2026-01-01T00:00:00Z", endTime: "2026-01-01T01:00:00Z" };

/** A list of records may be read in part, and a site may have any shape: what is sent then is the service's own. */
const READABLE = new Set(["site-list", "site-info", "alerts"]);

/** Too unlike a token to be recognized by its looks. */
const UNKNOWN_AS = new Set(["spaced out", "decimal entities", "hex in groups", "a list of bytes"]);

const nodeRed = createRequire(require.resolve("node-red"));

/** From which the editor exports flows. */
const runtime = nodeRed("@node-red/runtime/lib/nodes") as {
  getFlows(): unknown;
  getCredentialDefinition(type: string): Record<string, { type: string }>;
};

const { hooks } = nodeRed("@node-red/util") as {
  hooks: { add(name: string, hook: (event: unknown) => void): void; remove(name: string): void };
};

/** Resolves when so many messages are done, whether or not they failed. */
function messagesDone(count: number): Promise<void> {
  let open = count;
  return new Promise((resolve) => {
    hooks.add("onComplete.canaries", () => {
      open -= 1;
      if (open > 0) return;
      hooks.remove("onComplete.canaries");
      resolve();
    });
  });
}

function runtimeNode(name: string): ReturnType<typeof helper.getNode> {
  return helper.getNode(name === "site-list" ? "node-under-test" : name);
}

describe("planted secrets", () => {
  let service: TestService;
  let node: NodeUnderTest | undefined;

  afterEach(async () => {
    await node?.stop();
    node = undefined;
    await service.close();
  });

  async function start(clientSecret: string): Promise<NodeUnderTest> {
    const credentials = { clientId: randomUUID(), clientSecret };
    service = await startService({ credentials });
    const others = Object.entries(NODES).map(([name, properties]) => ({
      id: name,
      type: `energy-${name}`,
      z: "tab",
      account: "the-account",
      wires: [["out-1"], ["out-2"]],
      ...properties,
    }));
    node = await startNode(
      "energy-site-list",
      {},
      {
        account: { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" },
        credentials,
        others,
      },
    );
    return node;
  }

  function trigger(names: string[]): void {
    for (const name of names) runtimeNode(name).receive({ payload: RANGE });
  }

  async function everythingOf(started: NodeUnderTest): Promise<string> {
    const contexts = ALL.map((name) => {
      const context = runtimeNode(name).context();
      return [context, context.flow, context.global].map((scope) =>
        scope.keys().map((key) => scope.get(key)),
      );
    });
    const messages = [1, 2, 3].flatMap((port) => started.sent(port));
    // A spy on the prototype: it has the calls of all nodes.
    const statuses = (runtimeNode("alerts").status as unknown as { args: unknown }).args;
    const kept = [
      messages,
      started.caughtSoFar(),
      started.completedSoFar(),
      contexts,
      helper.log().args,
      statuses,
    ];
    const shown = [...kept, runtime.getFlows()].flatMap((value) => textsIn(value));
    return [...shown, ...(await textsInFolder(started.userDir))].join("\n").toLowerCase();
  }

  function assertAbsent(secrets: string[], everything: string, encodings = Object.keys(ENCODINGS)): void {
    for (const secret of secrets) {
      for (const encoding of encodings) {
        const canary = ENCODINGS[encoding]?.(secret).toLowerCase() ?? "";
        const position = everything.indexOf(canary);
        const context = everything.slice(Math.max(0, position - 80), position + 80);
        assert.equal(position, -1, `${secret} as ${encoding}: ${context}`);
      }
    }
  }

  for (const [index, [name, secret]] of Object.entries(SECRETS).entries()) {
    it(`appear nowhere when a data endpoint repeats one ${name}`, async () => {
      const started = await start(secret);
      // What is remembered of a run that succeeds is searched, too.
      const done = messagesDone(ALL.length);
      trigger(ALL);
      await done;
      assert.deepEqual(started.caughtSoFar(), []);
      const [token, newToken] = [`tok.${randomUUID()}`, `new.${randomUUID()}`];
      const header = `Basic ${Buffer.from(`${service.clientId}:${secret}`).toString("base64")}`;
      const places = Object.keys(PLACES);
      // Each encoding with one of the secrets, in one of the places; which others are recognized, tests of redaction show.
      for (const [round, [encoding, encode]] of Object.entries(ENCODINGS).entries()) {
        if (Math.floor((round / COUNTS.encodings) * COUNTS.secrets) !== index) continue;
        const place = places[round % places.length] ?? "";
        service.clearFaults();
        service.fault(echoing(place, encode(secret), /./));
        service.fault(echoing(place, encode(`Bearer ${token}`), /\/telemetry/));
        service.fault(echoing(place, encode(header), /rgm-telemetry/));
        if (!UNKNOWN_AS.has(encoding))
          service.fault(echoing("message", `use ${encode(newToken)}`, /\/alerts$/));
        service.fault({ path: /auth$/, times: Infinity, body: { access_token: token } });
        service.revokeTokens();
        const names = place === "a record without times" ? ALL.filter((each) => !READABLE.has(each)) : ALL;
        trigger(names);
        for (const _name of names) await started.caught();
      }
      const everything = await everythingOf(started);
      assertAbsent([secret, token, header, Buffer.from(header).toString("base64")], everything);
      assertAbsent(
        [newToken],
        everything,
        Object.keys(ENCODINGS).filter((each) => !UNKNOWN_AS.has(each)),
      );
      for (const shown of ["use ***", '"nodeid":"telemetry-poll"'])
        assert.ok(everything.includes(shown), shown);
    });

    it(`appear nowhere when the token endpoint repeats one ${name}`, async () => {
      const newToken = `new.${randomUUID()}`;
      const echo = Object.values(ENCODINGS)
        .map((encode) => `${encode(secret)} ${encode(newToken)}`)
        .join(" ");
      for (const place of Object.keys(PLACES).filter((_place, number) => number === index)) {
        const started = await start(secret);
        service.fault(echoing(place, `unknown client ${echo}`, /./));
        trigger(ALL);
        for (const _name of ALL) await started.caught();
        const everything = await everythingOf(started);
        assertAbsent([secret, newToken], everything);
        assert.doesNotMatch(everything, /unknown client/);
        await started.stop();
        await service.close();
      }
    });
  }

  for (const secret of ["$(s3cret x)", "${s3cret-x}", "a${s3cret_x}b", "${S3CRET_X}"]) {
    it(`appear in no error when one reads like the reference ${secret}`, async () => {
      const started = await start(secret);
      trigger(ALL);
      for (const _name of ALL) await started.caught();
      const everything = await everythingOf(started);
      assert.match(everything, /client secret refers to an environment variable that is not set/);
      assert.doesNotMatch(everything, /s3cret/);
      assert.equal(service.requests.length, 0);
    });
  }

  it("are not sent to the editor", async () => {
    await start("not used");
    const { clientSecret } = runtime.getCredentialDefinition("energy-account");
    assert.equal(clientSecret?.type, "password");
  });
});
