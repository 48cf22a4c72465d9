// The account: credentials and settings of a connection. It makes the connection when a node first asks for it.
import type { Node, NodeAPI, NodeDef } from "node-red";
import type { ConnectionSettings } from "../../src/client/connection";
import type { DemoService } from "../../src/demo";
import type { AccountNode } from "../shared/runtime/account";
import { type AccountDef, type Credentials, connectionSettings, demoSettings } from "./account-settings";
import type { Opened } from "./opened";

type AccountConfig = NodeDef & AccountDef;

export default function register(RED: NodeAPI): void {
  function Account(this: Node<Credentials> & AccountNode, config: AccountConfig): void {
    RED.nodes.createNode(this, config);
    const isDemo = config.service === "demo";
    let opening: Promise<Opened> | undefined;
    let demo: DemoService | undefined;

    const settings = async (): Promise<ConnectionSettings> => {
      if (!isDemo) return connectionSettings(RED, this, config);
      // Loaded only where it is used.
      const {
        DEMO_CREDENTIALS,
        startDemoService,
      }: typeof import("../../src/demo") = require("../../src/demo");
      demo ??= await startDemoService();
      return demoSettings(RED, this, config, { baseUrl: demo.baseUrl, ...DEMO_CREDENTIALS });
    };
    const open = async (): Promise<Opened> => {
      const checked = await settings();
      const { openAccount }: typeof import("./opened") = require("./opened");
      return openAccount(checked);
    };
    const opened = (): Promise<Opened> => {
      opening ??= open().catch((error: unknown) => {
        // Not remembered: an environment variable or another node may be there the next time.
        opening = undefined;
        throw error;
      });
      return opening;
    };
    const close = async (): Promise<void> => {
      const connection = await opening?.catch(() => undefined);
      connection?.client.close();
      await demo?.close();
    };

    Object.assign(this, {
      isDemo,
      service: async () => (await opened()).client,
      directory: async () => (await opened()).directory,
    });

    this.on("close", (done: () => void) => {
      void close().then(done, () => done());
    });
  }

  RED.nodes.registerType<Node<Credentials> & AccountNode, AccountConfig, object, Credentials>(
    "energy-account",
    Account,
    {
      credentials: { clientId: { type: "text" }, clientSecret: { type: "password" } },
    },
  );
}
