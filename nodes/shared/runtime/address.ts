// Determines the sites and systems of a run: from the node, from the message, or all of them.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { ConfigError, InputError } from "../../../src/errors";
import { kindOf } from "../../../src/models/service-object";
import type { Site } from "../../../src/models/site";
import { siteIdOf, systemIdsOf } from "../../../src/models/site-reader";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import { isId } from "../../../src/settings/id";
import { PartialFailure, type Failure } from "./failures";
import { propertyValue } from "./property";
import type { Run } from "./service-node";
import { rejectUndefinedVariable } from "./settings";

export interface SiteDef {
  siteId?: string;
  siteIdType?: string;
}

export interface SystemDef extends SiteDef {
  systemId?: string;
  systemIdType?: string;
}

/** Every site of the account, or every system of a site. */
const ALL = "*";

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

/** The series that a run reads: one, or with `*` one for each site and system. */
export async function addressesOf(
  RED: NodeAPI,
  node: Node,
  config: SystemDef,
  run: Run,
  pc1 = false,
): Promise<SeriesAddress[]> {
  const options = { signal: run.signal, pc1 };
  const siteId = await siteText(RED, node, config, run.message);
  const systemId = await systemText(RED, node, config, run.message);
  if (siteId !== ALL && systemId !== ALL) return [{ siteId, systemId }];
  const service = await run.service();
  const sites = siteId === ALL ? await service.sites(options) : [await service.site(siteId, options)];
  return sites.flatMap((site) => {
    const id = siteId === ALL ? siteIdOf(site) : siteId;
    const systemIds = systemId === ALL ? everySystemOf(site) : [systemId];
    return systemIds.map((system) => ({ siteId: id, systemId: system }));
  });
}

/** If no system has an id, the site's records are read as a whole; a site without systems has no series. */
function everySystemOf(site: Site): (string | undefined)[] {
  const ids = systemIdsOf(site);
  const isUnnamed = ids.length === 0 && (!Array.isArray(site.systems) || site.systems.length > 0);
  return isUnnamed ? [undefined] : ids;
}

/** Does the work for every series. A series that fails does not stop the others. */
export async function forEachSeries<T>(
  addresses: SeriesAddress[],
  work: (address: SeriesAddress) => Promise<T>,
): Promise<T[]> {
  const results = await Promise.allSettled(addresses.map(work));
  const failures = results.flatMap((result, index): Failure[] =>
    result.status === "rejected" ? [{ error: result.reason, address: addresses[index] }] : [],
  );
  if (failures.length > 0) {
    throw addresses.length === 1 ? failures[0]?.error : new PartialFailure(failures, addresses.length);
  }
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

async function siteText(RED: NodeAPI, node: Node, config: SiteDef, message: NodeMessage): Promise<string> {
  const siteId = await idText(RED, node, "siteId", config.siteId, config.siteIdType, message);
  if (siteId === undefined) throw new InputError("siteMissing");
  return siteId;
}

function systemText(
  RED: NodeAPI,
  node: Node,
  config: SystemDef,
  message: NodeMessage,
): Promise<string | undefined> {
  return idText(RED, node, "systemId", config.systemId, config.systemIdType, message);
}

/** The id from a typed property, or undefined. An empty text refers to the property of the message. */
async function idText(
  RED: NodeAPI,
  node: Node,
  name: "siteId" | "systemId",
  property: string | undefined,
  type = "str",
  message: NodeMessage,
): Promise<string | undefined> {
  if (property !== undefined && typeof property !== "string") throw notText(name, property);
  const text = property?.trim() ?? "";
  const id = type === "str" ? text || message[name] : await propertyValue(RED, node, text, type, message);
  if (id === undefined || id === null) return undefined;
  if (typeof id !== "string") throw notText(name, id);
  rejectUndefinedVariable(id);
  if (id.trim() === "") return undefined;
  if (!isId(id)) throw new (errorClassOf(type, text))("idInvalid", { name });
  return id;
}

/** What the node itself says is a setting; everything else comes with the message. */
function errorClassOf(type = "str", text = ""): typeof ConfigError | typeof InputError {
  return type === "str" && text.trim() !== "" ? ConfigError : InputError;
}

function notText(name: string, value: unknown): InputError {
  return new InputError("inputText", { name, kind: kindOf(value) });
}
