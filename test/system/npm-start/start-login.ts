// Tests that npm start keeps out other users of the machine, and pages that reach it by DNS rebinding.
import assert from "node:assert/strict";
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { type DemoProcess, startDemoProcess } from "../../support/demo-process";
import { temporaryFolder } from "../../support/temporary";

const STRANGE_HOSTS = ["rebound.example:1880", "127.0.0.1.rebound.example", "localhost@rebound.example"];
const SOCKET = "/dashboard/socket.io/?EIO=4&transport=polling";
/** The first digits of a packet of socket.io: "connect", and the answers to it. */
const [CONNECT, CONNECTED, REFUSED] = ["40", /^40/, /^44/];

interface Answer {
  status: number | undefined;
  body: string;
}

/** A request with any Host header, which fetch does not allow. */
function ask(url: URL, host: string, method = "GET", body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { Host: host } }, (response) => {
      void text(response).then((read) => resolve({ status: response.statusCode, body: read }), reject);
    });
    sent.once("error", reject).end(body);
  });
}

export function describeLogin(started: () => DemoProcess, userDir: string): void {
  let demo: DemoProcess;

  before(() => {
    demo = started();
  });

  const at = (path: string): URL => new URL(path, demo.editorUrl);

  async function connectDashboard(host: string): Promise<string> {
    const { body } = await ask(at(SOCKET), host);
    const { sid } = JSON.parse(body.slice(1)) as { sid: string };
    const session = at(`${SOCKET}&sid=${sid}`);
    await ask(session, host, "POST", CONNECT);
    return (await ask(session, host)).body;
  }

  function logIn(password: string): Promise<Response> {
    const body = {
      client_id: "node-red-editor",
      grant_type: "password",
      scope: "*",
      username: demo.user,
      password,
    };
    return fetch(at("/auth/token"), { method: "POST", body: new URLSearchParams(body) });
  }

  it("shows and deploys no flow without the password", async () => {
    const deploy = { method: "POST", headers: { "Content-Type": "application/json" }, body: "[]" };
    const wrong = { Authorization: "Bearer wrong" };
    for (const init of [
      {},
      deploy,
      { headers: wrong },
      { ...deploy, headers: { ...deploy.headers, ...wrong } },
    ])
      assert.equal((await fetch(at("/flows"), init)).status, 401);
    assert.equal((await logIn("wrong")).ok, false);
  });

  it("lets in anyone with the printed password", async () => {
    assert.equal((await demo.admin("/flows")).status, 200);
    const { access_token: token } = (await (await logIn(demo.password)).json()) as { access_token: string };
    const headers = { Authorization: `Bearer ${token}` };
    assert.equal((await fetch(at("/flows"), { headers })).status, 200);
  });

  it("answers only requests to a loopback name", async () => {
    const { port } = at("/");
    for (const path of ["/", "/auth/login", "/dashboard/"]) {
      for (const host of ["127.0.0.1", "localhost", `LOCALHOST:${port}`, `[::1]:${port}`])
        assert.equal((await ask(at(path), host)).status, 200, `${host}${path}`);
      for (const host of STRANGE_HOSTS)
        assert.equal((await ask(at(path), host)).status, 403, `${host}${path}`);
    }
  });

  it("connects the dashboard only at a loopback name", async () => {
    assert.match(await connectDashboard("localhost"), CONNECTED);
    for (const host of STRANGE_HOSTS) assert.match(await connectDashboard(host), REFUSED, host);
  });

  it("shows the dashboard without a password", async () => {
    assert.equal((await fetch(demo.dashboardUrl)).status, 200);
  });

  it("connects no MQTT client without the password", async () => {
    const { brokerUrl, user: username, password } = demo;
    const connect = (login: object): Promise<unknown> =>
      connectAsync(brokerUrl, { ...login, reconnectPeriod: 0 }, false);
    for (const login of [{}, { username }, { username, password: "wrong" }, { username: "other", password }])
      await assert.rejects(connect(login), /Not authorized|Bad username or password/i, JSON.stringify(login));
  });

  it("lets only the owner read the user directory, and makes a new password on the next start", async () => {
    const older = temporaryFolder();
    writeFileSync(join(older, "flows.json"), "[]");
    chmodSync(older, 0o755);
    const next = await startDemoProcess(older);
    await next.end("SIGINT");
    for (const folder of [userDir, older]) assert.equal(statSync(folder).mode & 0o777, 0o700, folder);
    for (const name of ["flows.json", "flows_cred.json", ".config.runtime.json"])
      assert.equal(statSync(join(userDir, name)).mode & 0o077, 0, name);
    assert.notEqual(next.password, demo.password);
    assert.match(next.password, /^[0-9a-f]{32}$/);
  });
}
