// The accounts of open dialogs, which may not be deployed: their connections are temporary, and never those of the account's nodes.
import type { Node, NodeAPI } from "node-red";
import { STORED_SECRET } from "../../../src/choices/choices";
import type { ConnectionSettings } from "../../../src/client/connection";
import { ConfigError, InputError } from "../../../src/errors";
import { isServiceObject, objectOf, type ServiceObject } from "../../../src/models/service-object";
import { mapValues } from "../../../src/objects";
import { type AccountConnection, AccountSession, type AccountTarget, demoTarget } from "../account-session";
import { type AccountDef, connectionSettings, type Credentials, requireOrigin } from "../account-settings";
import { readSettings } from "../../shared/runtime/base/settings";
import { ACCOUNT } from "../settings";

export interface DeployedAccount {
  node: Node<Credentials>;
  config: AccountDef;
  session: AccountSession;
}

export class AccountDrafts {
  readonly #RED: NodeAPI;
  /** The last one, until flows stop: a dialog mostly ends in a deploy. */
  #open: { key: string; session: AccountSession } | undefined;

  constructor(RED: NodeAPI) {
    this.#RED = RED;
  }

  /**
   * The connection of a draft: the same as last time for the same settings, unless it was closed in the meantime.
   * @param value what the dialog sends: nothing in it has been checked
   * @param deployed the account with the same id, if it runs
   * @throws InputError if the value is no object; ConfigError for invalid settings
   */
  async connection(
    id: string,
    value: unknown,
    deployed: DeployedAccount | undefined,
  ): Promise<AccountConnection> {
    const RED = this.#RED;
    if (!isServiceObject(value)) throw new InputError("adminNotJson");
    const draft = readDraft(value, deployed);
    if (draft.service === "demo") return this.#session("demo", demoTarget).connection();
    // Whose environment variables it sees: its own node, or one beside it.
    const scope = deployed?.node ?? neighbourOf(RED, value["z"]) ?? ({ id } as Node);
    const settings = draftSettings(RED, scope, draft, deployed);
    return this.#session(settings, () => Promise.resolve({ settings })).connection();
  }

  /** @param settings everything that distinguishes the connection */
  #session(settings: unknown, findTarget: () => Promise<AccountTarget>): AccountSession {
    const key = JSON.stringify(settings);
    if (this.#open?.key === key) return this.#open.session;
    if (this.#open) this.#close();
    else this.#RED.events.once("flows:stopping", () => this.#close());
    this.#open = { key, session: new AccountSession(findTarget) };
    return this.#open.session;
  }

  #close(): void {
    this.#open?.session.close().catch(() => undefined);
    this.#open = undefined;
  }
}

/** The account of a dialog. Without credentials, it has the stored ones: the editor does not know them before it opens the account. */
function readDraft(value: ServiceObject, deployed: DeployedAccount | undefined): AccountDef {
  const stored = { clientId: deployed?.node.credentials.clientId, clientSecret: STORED_SECRET };
  const typed = objectOf(value["credentials"]);
  const { clientId, clientSecret } = deployed && value["credentials"] === undefined ? stored : typed;
  return { ...mapValues(ACCOUNT, (_setting, name) => value[name]), clientId, clientSecret };
}

/**
 * The settings of a draft of a real account. A stored secret goes to no other origin than its own.
 * @throws ConfigError for invalid settings; `credentialsOrigin` if the stored secret belongs elsewhere
 */
function draftSettings(
  RED: NodeAPI,
  scope: Node,
  draft: AccountDef,
  deployed: DeployedAccount | undefined,
): ConnectionSettings {
  if (draft.clientSecret !== STORED_SECRET) return connectionSettings(RED, scope, draft);
  const stored = deployed?.node.credentials.clientSecret;
  if (deployed === undefined || stored === undefined) throw new ConfigError("clientSecretMissing");
  const settings = connectionSettings(RED, scope, { ...draft, clientSecret: stored });
  const { node } = deployed;
  // Where the deployed account would send its secret.
  const home = (): string =>
    readSettings(RED, node, ACCOUNT, { ...deployed.config, service: "live" }).valid("baseUrl").baseUrl;
  requireOrigin(RED, node, settings, node.credentials, home);
  return settings;
}

/** Any node that runs beside the draft: a new account sees the same variables as other nodes that belong to no tab. */
function neighbourOf(RED: NodeAPI, z: unknown): Node | undefined {
  let neighbour: Node | undefined;
  RED.nodes.eachNode((definition) => {
    const { id, z: place } = definition as { id: string; z?: string };
    if (!neighbour && (place ?? "") === (z ?? "")) neighbour = RED.nodes.getNode(id) ?? undefined;
  });
  return neighbour;
}
