// The account: the credentials and settings of a connection, which is created when a node first needs it.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { sharedClock } from "../../src/clock";
import { RHYTHM_FORM, Rhythms } from "../../src/series/rhythm";
import { SITES_FORM } from "../../src/series/site-memory";
import type { StateForm, StateGroup } from "../../src/stored-state";
import type { AccountNode } from "../shared/runtime/service/service-node";
import { fileGroup, type StateKey } from "../shared/runtime/state/storage";
import { closeInTime } from "../shared/runtime/lifecycle/lifecycle";
import { describeNode } from "../shared/runtime/lifecycle/node-notes";
import { textOf } from "../shared/runtime/base/errors";
import { readSettings } from "../shared/runtime/base/settings";
import { AccountSession, type AccountTarget, demoTarget } from "./account-session";
import { type AccountDef, type Credentials, connectionSettings, requireOrigin } from "./account-settings";
import type { DeployedAccount } from "./admin/account-drafts";
import { registerRoutes } from "./admin/account-routes";
import { ACCOUNT } from "./settings";

/** In a subflow, credentials are stored under the alias. */
type AccountConfig = NodeDef & AccountDef & { _alias?: string };

const TEXT = { type: "text" } as const;

export default function register(RED: NodeAPI): void {
  const deployed = new WeakMap<object, DeployedAccount>();

  function Account(this: Node<Credentials> & AccountNode, config: AccountConfig): void {
    RED.nodes.createNode(this, config);
    // As they are stored: Node-RED has replaced a reference, and what it stands for must not be resolved once more.
    this.credentials = { ...RED.nodes.getCredentials(config._alias ?? this.id) };
    describeNode(this, { table: ACCOUNT, stored: { ...config } });
    const isDemo = config.service === "demo";

    const findTarget = async (): Promise<AccountTarget> => {
      if (isDemo) return demoTarget();
      const settings = connectionSettings(RED, this, { ...config, ...this.credentials });
      requireOrigin(RED, this, settings, this.credentials);
      return { settings };
    };
    const key = { accountId: isDemo ? `${this.id}:demo` : this.id };
    const stored = <State>(name: StateKey, form: StateForm<State>): StateGroup<State> | undefined =>
      RED.settings.userDir ? fileGroup(RED, this, { ...key, ...name }, form) : undefined;
    const session = new AccountSession(findTarget, {
      warn: (text) => this.warn(textOf(RED, text)),
      stored: (pc1, credentials) => stored({ credentials, states: pc1 ? "pc1" : "sites" }, SITES_FORM),
      ...(!isDemo && { clock: sharedClock }),
    });
    deployed.set(this, { node: this, config, session });

    const rhythms = new Rhythms(stored({ states: "rhythms" }, RHYTHM_FORM));
    Object.assign(this, {
      ...key,
      concurrency: readSettings(RED, this, ACCOUNT, config).values.concurrency,
      rhythms,
      keepTime: session.keepTime,
      service: () => session.connection().then(({ client }) => client),
      book: (pc1 = false) => session.connection().then(({ books }) => books[pc1 ? "pc1" : "plain"]),
      credentialsKey: () => session.connection().then((connection) => connection.credentialsKey),
    });

    this.on("close", (done: () => void) => {
      closeInTime(() => Promise.allSettled([session.close(), rhythms.close()]), done);
    });
  }

  const credentials = { clientId: TEXT, clientSecret: { type: "password" }, origin: TEXT } as const;
  RED.nodes.registerType<Node<Credentials> & AccountNode, AccountConfig, object, Credentials>(
    "energy-account",
    Account,
    { credentials },
  );
  registerRoutes(RED, (id) => {
    const node = RED.nodes.getNode(id) as object | null | undefined;
    return node ? deployed.get(node) : undefined;
  });
}
