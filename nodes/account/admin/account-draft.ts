// Reads the account of an open dialog, which may not be deployed, and finds out what it connects to.
import type { Node, NodeAPI } from "node-red";
import { STORED_SECRET } from "../../../src/choices/choices";
import { ConfigError, InputError } from "../../../src/errors";
import { isServiceObject } from "../../../src/models/service-object";
import type { ConnectionSettings } from "../../../src/client/connection";
import { ACCOUNT } from "../settings";
import { referenceName } from "../../../src/settings/text";
import { environmentValue } from "../../shared/runtime/base/settings";
import type { AccountSession } from "../account-session";
import { type AccountDef, connectionSettings, type Credentials, requireOrigin } from "../account-settings";

/** An account that runs. */
export interface DeployedAccount {
  node: Node<Credentials>;
  config: AccountDef;
  session: AccountSession;
}

/** The account of a dialog; `config` holds texts, numbers and booleans only. */
export interface Draft {
  config: AccountDef;
  credentials: { clientId: string; clientSecret: string };
  /** Whose environment variables it sees: its own node, or one beside it. */
  scope: Node;
}

/**
 * Without credentials, the draft has the stored ones: the editor does not know them before it opens the account.
 * @throws InputError if it is not an object
 */
export function readDraft(
  RED: NodeAPI,
  id: string,
  value: unknown,
  deployed: DeployedAccount | undefined,
): Draft {
  if (!isServiceObject(value)) throw new InputError("adminNotJson");
  const scope = deployed?.node ?? neighbourOf(RED, value["z"]) ?? ({ id } as Node);
  const replaced = (property: unknown): unknown => withReferenceReplaced(RED, scope, property);
  const properties = Object.keys(ACCOUNT).map((name) => [name, plain(replaced(value[name]))] as const);
  const stored = { clientId: deployed?.node.credentials.clientId, clientSecret: STORED_SECRET };
  const typed = isServiceObject(value["credentials"]) ? value["credentials"] : {};
  const { clientId, clientSecret } = deployed && value["credentials"] === undefined ? stored : typed;
  return {
    config: Object.fromEntries(properties.filter(([, property]) => property !== undefined)) as AccountDef,
    credentials: { clientId: textOf(replaced(clientId)), clientSecret: textOf(replaced(clientSecret)) },
    scope,
  };
}

/**
 * The settings of a draft of a real account. A stored secret goes to no other origin than its own.
 * @throws ConfigError for invalid settings; `credentialsOrigin` if the stored secret belongs elsewhere
 */
export function draftSettings(
  RED: NodeAPI,
  { config, credentials, scope }: Draft,
  deployed: DeployedAccount | undefined,
): ConnectionSettings {
  if (credentials.clientSecret !== STORED_SECRET) return connectionSettings(RED, scope, config, credentials);
  const stored = deployed?.node.credentials.clientSecret;
  if (deployed === undefined || stored === undefined) throw new ConfigError("clientSecretMissing");
  const settings = connectionSettings(RED, scope, config, { ...credentials, clientSecret: stored });
  requireOrigin(RED, deployed.node, settings, deployed.node.credentials, () => homeOf(RED, deployed));
  return settings;
}

/** Where the deployed account would send its secret. Throws ConfigError. */
function homeOf(RED: NodeAPI, { node, config }: DeployedAccount): string {
  return connectionSettings(RED, node, { ...config, service: "live" }, node.credentials).baseUrl;
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

/** As Node-RED does when it deploys a node: a text that is a single ${NAME}, if the variable exists. */
function withReferenceReplaced(RED: NodeAPI, scope: Node, value: unknown): unknown {
  const name = referenceName(value);
  if (name === undefined) return value;
  try {
    return environmentValue(RED, scope, name);
  } catch {
    return value;
  }
}

function plain(value: unknown): string | number | boolean | undefined {
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isPlain ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
