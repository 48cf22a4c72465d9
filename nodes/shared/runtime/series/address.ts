// Determines which site and system a node addresses: from its settings, or from a message.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { ConfigError, InputError } from "../../../../src/errors";
import { kindOf } from "../../../../src/models/service-object";
import type { SeriesAddress } from "../../../../src/ledger/record-id";
import { isId } from "../../../../src/settings/id";
import type { SettingValue, StoredSettings } from "../../../../src/settings/setting";
import { SITE, SYSTEM } from "../../settings";
import { propertyValue } from "../base/property";
import { readSetting, rejectUndefinedVariable } from "../base/settings";

export type SiteDef = StoredSettings<typeof SITE>;

export type SystemDef = SiteDef & StoredSettings<typeof SYSTEM>;

/** Every site of the account, or every system of a site. */
export const ALL = "*";

/** The single site that a node addresses. Throws InputError if there is none, ConfigError if the setting is wrong. */
export async function siteOf(
  RED: NodeAPI,
  node: Node,
  config: SiteDef,
  message: NodeMessage,
): Promise<string> {
  const siteId = await siteText(RED, node, config, message);
  if (siteId === ALL) throw new (errorClassOf(config.siteIdType, config.siteId))("oneSite");
  return siteId;
}

/** The single site, or system of it, that a run addresses. Throws InputError if there is none, and for `*`. */
export async function addressOf(
  RED: NodeAPI,
  node: Node,
  config: SystemDef,
  message: NodeMessage,
): Promise<SeriesAddress> {
  const siteId = await siteOf(RED, node, config, message);
  const systemId = await systemText(RED, node, config, message);
  if (systemId === ALL) throw new (errorClassOf(config.systemIdType, config.systemId))("oneSystem");
  return { siteId, systemId };
}

/** What the node or the message selects, where either id may be `*`. Throws like `addressOf`. */
export async function selectionOf(
  RED: NodeAPI,
  node: Node,
  config: SystemDef,
  message: NodeMessage,
): Promise<SeriesAddress> {
  const siteId = await siteText(RED, node, config, message);
  return { siteId, systemId: await systemText(RED, node, config, message) };
}

async function siteText(RED: NodeAPI, node: Node, config: SiteDef, message: NodeMessage): Promise<string> {
  const siteId = await idText(RED, node, typedId(config, "siteId"), message);
  if (siteId === undefined) throw new InputError("siteMissing");
  return siteId;
}

function systemText(
  RED: NodeAPI,
  node: Node,
  config: SystemDef,
  message: NodeMessage,
): Promise<string | undefined> {
  return idText(RED, node, typedId(config, "systemId"), message);
}

/** An id as the node's typed input has it. */
interface TypedId {
  name: "siteId" | "systemId";
  text: string;
  type: SettingValue<(typeof SITE)["siteIdType"]>;
}

/** Throws ConfigError. */
function typedId(config: SystemDef, name: TypedId["name"]): TypedId {
  const [setting, typeSetting] =
    name === "siteId" ? [SITE.siteId, SITE.siteIdType] : [SYSTEM.systemId, SYSTEM.systemIdType];
  return {
    name,
    text: readSetting(setting, config[name]),
    type: readSetting(typeSetting, config[`${name}Type`]),
  };
}

/** The id that a typed input refers to, or undefined. An empty text refers to the property of the message. */
async function idText(
  RED: NodeAPI,
  node: Node,
  { name, text, type }: TypedId,
  message: NodeMessage,
): Promise<string | undefined> {
  const { value: id } =
    type === "str" ? { value: text || message[name] } : await propertyValue(RED, node, text, type, message);
  if (id === undefined || id === null) return undefined;
  if (typeof id !== "string") throw new InputError("inputText", { name, kind: kindOf(id) });
  rejectUndefinedVariable(id);
  if (id.trim() === "") return undefined;
  if (!isId(id)) throw new (errorClassOf(type, text))("idInvalid", { name });
  return id;
}

/** What the node itself says is a setting; everything else comes with the message. */
function errorClassOf(type: unknown, text: unknown): typeof ConfigError | typeof InputError {
  const isText = readSetting(SITE.siteIdType, type) === "str";
  return isText && readSetting(SITE.siteId, text) !== "" ? ConfigError : InputError;
}
