// Determines which site and system a node addresses: from its settings, or from a message.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { ConfigError, InputError } from "../../../../src/errors";
import { kindOf } from "../../../../src/models/service-object";
import type { SeriesAddress } from "../../../../src/ledger/record-id";
import { isId } from "../../../../src/settings/rules";
import type { SettingValues } from "../../../../src/settings/kinds";
import type { SITE, SYSTEM } from "../../settings";
import { propertyValue } from "../base/property";
import { rejectUndefinedVariable } from "../base/settings";

export type SiteSettings = SettingValues<typeof SITE>;

export type SystemSettings = SiteSettings & SettingValues<typeof SYSTEM>;

/** Every site of the account, or every system of a site. */
export const ALL = "*";

/** The single site that a node addresses. Throws InputError if there is none, ConfigError if the setting is wrong. */
export async function siteOf(
  RED: NodeAPI,
  node: Node,
  settings: SiteSettings,
  message: NodeMessage,
): Promise<string> {
  const input = siteInput(settings);
  const siteId = await siteText(RED, node, input, message);
  if (siteId === ALL) throw new (errorClassOf(input))("oneSite");
  return siteId;
}

/** The single site, or system of it, that a run addresses. Throws InputError if there is none, and for `*`. */
export async function addressOf(
  RED: NodeAPI,
  node: Node,
  settings: SystemSettings,
  message: NodeMessage,
): Promise<SeriesAddress> {
  const siteId = await siteOf(RED, node, settings, message);
  const input = systemInput(settings);
  const systemId = await idText(RED, node, input, message);
  if (systemId === ALL) throw new (errorClassOf(input))("oneSystem");
  return { siteId, systemId };
}

/** What the node or the message selects, where either id may be `*`. Throws like `addressOf`. */
export async function selectionOf(
  RED: NodeAPI,
  node: Node,
  settings: SystemSettings,
  message: NodeMessage,
): Promise<SeriesAddress> {
  const siteId = await siteText(RED, node, siteInput(settings), message);
  return { siteId, systemId: await idText(RED, node, systemInput(settings), message) };
}

/** An id as the node's typed input has it. */
interface TypedId {
  name: "siteId" | "systemId";
  text: string;
  type: SiteSettings["siteIdType"];
}

function siteInput({ siteId: text, siteIdType: type }: SiteSettings): TypedId {
  return { name: "siteId", text, type };
}

function systemInput({ systemId: text, systemIdType: type }: SystemSettings): TypedId {
  return { name: "systemId", text, type };
}

async function siteText(RED: NodeAPI, node: Node, input: TypedId, message: NodeMessage): Promise<string> {
  const siteId = await idText(RED, node, input, message);
  if (siteId === undefined) throw new InputError("siteMissing");
  return siteId;
}

/** The id that a typed input refers to, or undefined. An empty text refers to the property of the message. */
async function idText(
  RED: NodeAPI,
  node: Node,
  input: TypedId,
  message: NodeMessage,
): Promise<string | undefined> {
  const { name, text, type } = input;
  const { value: id } =
    type === "str" ? { value: text || message[name] } : await propertyValue(RED, node, text, type, message);
  if (id === undefined || id === null) return undefined;
  if (typeof id !== "string") throw new InputError("inputText", { name, kind: kindOf(id) });
  rejectUndefinedVariable(id);
  if (id.trim() === "") return undefined;
  if (!isId(id)) throw new (errorClassOf(input))("idInvalid", { name });
  return id;
}

/** What the node itself says is a setting; everything else comes with the message. */
function errorClassOf({ type, text }: TypedId): typeof ConfigError | typeof InputError {
  return type === "str" && text !== "" ? ConfigError : InputError;
}
