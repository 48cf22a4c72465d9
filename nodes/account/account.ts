// The account: the credentials and settings of a connection, which is created when a node first needs it.
import type { Node, NodeAPI, NodeDef } from "node-red";
import type { CorrectedClock } from "../../src/clock";
import { type ConnectionSettings, verifiesServer } from "../../src/client/connection";
import { errorText } from "../../src/errors";
import type { DemoService } from "../../src/demo";
import { type AccountNode, accountClock } from "../shared/runtime/account";
import { correctionText } from "../shared/runtime/clock-correction";
import { textOf } from "../shared/runtime/public-error";
import { type AccountDef, type Credentials, connectionSettings, demoSettings } from "./account-settings";
import type { AccountConnection } from "./account-connection";
import { CredentialOrigins } from "./credential-origin";

type AccountConfig = NodeDef & AccountDef;

export default function register(RED: NodeAPI): void {
  const origins = new CredentialOrigins(RED);

  function Account(this: Node<Credentials> & AccountNode, config: AccountConfig): void {
    RED.nodes.createNode(this, config);
    const isDemo = config.service === "demo";
    let connection: Promise<AccountConnection> | undefined;
    let demo: DemoService | undefined;
    let serviceClock: CorrectedClock | undefined;

    const settings = async (): Promise<ConnectionSettings> => {
      if (!isDemo) {
        const checked = connectionSettings(RED, this, config);
        await origins.check(this, { ...checked, entered: this.credentials.origin });
        return checked;
      }
      // Loaded only in demo mode.
      const {
        DEMO_CREDENTIALS,
        startDemoService,
      }: typeof import("../../src/demo") = require("../../src/demo");
      demo ??= await startDemoService();
      return demoSettings(RED, this, config, { baseUrl: demo.baseUrl, ...DEMO_CREDENTIALS });
    };
    const connect = async (): Promise<AccountConnection> => {
      const checked = await settings();
      const { connectAccount }: typeof import("./account-connection") = require("./account-connection");
      const warn = (correction: number): void => this.warn(textOf(RED, correctionText(correction)));
      const established = connectAccount(checked, warn);
      serviceClock = established.client.clock;
      if (checked.baseUrl.startsWith("https:") && !verifiesServer(checked))
        this.warn(textOf(RED, errorText("tlsUnverified")));
      return established;
    };
    const connected = (): Promise<AccountConnection> => {
      connection ??= connect().catch((error: unknown) => {
        // Don't cache the failure: an environment variable or another node may be available next time.
        connection = undefined;
        throw error;
      });
      return connection;
    };
    const close = async (): Promise<void> => {
      const established = await connection?.catch(() => undefined);
      established?.client.close();
      await demo?.close();
    };

    Object.assign(this, {
      isDemo,
      clock: accountClock(() => serviceClock),
      service: async () => (await connected()).client,
      directory: async () => (await connected()).directory,
    });

    this.on("close", (done: () => void) => {
      void close().then(done, () => done());
    });
  }

  RED.nodes.registerType<Node<Credentials> & AccountNode, AccountConfig, object, Credentials>(
    "energy-account",
    Account,
    {
      credentials: {
        clientId: { type: "text" },
        clientSecret: { type: "password" },
        origin: { type: "text" },
      },
    },
  );
}
