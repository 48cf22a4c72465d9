// Tests the example that writes line protocol: core http request is done on 4xx, too, so only the status code confirms.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import account from "../../nodes/account/account";
import points from "../../nodes/points/points";
import poll from "../../nodes/telemetry-poll/telemetry-poll";
import { translate } from "../support/catalogue";
import { eventually } from "../support/eventually";
import { ROOT } from "../support/package";
import { startService, type TestService } from "../support/service";
import { helper } from "../support/node-red-helper";

interface ExampleNode {
  id: string;
  type: string;
  [property: string]: unknown;
}

const CORE = ["common/20-inject", "common/21-debug", "function/10-switch", "network/21-httprequest"].map(
  (name) => require(`@node-red/nodes/core/${name}.js`) as (RED: NodeAPI) => void,
);

describe("examples: line protocol", () => {
  let service: TestService;
  let database: Server;
  let status = 400;
  const writes: { body: string; status: number }[] = [];

  beforeEach(async () => {
    service = await startService();
    database = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        writes.push({ body, status });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => void database.listen(0, "127.0.0.1", resolve));
  });
  afterEach(async () => {
    await helper.unload();
    await service.close();
    database.close();
  });

  it("sends records again until the database has answered with 2xx", async () => {
    const { port } = database.address() as AddressInfo;
    const example = JSON.parse(
      readFileSync(join(ROOT, "examples/16-line-protocol.json"), "utf8"),
    ) as ExampleNode[];
    const flow = example
      .filter(({ type }) => !["group", "comment"].includes(type))
      .map((node) => {
        if (node.type === "energy-account") return { ...node, service: "live", baseUrl: service.baseUrl };
        if (node.type === "energy-telemetry-poll")
          return {
            ...node,
            siteId: "demo-house",
            siteIdType: "str",
            repeat: 0,
            confirmTimeout: 0.1,
            startFrom: "hours",
            startHours: 1,
          };
        if (node.type === "http request") return { ...node, url: `http://127.0.0.1:${port}/write` };
        return node;
      });
    const modules = [account, poll, points].map((initialize) => (RED: NodeAPI) => {
      initialize(Object.create(RED, { _: { value: translate } }) as NodeAPI);
    });
    const { clientId, clientSecret } = service;
    await helper.load([...CORE, ...modules], flow, {
      "energy-demo-account": { clientId, clientSecret },
    });
    helper.getNode("line-protocol-poll").receive({ payload: "go" });
    const until = (isTrue: () => boolean): Promise<true> =>
      eventually(
        () => JSON.stringify(writes),
        async () => (isTrue() ? true : undefined),
      );
    const countOf = (body: string, of = writes): number => of.filter((write) => write.body === body).length;
    await until(() => writes.some(({ body }) => countOf(body) > 1));
    const [{ body: first } = assert.fail()] = writes;
    assert.match(first, /^energy,siteId=demo-house,systemId=demo-house-1 /);
    status = 204;
    const taken = (): typeof writes => writes.filter((write) => write.status === 204);
    const refused = [...new Set(writes.map(({ body }) => body))];
    await until(() => refused.every((body) => countOf(body, taken()) > 0));
  });
});
